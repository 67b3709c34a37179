// The tests before an elimination without pivoting: is the matrix of a kind for which that is safe?
//
//   dominant by rows:  |a_ii| >= sum_{j != i} |a_ij|  for all i,  or the same by columns: growth of at most 2
//   Hermitian:         then positive definiteness is worth stating (method cholesky)
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/inverse/recursion.hpp"
#include "cyclade/matrix/dealt.hpp"

namespace cyclade {

/// Collective; O(n^2/P) work and n^2/2P words a rank. A is square.
template <Dealt M>
Preflight preflight(const M& a);

}  // namespace cyclade
