// What to tell somebody whose matrix cannot be inverted well: how its rows are scaled, what scaling them
// would bring, which rows and columns nearly depend on each other, and how far a Hermitian matrix is from
// being positive definite. Each costs O(n^2).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "cyclade/matrix/dealt.hpp"

namespace cyclade {

/// r = |A| e: the sum of the moduli of every row, whole on every rank. Collective.
template <Dealt M>
std::vector<double> row_magnitudes(const M& a);

/// || |X| r ||_inf with r = |A| e: the condition number of Bauer and Skeel, which is what kappa_inf becomes
/// when the rows of A are scaled to equal size. Collective.
template <Dealt M>
double skeel_condition(const M& x, const std::vector<double>& r);

/// Rows and columns of A that take part in its nearest linear dependence, the strongest first, at most `most`
/// of each.
struct NearDependence {
  std::vector<Index> rows;
  std::vector<Index> cols;
};

/// Read off the (nearly singular) inverse: X is close to v u^H / sigma, so the row and the column of its
/// largest entry show u and v, with u^H A and A v nearly zero. Collective; 2n words.
template <Dealt M>
NearDependence near_dependence(const M& x, std::size_t most = 5);

/// A lower bound on the eigenvalues of a Hermitian matrix from its discs: min_i (a_ii - sum_{j != i} |a_ij|).
/// Collective.
template <Scalar T>
double gershgorin_bound(const Matrix<T>& a, const std::vector<double>& r);

/// An eigenvalue of a Hermitian matrix, near `value`: at most `error` away.
struct EigenvalueEstimate {
  double value = 0;
  double error = 0;
};

/// The smallest eigenvalue of a Hermitian matrix (both triangles stored), by `steps` steps of Lanczos with
/// full orthogonalisation: a matrix-vector product each. Collective; n*steps numbers of memory a rank.
template <Scalar T>
EigenvalueEstimate smallest_eigenvalue(const Matrix<T>& a, Index steps = 60, std::uint64_t seed = 1);

}  // namespace cyclade
