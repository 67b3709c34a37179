// Genetic relationship matrices as GCTA writes them: X.grm.bin holds the lower triangle with the diagonal,
// row by row, as little-endian float32, without a header; X.grm.id beside it names the individuals, one a
// line. X.grm.N.bin (how many SNPs each entry rests on) is not needed and not read.
//
//   n(n+1)/2 floats:   a11 | a21 a22 | a31 a32 a33 | ...
//
// Source: GCTA manual, "Estimating the genetic relationships", https://yanglab.westlake.edu.cn/software/gcta
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cyclade/io/bytes.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade::grm {

/// X.grm.id for X.grm.bin. Throws ArgumentError if the name does not end in .grm.bin.
std::string id_path(const std::string& bin_path);

/// n of a file with n(n+1)/2 floats. Throws FileError naming the file and the bytes if there is no such n.
Index order(const std::string& name, Index bytes);

/// Throws FileError unless the .grm.id has n lines (blank ones do not count). Local; reads the whole file in
/// pieces.
void require_ids(const Source& id, const std::string& bin_name, Index n);

/// a := the matrix, both triangles filled. Its order must be that of the file's size. Collective over the
/// grid's ranks, which read consecutive pieces of `piece_entries` (0: chosen) in rounds.
template <Scalar T>
void read(const Source& bin, const Matrix<T>& a, Index piece_entries = 0);

/// Writes a symmetric matrix as .grm.bin, rounded to float. Throws ArgumentError if it is complex, not
/// square, or not symmetric to the rounding of a float (naming the entry), FileError if an entry is too large
/// for a float. Collective over the grid's ranks. Returns the bytes.
template <Scalar T>
Index write(const Matrix<T>& a, const WriteAt& write_at);

/// The same entries as text, one a line: row, column (from 1, row >= column) and value with the shortest
/// digits that read back the same, separated by tabs, like the text form of GCTA without its number of SNPs.
template <Scalar T>
Index write_triplets(const Matrix<T>& a, const WriteAt& write_at);

}  // namespace cyclade::grm
