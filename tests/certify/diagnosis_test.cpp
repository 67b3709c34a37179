// The figures behind the advice: scaling, dependent rows, shifts that are enough.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/diagnosis.hpp"

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/matrix/symmetry.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

template <class T>
class Diagnosis : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Diagnosis, Scalars);

Layout awkward(Index n, const Grid& grid) { return {{n, 3, grid.p(), grid.p() - 1}, {n, 2, grid.q(), 0, 5}}; }

TYPED_TEST(Diagnosis, row_magnitudes_and_skeel_condition_are_their_definitions) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Index n = 14;
    Matrix<T> a(grid, awkward(n, grid), host), x(grid, awkward(n, grid), host);
    fill_entries(a, [](Index i, Index j) { return uniform<T>(1, i, j); });
    fill_entries(x, [](Index i, Index j) { return uniform<T>(2, i, j); });
    const auto whole = test::gathered(a), other = test::gathered(x);
    const auto r = row_magnitudes(a);
    double skeel = 0;
    for (Index i = 0; i < n; ++i) {
      double sum = 0, product = 0;
      for (Index j = 0; j < n; ++j) {
        sum += std::abs(whole(i, j));
        product += std::abs(other(i, j)) * r[static_cast<std::size_t>(j)];
      }
      EXPECT_NEAR(r[static_cast<std::size_t>(i)], sum, 1e-5);
      skeel = std::max(skeel, product);
    }
    EXPECT_NEAR(skeel_condition(x, r), skeel, 1e-4);
  });
}

TEST(DiagnosisOfRows, names_the_rows_that_nearly_coincide) {
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Index n = 20;
    Matrix<double> a(grid, awkward(n, grid), host);
    fill_entries(a, [](Index i, Index j) {
      return uniform<double>(3, i == 13 ? 4 : i, j) + (i == 13 && j == 2 ? 1e-16 : 0);
    });
    const Report report = invert(a);
    if (report.status == Status::singular) return;  // rounding may make it exact
    EXPECT_EQ(report.status, Status::numerically_singular);
    ASSERT_GE(report.dependence.rows.size(), 2U);
    EXPECT_EQ(std::min(report.dependence.rows[0], report.dependence.rows[1]), 4);
    EXPECT_EQ(std::max(report.dependence.rows[0], report.dependence.rows[1]), 13);
  });
}

TEST(DiagnosisOfScaling, sees_what_scaling_would_bring) {
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Index n = 12;
    Matrix<double> a(grid, awkward(n, grid), host);
    fill_entries(a, [&](Index i, Index j) {
      return std::pow(10.0, -static_cast<double>(i)) * (uniform<double>(4, i, j) + (i == j ? 4 : 0));
    });
    const auto magnitudes = row_magnitudes(a);
    const Report report = invert(a);
    EXPECT_GT(report.row_scale, 1e10);
    EXPECT_GT(report.cond1, 1e10);
    EXPECT_LT(skeel_condition(a, magnitudes), 1e3);
  });
}

TYPED_TEST(Diagnosis, the_shift_is_enough_and_the_eigenvalue_right) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    // (I - 2vv^H) D (I - 2vv^H) has the eigenvalues D: here -3, then 1 to n-1.
    const Index n = 30;
    std::vector<T> v(static_cast<std::size_t>(n));
    double squares = 0;
    for (Index i = 0; i < n; ++i) squares += std::norm(v[static_cast<std::size_t>(i)] = gaussian<T>(6, i, 0));
    for (T& x : v) x /= static_cast<Real<T>>(std::sqrt(squares));
    const auto d = [](Index i) { return static_cast<Real<T>>(i == 0 ? -3 : i); };
    T middle(0);
    for (Index k = 0; k < n; ++k)
      middle += conjugate(v[static_cast<std::size_t>(k)]) * d(k) * v[static_cast<std::size_t>(k)];
    const auto entry = [&](Index i, Index j) {
      const T vi = v[static_cast<std::size_t>(i)], vj = conjugate(v[static_cast<std::size_t>(j)]);
      return T(i == j ? d(i) : 0) - Real<T>(2) * vi * vj * (d(i) + d(j)) + Real<T>(4) * middle * vi * vj;
    };
    Matrix<T> a(grid, awkward(n, grid), host);
    fill_entries(a, entry);
    mirror_triangle(a, Uplo::lower, Symmetry::hermitian);
    const EigenvalueEstimate smallest = smallest_eigenvalue(a);
    EXPECT_NEAR(smallest.value, -3, smallest.error + 1e-4);
    EXPECT_LT(smallest.error, 0.1);
    const double gershgorin = gershgorin_bound(a, row_magnitudes(a));
    EXPECT_LE(gershgorin, -3 + 1e-4);
    for (const double shift : {smallest.error - smallest.value, -gershgorin}) {
      fill_entries(a, [&](Index i, Index j) {
        return entry(i, j) + T(i == j ? static_cast<Real<T>>(1.001 * shift) : 0);
      });
      EXPECT_NE(invert(a, {.structure = Structure::positive_definite}).status, Status::not_positive_definite)
          << shift;
    }
    fill_entries(a, entry);
    const Report report = invert(a, {.structure = Structure::positive_definite});
    EXPECT_EQ(report.status, Status::not_positive_definite);
    EXPECT_GE(report.sufficient_shift, 3 - 1e-4);
  });
}

}  // namespace
}  // namespace cyclade
