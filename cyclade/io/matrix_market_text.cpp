// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/matrix_market_text.hpp"

#include <algorithm>
#include <array>

#include "cyclade/base/error.hpp"
#include "cyclade/io/text.hpp"

namespace cyclade::matrix_market {
namespace {

using text::next_line, text::next_word, text::shown, text::whole_number, text::wrong;

bool blank_or_comment(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(text::blanks);
  return begin == std::string_view::npos || line[begin] == '%';
}

void require_end(std::string_view line, const std::string& after, const char* hint = "") {
  const std::string_view more = next_word(line);
  if (!more.empty()) wrong("the end of the line after " + after + hint, shown(more));
}

void require_short(std::string_view line) {
  if (static_cast<Index>(line.size()) > longest_line)
    wrong("lines of at most " + std::to_string(longest_line) + " bytes", "a longer one");
}

/// The value at the end of an entry's line: one number, two for complex, none for pattern.
template <Scalar T>
T read_value(std::string_view& line, Field field) {
  using R = Real<T>;
  if (field == Field::pattern) return T{1};
  const R re = text::real_number<R>(next_word(line), field == Field::integer);
  if (field != Field::complex) return T{re};
  const std::string_view word = next_word(line);
  if (word.empty()) wrong("the imaginary part of a complex number", shown(word));
  const R im = text::real_number<R>(word, false);
  if constexpr (is_complex<T>) {
    return {re, im};
  } else {
    if (im != 0)
      wrong("an imaginary part of 0, since the matrix is read as real (ask for complex)", shown(word));
    return re;
  }
}

// --- the header

template <class E, std::size_t n>
E one_of(std::string_view word, const std::array<std::pair<const char*, E>, n>& words, const char* what) {
  std::string lower(word.substr(0, 40));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::string all;
  for (const auto& [text, value] : words) {
    if (lower == text) return value;
    all += (all.empty() ? "" : ", ") + std::string(text);
  }
  wrong(std::string(what) + " (one of: " + all + ")", shown(word));
}

constexpr const char* banner = "\"%%MatrixMarket matrix <form> <field> <symmetry>\"";

void read_banner(std::string_view line, Header& header) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";  // a byte order mark, which some editors leave
  if (line.starts_with(mark)) line.remove_prefix(mark.size());
  using std::array, std::pair;
  one_of(next_word(line), array{pair{"%%matrixmarket", 0}, pair{"%matrixmarket", 0}}, banner);
  one_of(next_word(line), array{pair{"matrix", 0}}, "the object");
  header.form = one_of(next_word(line),
                       array{pair{"array", Form::array}, pair{"coordinate", Form::coordinate}}, "the form");
  header.field = one_of(next_word(line),
                        array{pair{"real", Field::real}, pair{"double", Field::real},
                              pair{"integer", Field::integer}, pair{"unsigned-integer", Field::integer},
                              pair{"complex", Field::complex}, pair{"pattern", Field::pattern}},
                        "the field");
  header.symmetry =
      one_of(next_word(line),
             array{pair{"general", Symmetry::general}, pair{"symmetric", Symmetry::symmetric},
                   pair{"skew-symmetric", Symmetry::skew}, pair{"hermitian", Symmetry::hermitian}},
             "the symmetry");
  require_end(line, "the symmetry");
  const std::string found = std::string(word(header.field)) + " " + word(header.symmetry);
  if (header.field == Field::pattern && header.form == Form::array)
    wrong("values in an array file (real, integer or complex)", "pattern");
  if (header.symmetry == Symmetry::hermitian && header.field != Field::complex)
    wrong("complex with hermitian (a real one is called symmetric)", shown(found));
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew)
    wrong("values in a skew-symmetric file", shown(found));
}

void read_sizes(std::string_view line, Header& header) {
  const bool coordinate = header.form == Form::coordinate;
  header.rows = whole_number(next_word(line), 0, no_line, "the number of rows");
  header.cols = whole_number(next_word(line), 0, no_line, "the number of columns");
  constexpr Index most = no_line / 16;  // entries whose bytes 64 bits can count
  if (header.rows > 0 && header.cols > most / header.rows)
    wrong("a matrix whose bytes 64 bits can count",
          std::to_string(header.rows) + " x " + std::to_string(header.cols));
  if (header.symmetry != Symmetry::general && header.rows != header.cols)
    wrong(std::string("a square matrix, since it is ") + word(header.symmetry),
          std::to_string(header.rows) + " x " + std::to_string(header.cols));
  header.entries = coordinate ? whole_number(next_word(line), 0, no_line, "the number of entries")
                              : stored_entries(header.rows, header.cols, header.symmetry);
  require_end(line, coordinate ? "the sizes" : "the two sizes of an array");
  if (coordinate && header.entries > 0 && (header.rows == 0 || header.cols == 0))
    wrong("0 entries in a matrix without rows or columns", std::to_string(header.entries));
}

/// An array's size must be what the file can hold, a digit and a line end or space for each number: it is
/// what memory is asked for. (The entries of a coordinate file are only counted.)
void require_room(const Header& header, Index size) {
  if (header.form == Form::coordinate) return;
  const Index least = header.field == Field::complex ? 4 : 2, rest = size - header.data_begin;
  if (header.entries > (rest + 1) / least)
    wrong(std::to_string(header.entries) + " entries, at least " + std::to_string(least) +
              " bytes each, after this line",
          std::to_string(rest) + " bytes");
}

/// Returns true when the line is the one with the sizes, which ends the header.
bool read_header_line(std::string_view line, Index file_size, Header& header) {
  require_short(line);
  if (header.size_line == 1) {
    read_banner(line, header);
    return false;
  }
  if (blank_or_comment(line)) return false;
  read_sizes(line, header);
  require_room(header, file_size);
  return true;
}

// --- entries

/// Where the running entry number of an array file lies: by columns, below the diagonal unless general.
class ArrayPosition {
 public:
  ArrayPosition(const Header& header, Index entry)
      : rows_(header.rows),
        packed_(header.symmetry != Symmetry::general),
        strict_(header.symmetry == Symmetry::skew ? 1 : 0) {
    if (rows_ == 0 || entry >= header.entries) return;
    if (!packed_) {
      j_ = entry / rows_;
      i_ = entry % rows_;
      return;
    }
    Index low = 0, high = rows_;  // the last column that begins at or before `entry`
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (before(middle) <= entry ? low : high) = middle;
    }
    j_ = low;
    i_ = first_row() + entry - before(low);
  }
  Index i() const { return i_; }
  Index j() const { return j_; }
  void advance() {
    if (++i_ < rows_) return;
    ++j_;
    i_ = first_row();
  }

 private:
  Index first_row() const { return packed_ ? j_ + strict_ : 0; }
  /// Entries in the columns before j: sum of (rows - strict - k) for k < j.
  Index before(Index j) const { return j * (rows_ - strict_) - j * (j - 1) / 2; }

  Index rows_;
  bool packed_;
  Index strict_;
  Index i_ = 0, j_ = 0;
};

template <Scalar T>
void require_symmetric(Symmetry symmetry, Index i, Index j, const T& value) {
  if (i != j) return;
  const std::string place = " on the diagonal, (" + std::to_string(i + 1) + "," + std::to_string(j + 1) + ")";
  if (symmetry == Symmetry::skew && value != T{0})
    wrong("nothing but 0" + place + " of a skew-symmetric matrix", "another value");
  if constexpr (is_complex<T>) {
    if (symmetry == Symmetry::hermitian && !(value.imag() == 0))
      wrong("a real number" + place + " of a Hermitian matrix", "an imaginary part that is not 0");
  }
}

}  // namespace

const char* word(Form form) { return form == Form::array ? "array" : "coordinate"; }

const char* word(Field field) {
  switch (field) {
    case Field::real:
      return "real";
    case Field::integer:
      return "integer";
    case Field::complex:
      return "complex";
    case Field::pattern:
      break;
  }
  return "pattern";
}

const char* word(Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::general:
      return "general";
    case Symmetry::symmetric:
      return "symmetric";
    case Symmetry::skew:
      return "skew-symmetric";
    case Symmetry::hermitian:
      break;
  }
  return "hermitian";
}

Index stored_entries(Index rows, Index cols, Symmetry symmetry) {
  if (symmetry == Symmetry::general) return rows * cols;
  const Index n = symmetry == Symmetry::skew ? std::max<Index>(0, rows - 1) : rows;
  return n * (n + 1) / 2;
}

std::string at_line(const std::string& name, Index line, const std::string& what) {
  return name + ":" + std::to_string(line) + ": " + what;
}

std::string whole_lines(const Source& source, Index begin, Index end) {
  end = std::min(end, source.size);
  if (begin >= end) return {};
  const Index from = std::max<Index>(0, begin - 1);  // one byte more, to see whether a line begins at `begin`
  std::string lines(static_cast<std::size_t>(end - from), '\0');
  source.read(from, lines);
  if (begin > 0) lines.erase(0, std::min(lines.find('\n'), lines.size() - 1) + 1);
  if (lines.empty() || lines.back() == '\n') return lines;
  const std::size_t last = lines.rfind('\n') + 1;  // npos + 1 = 0
  for (Index step = 256; end < source.size; step *= 2) {
    const std::size_t old = lines.size();
    const Index more = std::min(step, source.size - end);
    lines.resize(old + static_cast<std::size_t>(more));
    source.read(end, std::span(lines).subspan(old));
    end += more;
    if (const std::size_t found = lines.find('\n', old); found != lines.npos) {
      lines.resize(found + 1);
      break;
    }
    if (static_cast<Index>(lines.size() - last) > longest_line) break;
  }
  return lines;
}

Header read_header(const Source& source) {
  constexpr Index step = Index{1} << 16;
  Header header;
  Index line_number = 0, offset = 0;
  for (Index begin = 0; begin < source.size; begin += step) {
    const std::string piece = whole_lines(source, begin, begin + step);
    try {
      for (std::string_view rest = piece; !rest.empty();) {
        const std::string_view line = next_line(rest);
        header.data_begin = offset + static_cast<Index>(piece.size() - rest.size());
        header.size_line = ++line_number;
        if (read_header_line(line, source.size, header)) return header;
      }
    } catch (const text::Wrong& error) {
      throw FileError(at_line(source.name, line_number, error.what));
    }
    offset += static_cast<Index>(piece.size());
  }
  throw FileError(
      at_line(source.name, std::max<Index>(1, line_number),
              std::string("expected ") +
                  (line_number == 0 ? "the banner " + std::string(banner) : "the line with the sizes") +
                  ", found the end of the file"));
}

LineCounts count_lines(std::string_view piece) {
  LineCounts counts;
  while (!piece.empty()) {
    ++counts.lines;
    if (!blank_or_comment(next_line(piece))) ++counts.entries;
  }
  return counts;
}

template <Scalar T>
PieceResult parse_piece(const Header& header, const std::string& name, std::string_view piece,
                        Index line_number, Index entry, const TakeEntry<T>& take) {
  PieceResult result;
  ArrayPosition position(header, entry);
  try {
    for (; !piece.empty(); ++line_number) {
      std::string_view line = next_line(piece);
      require_short(line);
      if (blank_or_comment(line)) continue;
      if (entry++ >= header.entries)
        wrong("no more than the " + std::to_string(header.entries) + " entries that line " +
                  std::to_string(header.size_line) + " asks for",
              shown(line));
      Index i = position.i(), j = position.j();
      if (header.form == Form::coordinate) {
        i = whole_number(next_word(line), 1, header.rows, "the row") - 1;
        j = whole_number(next_word(line), 1, header.cols, "the column") - 1;
      } else {
        position.advance();
      }
      const T value = read_value<T>(line, header.field);
      require_end(line, "the entry",
                  header.field == Field::pattern
                      ? " (a pattern has no values; should the banner say integer or real?)"
                      : "");
      if (header.symmetry != Symmetry::general) {
        require_symmetric(header.symmetry, i, j, value);
        if (i > j) result.lower_line = std::min(result.lower_line, line_number);
        if (i < j) result.upper_line = std::min(result.upper_line, line_number);
      }
      take(i, j, value);
    }
  } catch (const text::Wrong& error) {
    result.error_line = line_number;
    result.error = at_line(name, line_number, error.what);
  }
  return result;
}

#define CYCLADE_PARSE_PIECE(T)                                                                           \
  template PieceResult parse_piece<T>(const Header&, const std::string&, std::string_view, Index, Index, \
                                      const TakeEntry<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_PARSE_PIECE)

}  // namespace cyclade::matrix_market
