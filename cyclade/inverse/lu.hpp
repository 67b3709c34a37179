// P A = L U with partial pivoting, the rows really exchanged, as LAPACK and ScaLAPACK leave it; and the
// inverse from it. For programs that want the factors: who wants the inverse alone calls invert, which moves
// no row before the end.
//
//   step with the columns K:     K    after K      the panel is factored by PivotPanel, then rows move
//                        K     L\U     U12         U12 = L11^-1 A12
//                    below     L21  A22 -= L21 U12
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// What a factorisation tells, the same on all ranks.
struct LuResult {
  /// Row k was exchanged with row interchanges[k] >= k, for k = 0, 1, ... in this order; min(m,n) of them.
  std::vector<Index> interchanges;
  /// The first k with u_kk exactly zero; -1 if there is none. The factorisation is complete all the same.
  Index zero_pivot = -1;
};

/// A := L\U with P A = L U: L m x min(m,n), unit lower trapezoidal, its diagonal not stored; U min(m,n) x n.
/// The pivot is the entry of largest |re| + |im|, the smallest row among equals. What is not a finite number
/// spreads as it does in LAPACK, and nothing stops.
///
/// Collective over the grid; m x n of any size, any layout but a replicated one. 2n^3/3P flops if square (x4
/// complex), n^2/2 (1/p + 1/q) words a rank and at most 2 n^2/P for the exchanges. Memory: width (mloc +
/// nloc) entries twice. `width`: columns a step, 0 for the default. Throws MemoryError on all ranks.
template <Scalar T>
LuResult lu_factor(const Matrix<T>& a, Index width = 0);

/// A := A^-1 from L\U and the exchanges of lu_factor. Returns -1, or the first k with u_kk = 0: then A is as
/// it was. Collective; 4n^3/3P flops (x4 complex); see factors_invert. Throws ArgumentError, equal on all
/// ranks and before any message, if A is not square or an exchange is outside [k, n).
template <Scalar T>
Index lu_invert(const Matrix<T>& a, const std::vector<Index>& interchanges, Index width = 0);

}  // namespace cyclade
