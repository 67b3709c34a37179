// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/grm.hpp"

#include <bit>
#include <cmath>

#include "cyclade/io/column_slab.hpp"
#include "cyclade/io/entry_router.hpp"
#include "cyclade/io/text.hpp"
#include "cyclade/io/triangle.hpp"

namespace cyclade::grm {
namespace {

constexpr Index float_bytes = 4;
constexpr std::string_view ending = ".grm.bin";

constexpr Index before_row(Index i) { return i * (i + 1) / 2; }

/// The largest n with n(n+1)/2 <= entries.
Index rows_in(Index entries) {
  auto n = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(entries) + 1) - 1) / 2);
  while (before_row(n) > entries) --n;
  while (before_row(n + 1) <= entries) ++n;
  return n;
}

/// Little-endian, on any machine.
float load_float(const char* bytes) {
  std::uint32_t bits = 0;
  for (int k = 0; k < float_bytes; ++k)
    bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[k])) << (8 * k);
  return std::bit_cast<float>(bits);
}

void append_float(std::string& output, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int k = 0; k < float_bytes; ++k) output += static_cast<char>((bits >> (8 * k)) & 0xFF);
}

template <Scalar T>
void require_real_square(const Matrix<T>& a) {
  require(!is_complex<T>, "grm: a relationship matrix is real, got a complex one");
  require(a.rows() == a.cols(), "grm: a relationship matrix is square, got " + std::to_string(a.rows()) +
                                    " x " + std::to_string(a.cols()));
}

template <Scalar T>
void require_symmetric(const Matrix<T>& a) {
  const double unit = static_cast<double>(std::max<Real<T>>(unit_roundoff<T>, unit_roundoff<float>));
  require_mirrored(a, Symmetry::symmetric, unit, "a relationship matrix");
}

template <Scalar T>
float rounded(const T& value, Index i, Index j) {
  const double real = std::real(value);
  if (std::isfinite(real) && std::abs(real) > std::numeric_limits<float>::max())
    throw FileError("grm: entry (" + std::to_string(i) + "," + std::to_string(j) +
                    ") is too large for the float32 of .grm.bin; write another format");
  return static_cast<float>(real);
}

}  // namespace

std::string id_path(const std::string& bin_path) {
  require(bin_path.ends_with(ending), "grm: the file's name must end in .grm.bin, got " + bin_path);
  return bin_path.substr(0, bin_path.size() - 3) + "id";
}

Index order(const std::string& name, Index bytes) {
  const Index n = rows_in(bytes / float_bytes);
  if (before_row(n) * float_bytes != bytes)
    throw FileError(name + ": expected n(n+1)/2 float32 numbers (the lower triangle of order n), found " +
                    std::to_string(bytes) + " bytes; n = " + std::to_string(n) + " would need " +
                    std::to_string(before_row(n) * float_bytes) + ", n = " + std::to_string(n + 1) + " " +
                    std::to_string(before_row(n + 1) * float_bytes));
  return n;
}

void require_ids(const Source& id, const std::string& bin_name, Index n) {
  constexpr Index step = Index{1} << 16;
  Index lines = 0;
  bool blank = true;  // the line so far
  std::string piece;
  for (Index at = 0; at < id.size; at += step) {
    piece.resize(static_cast<std::size_t>(std::min(step, id.size - at)));
    id.read(at, piece);
    for (const char c : piece) {
      if (c == '\n') {
        lines += blank ? 0 : 1;
        blank = true;
      } else if (text::blanks.find(c) == text::blanks.npos) {
        blank = false;
      }
    }
  }
  lines += blank ? 0 : 1;
  if (lines != n)
    throw FileError(id.name + ": expected " + std::to_string(n) + " lines, one for each individual of " +
                    bin_name + ", found " + std::to_string(lines));
}

template <Scalar T>
void read(const Source& bin, const Matrix<T>& a, Index piece_entries) {
  const Index n = order(bin.name, bin.size);
  require(a.rows() == n && a.cols() == n, "read: " + bin.name + " holds a matrix of order " +
                                              std::to_string(n) + ", the matrix to fill has " +
                                              std::to_string(a.rows()) + " x " + std::to_string(a.cols()));
  if (!a.grid().inside()) return;
  const Communicator& comm = a.grid().all();
  constexpr Index round_entries = Index{1} << 20, largest_piece = Index{1} << 17;
  const Index piece =
      piece_entries > 0 ? piece_entries : std::min(largest_piece, round_entries / comm.size() + 1);
  EntryRouter<T> router(a, Repeated::overwrite);
  const Index all = before_row(n);
  std::string bytes;
  for (Index first = 0; first < all; first += piece * comm.size()) {
    agree(comm, [&] {
      const Index begin = std::min(first + comm.rank() * piece, all), end = std::min(begin + piece, all);
      bytes.resize(static_cast<std::size_t>((end - begin) * float_bytes));
      if (begin == end) return;
      bin.read(begin * float_bytes, bytes);
      Index i = rows_in(begin), j = begin - before_row(i);
      for (const char* at = bytes.data(); at != bytes.data() + bytes.size(); at += float_bytes) {
        const T value{static_cast<Real<T>>(load_float(at))};
        router.add(i, j, value);
        if (i != j) router.add(j, i, value);
        if (++j > i) ++i, j = 0;
      }
    });
    router.deliver();
  }
}

template <Scalar T>
Index write(const Matrix<T>& a, const WriteAt& write_at) {
  require_real_square(a);
  if (!a.grid().inside()) return 0;
  require_symmetric(a);
  return write_columns<T>(a, Triangle::upper, write_at, "",
                          [](std::string& output, const ColumnSlab<T>& slab, Index i) {
                            for (Index j = 0; j <= i; ++j) append_float(output, rounded(slab(j, i), i, j));
                          });
}

template <Scalar T>
Index write_triplets(const Matrix<T>& a, const WriteAt& write_at) {
  require_real_square(a);
  if (!a.grid().inside()) return 0;
  require_symmetric(a);
  return write_columns<T>(a, Triangle::upper, write_at, "",
                          [](std::string& output, const ColumnSlab<T>& slab, Index i) {
                            for (Index j = 0; j <= i; ++j) {
                              output += std::to_string(i + 1) + "\t" + std::to_string(j + 1) + "\t";
                              text::append_number(output, std::real(slab(j, i)));
                              output += '\n';
                            }
                          });
}

#define CYCLADE_GRM(T)                                           \
  template void read<T>(const Source&, const Matrix<T>&, Index); \
  template Index write<T>(const Matrix<T>&, const WriteAt&);     \
  template Index write_triplets<T>(const Matrix<T>&, const WriteAt&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_GRM)

}  // namespace cyclade::grm
