// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/matrix_market.hpp"

#include <array>

#include "cyclade/io/column_slab.hpp"
#include "cyclade/io/entry_router.hpp"
#include "cyclade/io/text.hpp"
#include "cyclade/io/triangle.hpp"

namespace cyclade::matrix_market {
namespace {

/// Bytes of text that all ranks together take in a round, and the limits of one rank's piece.
constexpr Index round_bytes = Index{16} << 20, smallest_piece = Index{16} << 10,
                largest_piece = Index{1} << 20;

template <Scalar T>
class Reader {
 public:
  Reader(const Source& source, const Header& header, const Matrix<T>& a, Index piece_bytes)
      : source_(source),
        header_(header),
        comm_(a.grid().all()),
        piece_bytes_(piece_bytes > 0 ? piece_bytes
                                     : std::clamp(round_bytes / comm_.size(), smallest_piece, largest_piece)),
        router_(a, header.form == Form::coordinate ? Repeated::sum_and_count : Repeated::overwrite),
        line_(header.size_line + 1) {}

  Index run() {
    for (Index begin = header_.data_begin; begin < source_.size; begin += comm_.size() * piece_bytes_)
      round(begin);
    if (entry_ < header_.entries)
      throw FileError(at_line(source_.name, line_ - 1,
                              "expected " + std::to_string(header_.entries) + " entries, as line " +
                                  std::to_string(header_.size_line) +
                                  " says, found the end of the file after " + std::to_string(entry_)));
    const Repeats met = router_.repeats();
    if (header_.symmetry == Symmetry::general) return met.all;
    return (met.all + met.on_diagonal) / 2;  // each line off the diagonal makes two entries
  }

 private:
  void round(Index begin) {
    std::string text;
    agree(comm_, [&] {
      const Index mine = begin + comm_.rank() * piece_bytes_;
      text = whole_lines(source_, mine, mine + piece_bytes_);
    });
    const LineCounts counts = count_lines(text);
    const std::array<Index, 2> each{counts.lines, counts.entries};
    const std::vector<Index> all = comm_.all_gather<Index>(each);
    Index line = line_, entry = entry_;  // where this rank's piece begins
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const auto at = static_cast<std::size_t>(2 * rank);
      line_ += all[at];
      entry_ += all[at + 1];
      if (rank < comm_.rank()) line = line_, entry = entry_;
    }
    PieceResult result;
    agree(comm_, [&] { result = parse(text, line, entry); });
    refuse_both_triangles(result);
    agree(comm_, [&] {
      if (result.error_line != no_line) throw FileError(result.error);
    });
    router_.deliver();
  }

  PieceResult parse(std::string_view text, Index line, Index entry) {
    return parse_piece<T>(header_, source_.name, text, line, entry, [&](Index i, Index j, const T& value) {
      router_.add(i, j, value);
      if (header_.symmetry == Symmetry::general || i == j) return;
      if (header_.symmetry == Symmetry::symmetric) router_.add(j, i, value);
      if (header_.symmetry == Symmetry::skew) router_.add(j, i, -value);
      if (header_.symmetry == Symmetry::hermitian) router_.add(j, i, conjugate(value));
    });
  }

  /// The first line whose entry is on the other side of the diagonal than those before it becomes the error
  /// of the rank that read it, unless that rank met an earlier one.
  void refuse_both_triangles(PieceResult& result) {
    if (header_.form == Form::array || header_.symmetry == Symmetry::general) return;
    const std::array<Index, 2> each{result.lower_line, result.upper_line};
    const std::vector<Index> all = comm_.all_gather<Index>(each);
    for (int rank = 0; rank <= comm_.rank(); ++rank) {
      const auto at = static_cast<std::size_t>(2 * rank);
      const Index lower = std::min(lower_line_, all[at]), upper = std::min(upper_line_, all[at + 1]);
      const Index first = std::min(lower, upper), other = std::max(lower, upper);
      if (rank == comm_.rank() && other < result.error_line) {
        result.error_line = other;
        result.error = at_line(source_.name, other,
                               std::string("expected all entries of a ") + word(header_.symmetry) +
                                   " file on the side of the diagonal of the first, line " +
                                   std::to_string(first) + ", found one on the other side");
      }
      lower_line_ = lower;
      upper_line_ = upper;
    }
    for (std::size_t at = 0; at < all.size(); at += 2) {
      lower_line_ = std::min(lower_line_, all[at]);
      upper_line_ = std::min(upper_line_, all[at + 1]);
    }
  }

  const Source& source_;
  const Header& header_;
  const Communicator& comm_;
  Index piece_bytes_;
  EntryRouter<T> router_;
  Index line_;  // the next line and entry of the file
  Index entry_ = 0;
  Index lower_line_ = no_line, upper_line_ = no_line;  // first of each side, so far
};

template <Scalar T>
std::string header_text(const Matrix<T>& a, Symmetry symmetry, std::string_view comment) {
  std::string text = std::string("%%MatrixMarket matrix array ") + (is_complex<T> ? "complex " : "real ") +
                     word(symmetry) + "\n";
  while (!comment.empty()) text += "% " + std::string(text::next_line(comment)) + "\n";
  return text + std::to_string(a.rows()) + " " + std::to_string(a.cols()) + "\n";
}

template <Scalar T>
void append_entry(std::string& text, const T& value) {
  if constexpr (is_complex<T>) {
    text::append_number(text, value.real());
    text += ' ';
    text::append_number(text, value.imag());
  } else {
    text::append_number(text, value);
  }
  text += '\n';
}

cyclade::Symmetry mirror_of(Symmetry symmetry) {
  if (symmetry == Symmetry::skew) return cyclade::Symmetry::skew;
  return symmetry == Symmetry::hermitian ? cyclade::Symmetry::hermitian : cyclade::Symmetry::symmetric;
}

}  // namespace

Header inspect(const Communicator& comm, const Source& source) {
  Header header;
  agree(comm, [&] {
    if (comm.rank() == 0) header = read_header(source);
  });
  std::array<Index, 8> words{static_cast<Index>(header.form),
                             static_cast<Index>(header.field),
                             static_cast<Index>(header.symmetry),
                             header.rows,
                             header.cols,
                             header.entries,
                             header.size_line,
                             header.data_begin};
  comm.broadcast(std::span<Index>(words), 0);
  return {static_cast<Form>(words[0]),
          static_cast<Field>(words[1]),
          static_cast<Symmetry>(words[2]),
          words[3],
          words[4],
          words[5],
          words[6],
          words[7]};
}

template <Scalar T>
Index read(const Source& source, const Header& header, const Matrix<T>& a, Index piece_bytes) {
  require(a.rows() == header.rows && a.cols() == header.cols,
          "read: " + source.name + " holds a matrix of " + std::to_string(header.rows) + " x " +
              std::to_string(header.cols) + ", the matrix to fill has " + std::to_string(a.rows()) + " x " +
              std::to_string(a.cols()));
  if (!a.grid().inside()) return 0;
  return Reader<T>(source, header, a, piece_bytes).run();
}

template <Scalar T>
Index write(const Matrix<T>& a, const WriteAt& write_at, Symmetry symmetry, const std::string& comment) {
  require(symmetry == Symmetry::general || a.rows() == a.cols(),
          std::string("write: a ") + word(symmetry) + " file needs a square matrix, got " +
              std::to_string(a.rows()) + " x " + std::to_string(a.cols()));
  require(symmetry != Symmetry::hermitian || is_complex<T>,
          "write: a real matrix is not hermitian but symmetric");
  if (!a.grid().inside()) return 0;
  if (symmetry != Symmetry::general)
    require_mirrored(a, mirror_of(symmetry), static_cast<double>(unit_roundoff<T>),
                     std::string("a ") + word(symmetry) + " file");
  const Triangle part = symmetry == Symmetry::general ? Triangle::whole : Triangle::lower;
  return write_columns<T>(a, part, write_at, header_text(a, symmetry, comment),
                          [&](std::string& text, const ColumnSlab<T>& slab, Index j) {
                            const Range rows = rows_of_column(part, a.rows(), j);
                            const Index begin = rows.begin + (symmetry == Symmetry::skew ? 1 : 0);
                            for (Index i = begin; i < rows.end; ++i) {
                              const bool real = i == j && symmetry == Symmetry::hermitian;
                              append_entry(text, real ? T(std::real(slab(i, j))) : slab(i, j));
                            }
                          });
}

#define CYCLADE_MATRIX_MARKET(T)                                                 \
  template Index read<T>(const Source&, const Header&, const Matrix<T>&, Index); \
  template Index write<T>(const Matrix<T>&, const WriteAt&, Symmetry, const std::string&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_MATRIX_MARKET)

}  // namespace cyclade::matrix_market
