// Norms of distributed matrices against plain loops; the first entry that is not a number.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/norm.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

template <class T>
class Norm : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Norm, Scalars);

TYPED_TEST(Norm, norm1_is_the_largest_column_sum) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    for (const Index n : {0, 1, 2, 7, 20}) {
      const Matrix<T> a(grid, {{n, 3, grid.p(), grid.p() - 1}, {n, 2, grid.q(), 0, 5}}, host);
      fill_entries(a, [](Index i, Index j) { return uniform<T>(1, i, j); });
      const auto whole = test::gathered(a);
      EXPECT_NEAR(norm1(a), test::norm1(whole), 1e-6 * test::norm1(whole));
      double largest = 0;
      for (const T& x : whole.data) largest = std::max(largest, static_cast<double>(abs1(x)));
      EXPECT_EQ(size_of(a).largest, largest);
      EXPECT_EQ(size_of(a).norm1, norm1(a));
      EXPECT_EQ(first_non_finite(a), std::nullopt);
    }
  });
}

TYPED_TEST(Norm, the_first_bad_entry_is_the_first_by_columns) {
  using T = TypeParam;
  using R = Real<T>;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Index n = 11;
    const Matrix<T> a(grid, square_layout(n, 2, grid.p(), grid.q()), host);
    for (const R bad : {std::numeric_limits<R>::quiet_NaN(), -std::numeric_limits<R>::infinity()}) {
      fill_entries(a, [&](Index i, Index j) {
        return (i == 9 && j == 4) || (i == 3 && j == 6) || (i == 0 && j == 10) ? T(bad) : T(1);
      });
      EXPECT_EQ(first_non_finite(a), std::pair(Index{9}, Index{4}));
      EXPECT_EQ(norm1(a), std::numeric_limits<double>::infinity());
    }
  });
}

}  // namespace
}  // namespace cyclade
