// The certificate: it passes right inverses, refuses wrong ones with the promised probability, and the
// verdict is the one that docs/numerics.md prints.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/certificate.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/inverse/invert.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

template <class T>
class Certify : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Certify, Scalars);

/// ||E||_F and, for a matrix of rank one, also ||E||_2.
template <Scalar T>
double frobenius(const test::Dense<T>& e) {
  double sum = 0;
  for (const T& x : e.data) sum += std::norm(x);
  return std::sqrt(sum);
}

TYPED_TEST(Certify, the_bound_is_not_below_the_true_residual) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Index n = 23;
    const Layout layout{{n, 4, grid.p(), grid.p() - 1}, {n, 3, grid.q(), 0, 1}};
    Matrix<T> a(grid, layout, host), x(grid, layout, host);
    const auto entry = [](Index i, Index j) { return uniform<T>(9, i, j); };
    fill_entries(a, entry);
    fill_entries(x, entry);
    ASSERT_EQ(invert(x).status, Status::ok);
    // One entry of X off by delta: then XA - I gains delta e_i a_j^T, of rank one and known norm.
    const auto delta = static_cast<Real<T>>(0.01);
    fill_entries(a, entry);
    const auto loc = x.local();
    for (Index j = 0; j < loc.cols; ++j)
      for (Index i = 0; i < loc.rows; ++i)
        if (x.global_row(i) == 5 && x.global_col(j) == 7) loc(i, j) += delta;
    double row = 0, col = 0;
    for (Index k = 0; k < n; ++k) row += std::norm(entry(7, k)), col += std::norm(entry(k, 5));
    const double left = delta * std::sqrt(row), right = delta * std::sqrt(col);
    int wrong = 0;
    const int seeds = 200;
    for (int seed = 0; seed < seeds; ++seed) {
      const auto sketch = take_sketch(a, certificate_vectors<T>, static_cast<std::uint64_t>(seed));
      const Certificate c = certify(sketch, x, 100, 1);
      wrong += c.left < left || c.right < right;
      EXPECT_LT(c.left, 80 * left);  // nor is it absurdly far above
      EXPECT_GT(c.confidence, 1 - 1e-9);
    }
    EXPECT_EQ(wrong, 0);
  });
}

TEST(CertifyStatistics, one_vector_fails_as_often_as_the_theory_says) {
  // With k = 1 and a residual of rank one, |e| = sigma |g| with g standard normal: Pr(alpha |g| < 1) at alpha
  // = 10.
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  if (!grid.inside()) return;
  const Index n = 6;
  Matrix<double> a(grid, square_layout(n, 2, 1, 1), host), x(grid, square_layout(n, 2, 1, 1), host);
  fill_entries(a, [](Index i, Index j) { return i == j ? 1.0 : 0.0; });
  fill_entries(
      x, [](Index i, Index j) { return i == j ? (i == 2 ? 1.5 : 1.0) : 0.0; });  // XA - I = 0.5 e_2 e_2^T
  int below = 0;
  const int seeds = 10000;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto sketch = take_sketch(a, 1, static_cast<std::uint64_t>(seed));
    below += certificate_alpha * sketch_residual(sketch, x).left < 0.5;
  }
  const double bound = std::sqrt(2 / 3.14159265358979) / certificate_alpha;  // 0.0798
  EXPECT_LE(below, bound * seeds);
  EXPECT_GE(below, 0.9 * bound * seeds);  // the bound is nearly attained: the test can fail
}

TYPED_TEST(Certify, verify_accepts_the_inverse_and_refuses_everything_else) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Index n = 17;
    const Layout layout = square_layout(n, 3, grid.p(), grid.q());
    const auto entry = [](Index i, Index j) { return uniform<T>(4, i, j) + T(i == j ? 3 : 0); };
    Matrix<T> a(grid, layout, host), x(grid, layout, host), wrong(grid, layout, host);
    fill_entries(a, entry);
    fill_entries(x, entry);
    const Report report = invert(x);
    ASSERT_EQ(report.status, Status::ok);
    const Report checked = verify(a, x);
    EXPECT_EQ(checked.status, Status::ok);
    EXPECT_EQ(checked.certificate.digits, report.certificate.digits);
    EXPECT_EQ(verify(a, a).status, Status::certificate_failed);
    fill_entries(wrong, [](Index, Index) { return T(0); });
    EXPECT_EQ(verify(a, wrong).status, Status::certificate_failed);
    const auto inverse = test::gathered(x);
    fill_entries(wrong, [&](Index i, Index j) { return inverse(j, i); });
    EXPECT_EQ(verify(a, wrong).status, Status::certificate_failed);
    fill_entries(wrong, [&](Index i, Index j) {
      return inverse(i, j) + T(i == 3 && j == 8 ? static_cast<Real<T>>(1e-2) : 0);
    });
    EXPECT_EQ(verify(a, wrong).status, Status::certificate_failed);
  });
}

TEST(Decide, follows_the_table) {
  const double u = unit_roundoff<double>;
  const auto verdict = [](double left, double right, double tolerance, Index n, double cond, double growth) {
    Certificate c;
    c.taken = true;
    c.left = left;
    c.right = right;
    c.tolerance = tolerance;
    return decide<double>(c, n, cond, growth);
  };
  EXPECT_EQ(verdict(1e-10, 1e-10, 1e-9, 10, 1e3, 1), Status::ok);
  EXPECT_EQ(verdict(0.4, 3, 5, 10, 1e3, 1), Status::ok);                    // one side below 1/2 suffices
  EXPECT_EQ(verdict(0.6, 0.6, 5, 10, 1e3, 1), Status::certificate_failed);  // nothing proves A nonsingular
  EXPECT_EQ(verdict(0.6, 0.6, 5, 10, 1 / u, 1), Status::numerically_singular);
  EXPECT_EQ(verdict(1e-10, 1e-3, 1e-9, 10, 1e3, 1), Status::certificate_failed);  // both sides count
  EXPECT_EQ(verdict(1e-3, 1e-10, 1e-9, 10, 1e3, 1e9), Status::growth_too_large);
  EXPECT_EQ(verdict(1e-3, 1e-10, 1e-9, 10, 1e3, 1e3), Status::certificate_failed);
  EXPECT_EQ(verdict(std::nan(""), 1e-10, 1e-9, 10, 1e3, 1), Status::certificate_failed);
  EXPECT_EQ(verdict(1e-3, 1e-3, 1, 123, 1e18, 1), Status::ok);  // ill conditioned, and right all the same
  EXPECT_DOUBLE_EQ(residual_tolerance<double>(1, 1, 0), 80 * u);
  EXPECT_DOUBLE_EQ(residual_tolerance<float>(100, 2, 3), 10 * 100 * 0x1p-24 * 2 * 3);
}

TEST(Decide, a_singular_matrix_is_never_ok) {
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    for (Index n = 2; n <= 12; ++n) {
      Matrix<double> a(grid, square_layout(n, 2, grid.p(), grid.q()), host);
      fill_entries(a, [&](Index i, Index j) { return (i == j ? static_cast<double>(n) : 0.0) - 1.0; });
      const Report report = invert(a);
      EXPECT_TRUE(report.status == Status::singular || report.status == Status::numerically_singular) << n;
    }
  });
}

}  // namespace
}  // namespace cyclade
