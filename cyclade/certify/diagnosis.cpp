// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cyclade/base/random.hpp"

namespace cyclade {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// y = |A| x, both whole on every rank.
template <Dealt M>
std::vector<double> absolute_times(const M& a, const std::vector<double>& x) {
  const auto loc = a.local();
  std::vector<double> x_loc(at(loc.cols)), y_loc(at(loc.rows)), y(at(a.rows()), 0.0);
  for (Index j = 0; j < loc.cols; ++j) x_loc[at(j)] = x[at(a.global_col(j))];
  a.kernels().absolute_product(loc, x_loc, y_loc);
  for (Index i = 0; i < loc.rows; ++i) y[at(a.global_row(i))] = y_loc[at(i)];
  everyone(a).all_reduce_sum(std::span(y));
  return y;
}

/// Positions of the largest entries that are at least a tenth of the largest, in falling order.
std::vector<Index> strongest(const std::vector<double>& x, std::size_t most) {
  std::vector<Index> order(x.size());
  std::iota(order.begin(), order.end(), Index{0});
  const std::size_t kept = std::min(most, x.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(kept), [&](Index i, Index j) {
    return x[at(i)] != x[at(j)] ? x[at(i)] > x[at(j)] : i < j;
  });
  order.resize(kept);
  while (!order.empty() && !(x[at(order.back())] >= 0.1 * x[at(order.front())])) order.pop_back();
  return order;
}

/// y = A x, both whole on every rank.
template <Scalar T>
std::vector<T> times(const Matrix<T>& a, const std::vector<T>& x) {
  const MatrixView<T> loc = a.local();
  std::vector<T> x_loc(at(loc.cols)), y_loc(at(loc.rows)), y(at(a.rows()), T(0));
  for (Index j = 0; j < loc.cols; ++j) x_loc[at(j)] = x[at(a.global_col(j))];
  a.kernels().gemm(Op::none, Op::none, T(1), loc, {x_loc.data(), loc.cols, 1}, T(0),
                   {y_loc.data(), loc.rows, 1});
  a.device().synchronise();
  for (Index i = 0; i < loc.rows; ++i) y[at(a.global_row(i))] = y_loc[at(i)];
  a.grid().all().all_reduce_sum(std::span(y));
  return y;
}

template <Scalar T>
T dot(const std::vector<T>& x, const std::vector<T>& y) {
  T sum(0);
  for (std::size_t i = 0; i < x.size(); ++i) sum += conjugate(x[i]) * y[i];
  return sum;
}

/// A symmetric tridiagonal matrix: diagonal alpha, beside it beta.
struct Tridiagonal {
  std::vector<double> alpha, beta;

  /// Eigenvalues below x, by Sturm's count.
  std::size_t below(double x) const {
    std::size_t count = 0;
    double d = 1;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      d = alpha[i] - x - (i > 0 ? beta[i - 1] * beta[i - 1] / d : 0);
      if (d == 0) d = std::numeric_limits<double>::min();
      count += d < 0;
    }
    return count;
  }
  double smallest() const {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      const double radius = (i > 0 ? std::abs(beta[i - 1]) : 0) + (i < beta.size() ? std::abs(beta[i]) : 0);
      low = i == 0 ? alpha[i] - radius : std::min(low, alpha[i] - radius);
      high = i == 0 ? alpha[i] + radius : std::max(high, alpha[i] + radius);
    }
    for (int halving = 0; halving < 200 && low < high; ++halving) {
      const double middle = low + (high - low) / 2;
      if (middle == low || middle == high) break;
      (below(middle) > 0 ? high : low) = middle;
    }
    return low + (high - low) / 2;
  }
  /// |last component| of the unit eigenvector of theta, by the three-term recurrence.
  double last_component(double theta) const {
    double previous = 0, current = 1, squares = 1;
    for (std::size_t i = 0; i + 1 < alpha.size(); ++i) {
      const double next = ((theta - alpha[i]) * current - (i > 0 ? beta[i - 1] * previous : 0)) / beta[i];
      previous = current;
      current = next;
      squares += current * current;
    }
    return std::abs(current) / std::sqrt(squares);
  }
};

}  // namespace

template <Dealt M>
std::vector<double> row_magnitudes(const M& a) {
  return absolute_times(a, std::vector<double>(at(a.cols()), 1.0));
}

template <Dealt M>
double skeel_condition(const M& x, const std::vector<double>& r) {
  double largest = 0;
  for (const double y : absolute_times(x, r))
    largest = std::isnan(y) ? std::numeric_limits<double>::infinity() : std::max(largest, y);
  return largest;
}

template <Dealt M>
NearDependence near_dependence(const M& x, std::size_t most) {
  const auto loc = x.local();
  const Communicator& all = everyone(x);
  // The largest entry, and of equals the first by columns
  double largest = 0;
  Index row = -1, col = -1;
  for (Index j = 0; j < loc.cols; ++j) {
    for (Index i = 0; i < loc.rows; ++i) {
      const auto size = static_cast<double>(abs1(loc(i, j)));
      if (!(size > largest) || !std::isfinite(size)) continue;
      largest = size;
      row = x.global_row(i);
      col = x.global_col(j);
    }
  }
  const double most_of_all = all.max(largest);
  if (most_of_all == 0) return {};
  const int owner = all.min(largest == most_of_all ? all.rank() : all.size());
  Index place[2] = {row, col};
  all.broadcast(std::span<Index>(place), owner);
  // Its row shows u (rows of A), its column v (columns of A).
  std::vector<double> u(at(x.cols()), 0.0), v(at(x.rows()), 0.0);
  for (Index j = 0; j < loc.cols; ++j) {
    for (Index i = 0; i < loc.rows; ++i) {
      if (x.global_row(i) == place[0]) u[at(x.global_col(j))] = static_cast<double>(abs1(loc(i, j)));
      if (x.global_col(j) == place[1]) v[at(x.global_row(i))] = static_cast<double>(abs1(loc(i, j)));
    }
  }
  all.all_reduce_max(std::span(u));
  all.all_reduce_max(std::span(v));
  return {strongest(u, most), strongest(v, most)};
}

template <Scalar T>
double gershgorin_bound(const Matrix<T>& a, const std::vector<double>& r) {
  double bound = std::numeric_limits<double>::infinity();
  const Axis& rows = a.layout().rows;
  for (Index j = 0; j < a.local().cols; ++j) {
    const Index i = a.global_col(j);
    if (rows.owner(i) != a.grid().my_row()) continue;
    const T entry = a.local()(rows.to_local(i), j);
    bound = std::min(
        bound, static_cast<double>(std::real(entry)) - (r[at(i)] - static_cast<double>(std::abs(entry))));
  }
  return a.grid().all().min(bound);
}

template <Scalar T>
EigenvalueEstimate smallest_eigenvalue(const Matrix<T>& a, Index steps, std::uint64_t seed) {
  const Index n = a.rows();
  if (n == 0) return {};
  std::vector<std::vector<T>> basis;
  std::vector<T> v(at(n));
  for (Index i = 0; i < n; ++i) v[at(i)] = gaussian<T>(seed, i, -11);
  Tridiagonal t;
  double beta = std::sqrt(std::abs(static_cast<double>(std::real(dot(v, v))))), scale = 0;
  for (Index k = 0; k < std::min(steps, n); ++k) {
    for (T& x : v) x /= static_cast<Real<T>>(beta);
    basis.push_back(v);
    v = times(a, basis.back());
    const double alpha = static_cast<double>(std::real(dot(basis.back(), v)));
    t.alpha.push_back(alpha);
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough
      for (const auto& b : basis) {
        const T c = dot(b, v);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] -= c * b[i];
      }
    }
    beta = std::sqrt(std::abs(static_cast<double>(std::real(dot(v, v)))));
    scale = std::max({scale, std::abs(alpha), beta});
    if (beta <=
        100 * static_cast<double>(unit_roundoff<T>) * scale) {  // an invariant subspace: the value is exact
      beta = 0;
      break;
    }
    if (k + 1 < std::min(steps, n)) t.beta.push_back(beta);
  }
  const double theta = t.smallest();
  const double rounding = static_cast<double>(n) * static_cast<double>(unit_roundoff<T>) * scale;
  return {theta, beta * t.last_component(theta) + rounding};
}

#define CYCLADE_DIAGNOSIS(T)                                                         \
  template std::vector<double> row_magnitudes(const Matrix<T>&);                     \
  template std::vector<double> row_magnitudes(const BlockRows<T>&);                  \
  template double skeel_condition(const Matrix<T>&, const std::vector<double>&);     \
  template double skeel_condition(const BlockRows<T>&, const std::vector<double>&);  \
  template NearDependence near_dependence(const Matrix<T>&, std::size_t);            \
  template NearDependence near_dependence(const BlockRows<T>&, std::size_t);         \
  template double gershgorin_bound<T>(const Matrix<T>&, const std::vector<double>&); \
  template EigenvalueEstimate smallest_eigenvalue<T>(const Matrix<T>&, Index, std::uint64_t);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_DIAGNOSIS)

}  // namespace cyclade
