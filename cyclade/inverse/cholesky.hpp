// The symmetric sweep: A := A^-1 for a Hermitian positive definite A, in place on one triangle, half the
// work.
//
// Step with diagonal block K, D = A[K,K] = L L^H. With R the whole block row K of A, taken from the stored
// triangle (its mirrored part from block column K), and V = L^-1 R:
//   A[i,j] += V_i^H V_j   for i, j before K              A[K, before] = L^-H V      (GJE signs: at the end A
//   holds A^-1) A[i,j] -= V_i^H V_j   for i or j after K             A[after, K]  = -V^H L^-1,   A[K,K] =
//   L^-H L^-1
// No pivoting is needed: every Schur complement of a positive definite matrix is, and is bounded by diag(A).
//
// V is needed by rows and by columns: it travels along the process rows and the process columns as in
// gauss_jordan, after one exchange between the process row and the process column that own it. Reference:
// Bientinesi, Gunter, van de Geijn, ACM TOMS 35 (2008), in one sweep; docs/numerics.md.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/inverse/gauss_jordan.hpp"

namespace cyclade {

/// A := A^-1 on the triangle of `uplo`; the other is unspecified afterwards (see mirror_triangle) and never
/// influences the result. Collective over the grid. n^3/P flops (x4 complex), n^2 (1/p + 1/q) words a rank +
/// n b per step exchanged in all. Status not_positive_definite: zero_pivot + 1 is the order of the first
/// leading minor that is not positive.
template <Scalar T>
SweepResult cholesky_sweep(const Matrix<T>& a, Uplo uplo, const SweepOptions& options, Meter& meter);

/// A := its Cholesky factor: L with A = L L^H (lower), or U with A = U^H U (upper). The other triangle is
/// neither read nor written. The sweep without what it does before K. Returns -1, or the order - 1 of the
/// first leading minor that is not positive: then A is factored up to there. Collective over the grid; n^3/3P
/// flops (x4 complex). `width`: columns a step, 0 for the default. Throws MemoryError on all ranks.
template <Scalar T>
Index cholesky_factor(const Matrix<T>& a, Uplo uplo, Index width = 0);

/// From the factor that cholesky_factor leaves to the inverse, one triangle in place of the other's like: the
/// rest of the sweep. Returns -1, or the first k whose diagonal entry is zero: then A is as it was.
/// Collective; 2n^3/3P flops (x4 complex).
template <Scalar T>
Index cholesky_invert(const Matrix<T>& a, Uplo uplo, Index width = 0);

}  // namespace cyclade
