// Gauss-Jordan on every grid, against closed forms, exact integers and plain residuals.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/gauss_jordan.hpp"

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/device/reference.hpp"
#include "cyclade/inverse/invert.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

using test::Dense;
using test::for_each_grid;

template <class T>
class GaussJordan : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GaussJordan, Scalars);

Layout awkward(Index n, const Grid& grid, Index mb, Index nb) {
  return {{n, mb, grid.p(), grid.p() - 1, mb + 2}, {n, nb, grid.q(), grid.q() / 2, 1}};
}

TYPED_TEST(GaussJordan, random_matrices_of_all_small_sizes_have_small_residuals) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const Index n : {1, 2, 3, 7, 8, 9, 17, 40}) {
      for (const auto& [mb, nb] : {std::pair<Index, Index>{1, 1}, {3, 2}, {8, 8}, {5, 64}}) {
        Matrix<T> a(grid, awkward(n, grid, mb, nb), host);
        const auto entry = [](Index i, Index j) { return uniform<T>(7, i, j); };
        fill_entries(a, entry);
        const Report report = invert(a, {.panel_width = 4});
        EXPECT_EQ(report.status, Status::ok) << n << " " << mb << " " << nb;
        const Dense<T> whole = test::dense_of<T>(n, n, entry);
        const auto residual = test::scaled_residuals(whole, test::gathered(a));
        EXPECT_LE(residual.left, 10 * report.growth) << n << " " << mb << " " << nb;
        EXPECT_LE(residual.right, 30 * report.growth) << n << " " << mb << " " << nb;
      }
    }
  });
}

TYPED_TEST(GaussJordan, wide_panels_recurse) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 150;
    Matrix<T> a(grid, awkward(n, grid, 16, 75), host);
    const auto entry = [](Index i, Index j) { return uniform<T>(3, i, j); };
    fill_entries(a, entry);
    const Report report = invert(a, {.panel_width = 70});
    EXPECT_EQ(report.status, Status::ok);
    const auto residual = test::scaled_residuals(test::dense_of<T>(n, n, entry), test::gathered(a));
    EXPECT_LE(residual.left, 10);
    EXPECT_LE(residual.right, 30);
  });
}

TYPED_TEST(GaussJordan, permutations_are_inverted_bitwise_and_minij_exactly) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const Index n : {1, 3, 12, 29}) {
      Matrix<T> a(grid, awkward(n, grid, 3, 4), host);
      const auto target = [&](Index i) {
        return (i * 5 + 2) % n;
      };  // a bijection: 5 divides none of the sizes
      fill_entries(a, [&](Index i, Index j) { return T(j == target(i) ? 1 : 0); });
      const Report report = invert(a);
      EXPECT_EQ(report.status, Status::ok);
      EXPECT_EQ(test::gathered(a),
                test::dense_of<T>(n, n, [&](Index i, Index j) { return T(i == target(j) ? 1 : 0); }));

      fill_entries(a, [](Index i, Index j) { return T(static_cast<Real<T>>(std::min(i, j) + 1)); });
      invert(a);
      EXPECT_EQ(test::gathered(a), test::dense_of<T>(n, n, [&](Index i, Index j) {
                  if (i == j) return T(i + 1 == n ? 1 : 2);
                  return T(std::abs(i - j) == 1 ? -1 : 0);
                }));
    }
  });
}

TEST(GaussJordanWords, are_those_of_the_formula) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const auto& [mb, nb] : {std::pair<Index, Index>{4, 4}, {3, 5}, {7, 2}}) {
      for (const Index n : {24, 31}) {
        Matrix<double> a(grid, awkward(n, grid, mb, nb), host);
        fill_entries(a, [](Index i, Index j) { return uniform<double>(5, i, j); });
        Meter meter(grid.traffic());
        gauss_jordan(a, {}, meter);
        const Index m_loc = a.local().rows, n_loc = a.local().cols;
        Index lower_order = 0;
        for (Index j = 0, end = 0; j < n; j = end) {
          end = a.layout().cols.block_end(j);
          const Index b = end - j;
          if (a.layout().cols.owner(j) != grid.my_col()) lower_order += b * b + b + b + 2;
        }
        EXPECT_EQ(meter.use("exchange").traffic.words_received,
                  m_loc * (n - n_loc) + n_loc * (n - m_loc) + lower_order);
        EXPECT_LE(meter.use("permutation").traffic.words_received, 2 * m_loc * n_loc);
      }
    }
  });
}

TEST(GaussJordanStatus, is_singular_with_the_first_zero_pivot) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    Matrix<double> a(grid, square_layout(9, 4, grid.p(), grid.q()), host);
    fill_entries(a, [](Index i, Index j) { return i == j && i < 8 ? 1.0 : 0.0; });
    const Report report = invert(a);
    EXPECT_EQ(report.status, Status::singular);
    EXPECT_EQ(report.zero_pivot, 8);
    EXPECT_EQ(report.log_determinant.log_abs(), -std::numeric_limits<double>::infinity());
  });
}

}  // namespace
}  // namespace cyclade
