// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/norm.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace cyclade {

template <Scalar T>
MatrixSize size_of(const Matrix<T>& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.local().cols));
  const Real<T> largest = a.kernels().column_sums(a.local(), sums);
  a.grid().column().all_reduce_sum(std::span(sums));
  std::vector<double> most{0, static_cast<double>(largest)};
  for (const double sum : sums)
    most[0] = std::max(most[0], std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum);
  a.grid().all().all_reduce_max(std::span(most));
  return {most[0], most[1]};
}

template <Scalar T>
double norm1(const Matrix<T>& a) {
  return size_of(a).norm1;
}

template <Scalar T>
std::optional<std::pair<Index, Index>> first_non_finite(const Matrix<T>& a) {
  const Index none = std::numeric_limits<Index>::max();
  const Index local = a.kernels().first_non_finite(a.local());
  const Index rows = a.local().rows;
  // Two reductions, so that no product of sizes can overflow: the first column, then its first row.
  const Index my_col = local < 0 ? none : a.global_col(local / rows);
  const Index col = a.grid().all().min(my_col);
  if (col == none) return std::nullopt;
  const Index my_row = my_col == col ? a.global_row(local % rows) : none;
  return std::pair(a.grid().all().min(my_row), col);
}

#define CYCLADE_NORM(T)                             \
  template MatrixSize size_of<T>(const Matrix<T>&); \
  template double norm1<T>(const Matrix<T>&);       \
  template std::optional<std::pair<Index, Index>> first_non_finite<T>(const Matrix<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_NORM)

}  // namespace cyclade
