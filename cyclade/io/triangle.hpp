// Formats that store one triangle of a matrix for the whole of it, and what that asks of the matrix: the
// other triangle must say the same, or it would be lost without a word.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cyclade/matrix/symmetry.hpp"

namespace cyclade {

/// Throws ArgumentError, equal on all ranks, naming the first (i,j) by rows, unless the square matrix is of
/// the symmetry to within 100 `unit` of its largest entry: `unit` is the rounding of the numbers in the file.
/// `format` is what the message calls the file. Collective over the grid's ranks; n^2/2P words a rank.
template <Scalar T>
void require_mirrored(const Matrix<T>& a, Symmetry symmetry, double unit, const std::string& format);

}  // namespace cyclade
