// The one time that rows and columns move: after a sweep with implicit pivoting, in which sigma(k) is the row
// that served as pivot of column k, the array M holds the inverse as  X(k, i) = M(sigma(k), sigma^-1(i)): row
// r moves to sigma^-1(r), column j to sigma(j).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "cyclade/matrix/dealt.hpp"

namespace cyclade {

/// The inverse of a permutation of 0..n-1.
std::vector<Index> inverse_permutation(const std::vector<Index>& sigma);

/// +1 or -1.
int parity(const std::vector<Index>& sigma);

/// Row r of A moves to row target[r], for all r; columns stay. Slab by slab of columns, under a byte budget
/// (at least one column). Collective over all ranks of A: MemoryError, equal on all, if there is no room. A
/// rank receives at most mloc*nloc words and one agreement, nothing if target is the identity.
template <Dealt M>
void permute_rows(const M& a, const std::vector<Index>& target, Index budget_bytes);

/// Column j of A moves to column target[j]; the same along the process rows, in slabs of rows.
template <Dealt M>
void permute_columns(const M& a, const std::vector<Index>& target, Index budget_bytes);

}  // namespace cyclade
