// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/device/reference.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace cyclade {
namespace {

template <Scalar T>
T entry(Op op, ConstMatrixView<T> a, Index i, Index j) {
  if (op == Op::none) return a(i, j);
  return op == Op::transpose ? a(j, i) : conjugate(a(j, i));
}

/// op(A)(i,j) of a triangular A: its unit diagonal and its empty half included.
template <Scalar T>
T triangle_entry(Uplo uplo, Op op, Diag diag, ConstMatrixView<T> a, Index i, Index j) {
  if (i == j) return diag == Diag::unit ? T(1) : entry(op, a, i, i);
  const bool below = op == Op::none ? i > j : i < j;  // of A's diagonal
  return below == (uplo == Uplo::lower) ? entry(op, a, i, j) : T(0);
}

/// op(A) is lower triangular.
bool lower_after(Uplo uplo, Op op) { return (uplo == Uplo::lower) == (op == Op::none); }

}  // namespace

template <Scalar T>
void ReferenceKernels<T>::gemm(Op op_a, Op op_b, T alpha, ConstView a, ConstView b, T beta, View c) const {
  const Index depth = op_a == Op::none ? a.cols : a.rows;
  for (Index j = 0; j < c.cols; ++j) {
    for (Index i = 0; i < c.rows; ++i) {
      T sum(0);
      for (Index k = 0; k < depth; ++k) sum += entry(op_a, a, i, k) * entry(op_b, b, k, j);
      c(i, j) = beta == T(0) ? alpha * sum : alpha * sum + beta * c(i, j);
    }
  }
}

template <Scalar T>
void ReferenceKernels<T>::trmm(Side side, Uplo uplo, Op op, Diag diag, T alpha, ConstView a, View b) const {
  const auto t = [&](Index i, Index j) { return triangle_entry<T>(uplo, op, diag, a, i, j); };
  const bool lower = lower_after(uplo, op);
  if (side ==
      Side::left) {  // rows of the result from the far end of the triangle, so B is read before it is written
    for (Index j = 0; j < b.cols; ++j) {
      for (Index s = 0; s < b.rows; ++s) {
        const Index i = lower ? b.rows - 1 - s : s;
        T sum(0);
        for (Index k = lower ? 0 : i; k < (lower ? i + 1 : b.rows); ++k) sum += t(i, k) * b(k, j);
        b(i, j) = alpha * sum;
      }
    }
  } else {
    for (Index i = 0; i < b.rows; ++i) {
      for (Index s = 0; s < b.cols; ++s) {
        const Index j = lower ? s : b.cols - 1 - s;
        T sum(0);
        for (Index k = lower ? j : 0; k < (lower ? b.cols : j + 1); ++k) sum += b(i, k) * t(k, j);
        b(i, j) = alpha * sum;
      }
    }
  }
}

template <Scalar T>
void ReferenceKernels<T>::trsm(Side side, Uplo uplo, Op op, Diag diag, T alpha, ConstView a, View b) const {
  const auto t = [&](Index i, Index j) { return triangle_entry<T>(uplo, op, diag, a, i, j); };
  const bool lower = lower_after(uplo, op);
  if (side == Side::left) {
    for (Index j = 0; j < b.cols; ++j) {
      for (Index s = 0; s < b.rows; ++s) {
        const Index i = lower ? s : b.rows - 1 - s;
        T sum = alpha * b(i, j);
        for (Index k = lower ? 0 : i + 1; k < (lower ? i : b.rows); ++k) sum -= t(i, k) * b(k, j);
        b(i, j) = sum / t(i, i);
      }
    }
  } else {
    for (Index i = 0; i < b.rows; ++i) {
      for (Index s = 0; s < b.cols; ++s) {
        const Index j = lower ? b.cols - 1 - s : s;
        T sum = alpha * b(i, j);
        for (Index k = lower ? j + 1 : 0; k < (lower ? b.cols : j); ++k) sum -= b(i, k) * t(k, j);
        b(i, j) = sum / t(j, j);
      }
    }
  }
}

template <Scalar T>
void ReferenceKernels<T>::herk(Uplo uplo, Real<T> alpha, ConstView v, Real<T> beta, View c) const {
  for (Index j = 0; j < c.cols; ++j) {
    for (Index i = 0; i < c.rows; ++i) {
      if (i != j && (i > j) != (uplo == Uplo::lower)) continue;
      T sum(0);
      for (Index k = 0; k < v.rows; ++k) sum += conjugate(v(k, i)) * v(k, j);
      c(i, j) = beta == 0 ? alpha * sum : alpha * sum + beta * c(i, j);
    }
    c(j, j) = std::real(c(j, j));
  }
}

template <Scalar T>
void ReferenceKernels<T>::invert_triangle(Uplo uplo, Diag diag, View a) const {
  // Column j of the inverse solves A x = e_j; it needs the columns on the far side of j only, still
  // untouched.
  const Index n = a.rows;
  const bool lower = uplo == Uplo::lower;
  for (Index s = 0; s < n; ++s) {
    const Index j = lower ? n - 1 - s : s;
    const T pivot = diag == Diag::unit ? T(1) : T(1) / a(j, j);
    // x_i = -(sum over k of inv(A)(i,k) a(k,j)) pivot, the inverse of the trailing (leading) triangle being
    // ready
    for (Index r = 0; r < (lower ? n - 1 - j : j); ++r) {
      const Index i = lower ? n - 1 - r : r;
      T sum(0);
      for (Index k = lower ? j + 1 : i; k < (lower ? i + 1 : j); ++k)
        sum += (k == i && diag == Diag::unit ? T(1) : a(i, k)) * a(k, j);
      a(i, j) = -sum * pivot;
    }
    if (diag == Diag::non_unit) a(j, j) = pivot;
  }
}

template <Scalar T>
Index ReferenceKernels<T>::cholesky(View a) const {
  for (Index j = 0; j < a.rows; ++j) {
    for (Index i = j; i < a.rows; ++i)
      for (Index k = 0; k < j; ++k) a(i, j) -= a(i, k) * conjugate(a(j, k));
    const Real<T> pivot = std::real(a(j, j));
    if (!(pivot > 0)) return j;
    a(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < a.rows; ++i) a(i, j) /= a(j, j);
  }
  return -1;
}

/// Gauss-Jordan: column k becomes a column of the inverse of P A, whose columns P then puts in order.
template <Scalar T>
BlockInversion<T> ReferenceKernels<T>::invert(View a, std::span<T> pivots) const {
  const Index n = a.rows;
  BlockInversion<T> result;
  std::vector<Index> exchanged(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) {
    const Candidate<T> best = update_and_search(a.sub(k, n, k, k + 1), 0, nullptr);
    if (best.magnitude == 0) {
      result.zero_pivot = k;
      return result;
    }
    const Index row = exchanged[static_cast<std::size_t>(k)] = k + best.row;
    if (row != k) result.parity = -result.parity;
    for (Index j = 0; j < n && row != k; ++j) std::swap(a(k, j), a(row, j));
    result.largest = std::max(result.largest, max_abs1(a.sub(k, k + 1, k, n)));
    const T pivot = pivots[static_cast<std::size_t>(k)] = a(k, k);
    a(k, k) = T(1);
    for (Index j = 0; j < n; ++j) a(k, j) /= pivot;
    for (Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const T factor = std::exchange(a(i, k), T(0));
      for (Index j = 0; j < n; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  for (Index k = n - 1; k >= 0; --k)
    for (Index i = 0, col = exchanged[static_cast<std::size_t>(k)]; i < n && col != k; ++i)
      std::swap(a(i, k), a(i, col));
  return result;
}

template <Scalar T>
Candidate<T> ReferenceKernels<T>::update_and_search(View panel, Index c, const T* u) const {
  Candidate<T> best;
  for (Index i = 0; i < panel.rows; ++i) {
    for (Index k = 0; k < c; ++k) panel(i, c) -= panel(i, k) * u[k];
    Real<T> magnitude = abs1(panel(i, c));
    if (std::isnan(magnitude)) magnitude = std::numeric_limits<Real<T>>::infinity();
    if (magnitude > best.magnitude) best = {magnitude, i};
  }
  return best;
}

template <Scalar T>
void ReferenceKernels<T>::divide(View x, T pivot) const {
  for (Index j = 0; j < x.cols; ++j)
    for (Index i = 0; i < x.rows; ++i) x(i, j) /= pivot;
}

template <Scalar T>
void ReferenceKernels<T>::copy(ConstView from, View to) const {
  for (Index j = 0; j < to.cols; ++j)
    for (Index i = 0; i < to.rows; ++i) to(i, j) = from(i, j);
}

template <Scalar T>
void ReferenceKernels<T>::transpose(Op op, ConstView from, View to) const {
  for (Index j = 0; j < to.cols; ++j)
    for (Index i = 0; i < to.rows; ++i) to(i, j) = op == Op::conjugate ? conjugate(from(j, i)) : from(j, i);
}

template <Scalar T>
void ReferenceKernels<T>::fill(View a, T value) const {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) = value;
}

template <Scalar T>
void ReferenceKernels<T>::set_identity(View a) const {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) = T(i == j ? 1 : 0);
}

template <Scalar T>
void ReferenceKernels<T>::gather_rows(ConstView from, std::span<const Index> rows, View to) const {
  for (Index j = 0; j < to.cols; ++j)
    for (Index i = 0; i < to.rows; ++i) to(i, j) = from(rows[static_cast<std::size_t>(i)], j);
}

template <Scalar T>
void ReferenceKernels<T>::scatter_rows(ConstView from, std::span<const Index> rows, View to) const {
  for (Index j = 0; j < from.cols; ++j)
    for (Index i = 0; i < from.rows; ++i) to(rows[static_cast<std::size_t>(i)], j) = from(i, j);
}

template <Scalar T>
void ReferenceKernels<T>::take_rows(View from, std::span<const Index> rows, View to) const {
  for (Index j = 0; j < to.cols; ++j)
    for (Index i = 0; i < to.rows; ++i)
      to(i, j) = std::exchange(from(rows[static_cast<std::size_t>(i)], j), T(0));
}

template <Scalar T>
void ReferenceKernels<T>::gather_columns(ConstView from, std::span<const Index> cols, View to) const {
  for (Index j = 0; j < to.cols; ++j)
    for (Index i = 0; i < to.rows; ++i) to(i, j) = from(i, cols[static_cast<std::size_t>(j)]);
}

template <Scalar T>
void ReferenceKernels<T>::scatter_columns(ConstView from, std::span<const Index> cols, View to) const {
  for (Index j = 0; j < from.cols; ++j)
    for (Index i = 0; i < from.rows; ++i) to(i, cols[static_cast<std::size_t>(j)]) = from(i, j);
}

template <Scalar T>
void ReferenceKernels<T>::scale(T alpha, View a) const {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) a(i, j) *= alpha;
}

template <Scalar T>
void ReferenceKernels<T>::subtract(ConstView a, View b) const {
  for (Index j = 0; j < b.cols; ++j)
    for (Index i = 0; i < b.rows; ++i) b(i, j) -= a(i, j);
}

template <Scalar T>
Real<T> ReferenceKernels<T>::max_abs1(ConstView a) const {
  Real<T> largest = 0;
  for (Index j = 0; j < a.cols; ++j) {
    for (Index i = 0; i < a.rows; ++i) {
      const Real<T> magnitude = abs1(a(i, j));
      if (std::isnan(magnitude)) return std::numeric_limits<Real<T>>::infinity();
      largest = std::max(largest, magnitude);
    }
  }
  return largest;
}

template <Scalar T>
Real<T> ReferenceKernels<T>::column_sums(ConstView a, std::span<double> sums) const {
  for (Index j = 0; j < a.cols; ++j) {
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i) sum += static_cast<double>(std::abs(a(i, j)));
    sums[static_cast<std::size_t>(j)] = sum;
  }
  return max_abs1(a);
}

template <Scalar T>
void ReferenceKernels<T>::absolute_product(ConstView a, std::span<const double> x,
                                           std::span<double> y) const {
  for (Index i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (Index j = 0; j < a.cols; ++j)
      sum += static_cast<double>(std::abs(a(i, j))) * x[static_cast<std::size_t>(j)];
    y[static_cast<std::size_t>(i)] = sum;
  }
}

template <Scalar T>
void ReferenceKernels<T>::column_squares(ConstView a, std::span<double> sums) const {
  for (Index j = 0; j < a.cols; ++j) {
    double sum = 0;
    for (Index i = 0; i < a.rows; ++i) sum += std::pow(static_cast<double>(std::abs(a(i, j))), 2);
    sums[static_cast<std::size_t>(j)] = sum;
  }
}

template <Scalar T>
Index ReferenceKernels<T>::first_non_finite(ConstView a) const {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i)
      if (!is_finite(a(i, j))) return i + j * a.rows;
  return -1;
}

#define CYCLADE_KERNELS(T) template class ReferenceKernels<T>;
CYCLADE_FOR_EACH_SCALAR(CYCLADE_KERNELS)

}  // namespace cyclade
