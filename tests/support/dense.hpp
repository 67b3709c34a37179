// The whole of a small distributed matrix on every rank, and plain arithmetic on it: the oracle's side of a
// test.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "cyclade/matrix/dealt.hpp"

namespace cyclade::test {

template <Scalar T>
struct Dense {
  Index rows = 0, cols = 0;
  std::vector<T> data;

  Dense() = default;
  Dense(Index m, Index n) : rows(m), cols(n), data(static_cast<std::size_t>(m * n), T(0)) {}
  T& operator()(Index i, Index j) { return data[static_cast<std::size_t>(i + j * rows)]; }
  const T& operator()(Index i, Index j) const { return data[static_cast<std::size_t>(i + j * rows)]; }
  MatrixView<T> view() { return {data.data(), rows, cols}; }
  bool operator==(const Dense&) const = default;
};

template <Scalar T, class F>
Dense<T> dense_of(Index m, Index n, F&& f) {
  Dense<T> a(m, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) a(i, j) = f(i, j);
  return a;
}

/// Of a Matrix or BlockRows. Collective: every entry from its owner.
template <Dealt M>
Dense<typename M::Element> gathered(const M& a) {
  using T = typename M::Element;
  Dense<T> whole(a.rows(), a.cols());
  const MatrixView<T> loc = a.local();
  for (Index j = 0; j < loc.cols; ++j)
    for (Index i = 0; i < loc.rows; ++i) whole(a.global_row(i), a.global_col(j)) = loc(i, j);
  everyone(a).all_reduce_sum(std::span<T>(whole.data));
  return whole;
}

template <Scalar T>
Dense<T> product(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.rows, b.cols);
  for (Index j = 0; j < b.cols; ++j)
    for (Index k = 0; k < a.cols; ++k)
      for (Index i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
  return c;
}

template <Scalar T>
double norm1(const Dense<T>& a) {
  double largest = 0;
  for (Index j = 0; j < a.cols; ++j) {
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// ||A B - I||_1
template <Scalar T>
double distance_from_identity(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c = product(a, b);
  for (Index i = 0; i < c.rows; ++i) c(i, i) -= T(1);
  return norm1(c);
}

/// ||A X - I||_1 / (n u ||A||_1 ||X||_1) and the same for X A: about 1 or less for a backward stable inverse.
template <Scalar T>
struct ScaledResiduals {
  double left, right;
};
template <Scalar T>
ScaledResiduals<T> scaled_residuals(const Dense<T>& a, const Dense<T>& x) {
  const double unit =
      static_cast<double>(a.rows) * static_cast<double>(unit_roundoff<T>) * norm1(a) * norm1(x);
  return {distance_from_identity(x, a) / unit, distance_from_identity(a, x) / unit};
}

}  // namespace cyclade::test
