// Norms of a distributed matrix, on a grid or in row slabs, exact up to rounding, and the check that it holds
// numbers at all. Collective over its ranks; results equal on all. Cost: one pass over the local part, one
// reduction.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>

#include "cyclade/matrix/dealt.hpp"

namespace cyclade {

/// How large a matrix is. Both are 0 for an empty matrix, and infinity if it holds a NaN or an infinity.
struct MatrixSize {
  double norm1 = 0;    ///< ||A||_1 = max_j sum_i |a_ij|; infinity, too, if a sum overflows
  double largest = 0;  ///< max_ij (|re a_ij| + |im a_ij|)
};
template <Dealt M>
MatrixSize size_of(const M& a);

/// ||A||_1 alone.
template <Dealt M>
double norm1(const M& a);

/// Global (i,j) of the first entry, by columns, that is NaN or infinite.
template <Dealt M>
std::optional<std::pair<Index, Index>> first_non_finite(const M& a);

}  // namespace cyclade
