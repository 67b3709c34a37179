// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/norm.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace cyclade {

template <Dealt M>
MatrixSize size_of(const M& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.local().cols));
  const auto largest = a.kernels().column_sums(a.local(), sums);
  sum_over_column_parts(a, std::span(sums));
  std::vector<double> most{0, static_cast<double>(largest)};
  for (const double sum : sums)
    most[0] = std::max(most[0], std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum);
  everyone(a).all_reduce_max(std::span(most));
  return {most[0], most[1]};
}

template <Dealt M>
double norm1(const M& a) {
  return size_of(a).norm1;
}

template <Dealt M>
std::optional<std::pair<Index, Index>> first_non_finite(const M& a) {
  const Index none = std::numeric_limits<Index>::max();
  const Index local = a.kernels().first_non_finite(a.local());
  const Index rows = a.local().rows;
  // Two reductions, so that no product of sizes can overflow: the first column, then its first row.
  const Index my_col = local < 0 ? none : a.global_col(local / rows);
  const Index col = everyone(a).min(my_col);
  if (col == none) return std::nullopt;
  const Index my_row = my_col == col ? a.global_row(local % rows) : none;
  return std::pair(everyone(a).min(my_row), col);
}

#define CYCLADE_NORM(T)                                                               \
  template MatrixSize size_of(const Matrix<T>&);                                      \
  template MatrixSize size_of(const BlockRows<T>&);                                   \
  template double norm1(const Matrix<T>&);                                            \
  template double norm1(const BlockRows<T>&);                                         \
  template std::optional<std::pair<Index, Index>> first_non_finite(const Matrix<T>&); \
  template std::optional<std::pair<Index, Index>> first_non_finite(const BlockRows<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_NORM)

}  // namespace cyclade
