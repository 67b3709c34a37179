// Norms of a distributed matrix, exact up to rounding, and the check that it holds numbers at all.
// Collective over the grid; results equal on its ranks. Cost: one pass over the local part, one reduction.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>

#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// ||A||_1 = max_j sum_i |a_ij|; 0 for an empty matrix; infinity if A holds a NaN or an infinity, or if a sum
/// overflows.
template <Scalar T>
double norm1(const Matrix<T>& a);

/// max_ij (|re a_ij| + |im a_ij|); infinity if there is a NaN.
template <Scalar T>
double max_abs1(const Matrix<T>& a);

/// Global (i,j) of the first entry, by columns, that is NaN or infinite.
template <Scalar T>
std::optional<std::pair<Index, Index>> first_non_finite(const Matrix<T>& a);

}  // namespace cyclade
