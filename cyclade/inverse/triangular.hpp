// Inverses from triangular factors, in place: A^-1 from L and U as a factorisation leaves them, and L^-1 or
// U^-1 alone. One sweep does all three. It is the sweep of gauss_jordan with the panel already factored, so
// of the four quadrants around the diagonal block K it leaves out the one below and right of K, which the
// factorisation has dealt with; a lone factor leaves out two more.
//
//            before K        K            after K          T = [A01 U^-1 above K; L21 below]     Y = L^-1 A10
//   above    A00 -= T Y      -T L^-1      A02 -= T U12     with U alone L = I, with L alone U = I
//   K        U^-1 Y          U^-1 L^-1    U^-1 U12
//   below    A20 -= T Y      -T L^-1      (not touched)
//
// Reference: the variants of Du Croz and Higham, IMA J. Numer. Anal. 12 (1992); docs/numerics.md.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// The first k with a_kk = 0, or -1. Collective over the grid; A is square.
template <Scalar T>
Index first_zero_diagonal(const Matrix<T>& a);

/// A := the inverse of the triangle of A that `uplo` names; with a unit diagonal, that is neither read nor
/// written. The other triangle is not touched. Returns -1, or the first k with a_kk = 0: then A is as it was.
///
/// Collective over the grid; any layout but a replicated one. n^3/3P flops (x4 complex), about n^2/2 (1/p +
/// 1/q) words a rank; memory: width (mloc + 2 nloc) entries. `width`: columns a step, 0 for the default.
/// Throws MemoryError on all ranks, A untouched.
template <Scalar T>
Index triangle_invert(const Matrix<T>& a, Uplo uplo, Diag diag, Index width = 0);

/// A := (L U)^-1, where A holds L below its diagonal (the unit diagonal is not stored) and U on and above it.
/// The diagonal of U must not hold a zero. 4n^3/3P flops (x4 complex), mloc (n - nloc) + nloc (n - mloc)
/// words a rank; otherwise as triangle_invert.
template <Scalar T>
void factors_invert(const Matrix<T>& a, Index width = 0);

}  // namespace cyclade
