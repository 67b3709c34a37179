// The inequalities that docs/numerics.md promises, over the whole gallery, four types and every method.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "cyclade/device/host.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/io/generate.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

template <class T>
class Gallery : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Gallery, Scalars);

Layout awkward(Index n, const Grid& grid) {
  return {{n, 4, grid.p(), grid.p() - 1, 3}, {n, 5, grid.q(), 0, 2}};
}

bool is_definite(std::string_view name) {
  constexpr std::string_view names[] = {"identity", "diagonal",    "minij", "lehmer",
                                        "kms",      "tridiagonal", "hpd"};
  return std::ranges::find(names, name) != std::end(names);
}

/// What must hold of a result that is called ok, and of one that is not.
template <Scalar T>
void expect_promises(std::string_view name, const Report& report, const test::Dense<T>& a,
                     const test::Dense<T>& x) {
  SCOPED_TRACE(std::string(name) + " of order " + std::to_string(a.rows) + ", " +
               std::string(to_string(report.method)));
  const auto u = static_cast<double>(unit_roundoff<T>), n = static_cast<double>(a.rows);
  if (report.status == Status::ok) {
    const auto residual = test::scaled_residuals(a, x);
    EXPECT_LE(residual.left, 10 * std::max(1.0, report.growth));
    EXPECT_LE(residual.right, 30 * std::max(1.0, report.growth));
    // The certificate is in the 2-norm; the 1-norm is at most sqrt(n) larger. Rounding in the oracle's own
    // products comes on top.
    const double rounding = n * u * test::norm1(a) * test::norm1(x);
    EXPECT_LE(test::distance_from_identity(x, a), std::sqrt(n) * report.certificate.left + rounding);
    EXPECT_LE(test::distance_from_identity(a, x), std::sqrt(n) * report.certificate.right + rounding);
    EXPECT_LE(report.certificate.left, report.certificate.tolerance);
  } else {
    // Refused: then it must be hard in this precision.
    EXPECT_TRUE(report.status == Status::singular || std::max(n, 8.0) * u * report.cond1 >= 0.01 ||
                report.growth > 1e3)
        << to_string(report.status) << " " << report.cond1;
  }
}

TYPED_TEST(Gallery, keeps_its_promises) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    if (grid.order() == GridOrder::column) return;
    for (const GalleryMatrix& m : gallery()) {
      if (m.complex_only && !is_complex<T>) continue;
      for (const Index n : {2, 16, 32}) {
        Matrix<T> a(grid, awkward(n, grid), host);
        const GenerateOptions options{.seed = 3, .condition = 1e3};
        generate(m.name, a, options);
        const auto whole = test::gathered(a);
        for (const Structure structure : {Structure::general, Structure::positive_definite}) {
          if (structure == Structure::positive_definite && !is_definite(m.name)) continue;
          generate(m.name, a, options);
          const Report report = invert(a, {.structure = structure});
          const auto x = test::gathered(a);
          expect_promises<T>(m.name, report, whole, x);
          if (report.status != Status::ok || !m.inverse_known) continue;
          // Forward error against the closed form, which is itself exact to a few units times the condition
          // of its formula.
          generate(m.name, a, {.seed = 3, .condition = 1e3, .inverse = true});
          test::Dense<T> difference = test::gathered(a);
          const double size = test::norm1(difference);
          for (std::size_t i = 0; i < x.data.size(); ++i) difference.data[i] -= x.data[i];
          const double bound = 10 * static_cast<double>(std::max<Index>(n, 8)) *
                               static_cast<double>(unit_roundoff<T>) *
                               std::max(report.cond1, options.condition) * std::max(1.0, report.growth);
          EXPECT_LE(test::norm1(difference) / size, bound) << m.name << " " << n;
        }
      }
    }
  });
}

TYPED_TEST(Gallery, determinants_agree_between_methods_and_closed_forms) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    if (grid.order() == GridOrder::column) return;
    const Index n = 16;
    const auto determinant = [&](std::string_view name, Structure structure) {
      Matrix<T> a(grid, awkward(n, grid), host);
      generate(name, a, {});
      return invert(a, {.structure = structure});
    };
    // det: kms (1 - rho^2)^(n-1), minij 1, tridiagonal n + 1, householder -1, hadamard n^(n/2)
    const std::pair<std::string_view, double> known[] = {
        {"kms", (static_cast<double>(n) - 1) * std::log(0.75)},
        {"minij", 0},
        {"tridiagonal", std::log(static_cast<double>(n) + 1)},
        {"householder", 0},
        {"hadamard", static_cast<double>(n) / 2 * std::log(static_cast<double>(n))}};
    for (const auto& [name, log_abs] : known) {
      const Report r = determinant(name, Structure::general);
      const double tolerance = 10 * static_cast<double>(n) * static_cast<double>(unit_roundoff<T>) * r.cond1 *
                               std::max(1.0, r.growth);
      EXPECT_NEAR(r.log_determinant.log_abs(), log_abs, tolerance) << name;
      EXPECT_NEAR(std::abs(r.log_determinant.sign() - (name == "householder" ? -1.0 : 1.0)), 0, tolerance)
          << name;
      if (!is_definite(name)) continue;
      EXPECT_NEAR(determinant(name, Structure::positive_definite).log_determinant.log_abs(), log_abs,
                  tolerance)
          << name;
    }
  });
}

}  // namespace
}  // namespace cyclade
