// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/preflight.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "cyclade/certify/diagnosis.hpp"
#include "cyclade/matrix/symmetry.hpp"

namespace cyclade {

template <Dealt M>
Preflight preflight(const M& a) {
  const auto loc = a.local();
  const std::vector<double> row_sums = row_magnitudes(a);
  std::vector<double> column_sums(static_cast<std::size_t>(loc.cols));
  a.kernels().column_sums(loc, column_sums);
  sum_over_column_parts(a, std::span(column_sums));
  std::array<double, 2> margins;
  margins.fill(std::numeric_limits<double>::infinity());
  for (Index j = 0; j < loc.cols; ++j) {
    const Index i = a.global_col(j), i_loc = local_row(a, i);
    if (i_loc < 0) continue;
    const auto diagonal = static_cast<double>(std::abs(loc(i_loc, j)));
    margins[0] = std::min(margins[0], 2 * diagonal - row_sums[static_cast<std::size_t>(i)]);
    margins[1] = std::min(margins[1], 2 * diagonal - column_sums[static_cast<std::size_t>(j)]);
  }
  everyone(a).all_reduce_min(std::span<double>(margins));
  const Index share = a.rows() * a.rows() / everyone(a).size() * static_cast<Index>(sizeof(loc(0, 0)));
  // Slabs with padded columns must stay below the scratch of the recursion, a quarter of the matrix
  const double asymmetry = largest_asymmetry(a, Symmetry::hermitian, std::max<Index>(share / 8, 16384));
  return {margins[0], margins[1], asymmetry};
}

#define CYCLADE_PREFLIGHT(T)                      \
  template Preflight preflight(const Matrix<T>&); \
  template Preflight preflight(const BlockRows<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_PREFLIGHT)

}  // namespace cyclade
