// A square matrix and its own conjugate transpose, on a grid: fill one triangle from the other, compare them,
// average them. All go slab by slab: the mirror image of a slab of rows is brought beside it by redistribute.
//
//   upper part of rows [r0,r1):  A[r0:r1, r0:n]   <-- mirror image of -->   A[r0:n, r0:r1]
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>

#include "cyclade/matrix/block_rows.hpp"
#include "cyclade/matrix/redistribute.hpp"

namespace cyclade {

/// Which mirror image is meant.
enum class Symmetry {
  symmetric,  ///< a_ij = a_ji
  hermitian,  ///< a_ij = conj(a_ji), the diagonal real
  skew,       ///< a_ij = -a_ji, the diagonal zero
};

/// Fills the other triangle from that of `from`; the other is never read. The diagonal
/// becomes what the symmetry asks for: real if Hermitian, zero if skew.
/// Collective over the grid; n^2/2P words a rank, temporary memory within
/// `budget_bytes`.
template <Scalar T>
void mirror_triangle(const Matrix<T>& a, Uplo from, Symmetry symmetry,
                     Index budget_bytes = redistribute_budget);

/// A := (A + mirror image) / 2, exactly of the symmetry afterwards. Collective; n^2/P words a rank.
template <Scalar T>
void symmetrise(const Matrix<T>& a, Symmetry symmetry, Index budget_bytes = redistribute_budget);

/// The first (i,j), by rows, i <= j, with |a_ij - mirror image| > tolerance (|re| + |im|). Collective; n^2/2P
/// words a rank.
template <Scalar T>
std::optional<std::pair<Index, Index>> first_asymmetry(const Matrix<T>& a, Symmetry symmetry,
                                                       double tolerance,
                                                       Index budget_bytes = redistribute_budget);

/// max_ij |a_ij - mirror image| (|re| + |im|); Hermitian: the imaginary parts of the diagonal count twice.
/// Collective; n^2/2P words a rank.
template <Scalar T>
double largest_asymmetry(const Matrix<T>& a, Symmetry symmetry, Index budget_bytes = redistribute_budget);
/// The same of row slabs. Every pair of ranks compares the block that they share and its mirror image.
template <Scalar T>
double largest_asymmetry(const BlockRows<T>& a, Symmetry symmetry, Index budget_bytes = redistribute_budget);

/// The first i whose a_ii has an imaginary part that rounding does not explain (more than 100 u of the real
/// part). Collective.
template <Scalar T>
std::optional<Index> first_imaginary_diagonal(const Matrix<T>& a);

}  // namespace cyclade
