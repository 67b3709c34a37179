// The Matrix Market format as text, without MPI and without a matrix: the header, whole lines out of a file
// that is read in pieces, and the entries of one piece. Everything here is a function of the bytes, so a file
// means the same however it is cut. https://math.nist.gov/MatrixMarket/formats.html
//
//   %%MatrixMarket matrix coordinate real symmetric   banner: form, field, symmetry; any case
//   % comment                                          also between the entries, as may be blank lines
//   3 3 2                                              rows, columns, entries (array: rows, columns)
//   1 1 4.0                                            one entry a line, 1-based; array: the value alone
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "cyclade/io/bytes.hpp"

namespace cyclade::matrix_market {

enum class Form : int { array, coordinate };
enum class Field : int { real, integer, complex, pattern };
enum class Symmetry : int { general, symmetric, skew, hermitian };

/// The words of the banner.
const char* word(Form form);
const char* word(Field field);
const char* word(Symmetry symmetry);

/// What stands before the entries. Lines are counted from 1, bytes from 0.
struct Header {
  Form form = Form::array;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  Index rows = 0;
  Index cols = 0;
  Index entries = 0;     ///< lines with entries that the file must hold
  Index size_line = 0;   ///< the line that gives the sizes
  Index data_begin = 0;  ///< the byte after it
};

/// Entries of an array file: m*n, or the lower triangle of order n by columns; skew has no diagonal.
Index stored_entries(Index rows, Index cols, Symmetry symmetry);

/// No line may be longer (in bytes): a file without line ends must not be read into memory whole.
inline constexpr Index longest_line = Index{1} << 20;

/// The lines that begin in bytes [begin, end) of the source, whole: pieces that join give each line once. A
/// line longer than `longest_line` is cut somewhere after that; who reads it refuses it.
std::string whole_lines(const Source& source, Index begin, Index end);

/// Reads banner, comments and sizes. Throws FileError("name:line: expected ..., found ...") if anything is
/// wrong, also if an array file is too short for the entries it promises.
Header read_header(const Source& source);

/// How many lines a piece has, and how many of them are entries (neither blank nor comments).
struct LineCounts {
  Index lines = 0;
  Index entries = 0;
};
LineCounts count_lines(std::string_view piece);

inline constexpr Index no_line = std::numeric_limits<Index>::max();

/// What a piece told, besides its entries.
struct PieceResult {
  Index error_line = no_line;  ///< the first wrong line; nothing after it was read
  std::string error;           ///< "name:line: expected ..., found ..."
  Index lower_line = no_line;  ///< first entry below the diagonal (coordinate, not general)
  Index upper_line = no_line;  ///< first entry above it
};

/// Takes an entry, indices from 0.
template <Scalar T>
using TakeEntry = std::function<void(Index i, Index j, const T& value)>;

/// Parses the lines of a piece; the first one is line `line` of the file, and `entry` entries come before it.
/// The entries are given as they stand: mirroring is the caller's. Numbers: as C writes them, also with a
/// leading +, with D for the exponent (Fortran), NaN and Inf; too small becomes 0, too large for T is an
/// error. Never throws for what the text says.
template <Scalar T>
PieceResult parse_piece(const Header& header, const std::string& name, std::string_view piece, Index line,
                        Index entry, const TakeEntry<T>& take);

/// "name:line: " + what: how every message about a text file begins.
std::string at_line(const std::string& name, Index line, const std::string& what);

}  // namespace cyclade::matrix_market
