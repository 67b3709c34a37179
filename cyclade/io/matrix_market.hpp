// Matrix Market files into and out of distributed matrices. A file is read in rounds: in each, the ranks take
// consecutive pieces of it, parse the lines that begin in theirs, and send the entries to their owners; so no
// rank holds more than a piece, and lines are numbered and repeated entries summed in the order of the file,
// whatever the number of ranks and pieces.
//
//   round 0             round 1
//   | 0 | 1 | 2 | 3 |   | 0 | 1 | 2 | 3 | ...      pieces of the file, and the rank that parses them
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/io/matrix_market_text.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade::matrix_market {

/// The header of the file, read on rank 0, known on all. Collective. Throws FileError, on all ranks the same.
Header inspect(const Communicator& comm, const Source& source);

/// a := the matrix of the file, both triangles filled: symmetric a_ji = a_ij, also if complex; skew-symmetric
/// a_ji = -a_ij; Hermitian a_ji = conj(a_ij). The pattern is 1 where it says so. Returns how many entries of
/// a coordinate file met another one at their place: they are summed, and the caller should say so.
///
/// A triangle may be given as the lower one (what the format asks for) or, in coordinate files, as the upper
/// one, but not as a mixture, which would mean an entry twice in the files of some programs. A Hermitian
/// diagonal must be real and a skew one zero. A complex file is read into a real matrix only if no entry has
/// an imaginary part.
///
/// Collective over the grid's ranks; the shape must be the header's. Throws FileError with file and line, the
/// smallest wrong line, on all ranks the same. A rank reads its share of the bytes once, in pieces of
/// `piece_bytes` (0: chosen), and receives 2 words an entry.
template <Scalar T>
Index read(const Source& source, const Header& header, const Matrix<T>& a, Index piece_bytes = 0);

/// Writes `a` as an array file with the shortest digits that read back the same. Any other symmetry than
/// general writes the lower triangle for the whole, and throws ArgumentError unless the matrix is square and,
/// to rounding, of that symmetry; a Hermitian diagonal is written as real. Each line of `comment` becomes a
/// comment. Collective over the grid's ranks; each formats and writes its share of every round. Returns the
/// bytes of the file.
template <Scalar T>
Index write(const Matrix<T>& a, const WriteAt& write_at, Symmetry symmetry, const std::string& comment);

}  // namespace cyclade::matrix_market
