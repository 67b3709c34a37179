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

/// On these every method with pivoting is as good as on random matrices.
bool is_benign(std::string_view name) {
  constexpr std::string_view names[] = {"random", "dominant", "hpd", "householder", "hartley", "kms"};
  return std::ranges::find(names, name) != std::end(names);
}

/// A X - I or X A - I, whose 1-norm bounds everything below, in long arithmetic: the oracle rounds nothing.
using Long = std::complex<long double>;
template <Scalar T>
Long as_long(const T& x) {
  return {static_cast<long double>(std::real(x)), static_cast<long double>(std::imag(x))};
}

template <Scalar T>
double residual(const test::Dense<T>& a, const test::Dense<T>& b) {
  long double largest = 0;
  for (Index j = 0; j < b.cols; ++j) {
    std::vector<Long> column(static_cast<std::size_t>(a.rows));
    column[static_cast<std::size_t>(j)] = -1;
    for (Index k = 0; k < a.cols; ++k)
      for (Index i = 0; i < a.rows; ++i)
        column[static_cast<std::size_t>(i)] += as_long(a(i, k)) * as_long(b(k, j));
    long double sum = 0;
    for (const Long& x : column) sum += std::abs(x);
    largest = std::max(largest, sum);
  }
  return static_cast<double>(largest);
}

/// log|det A| and its phase by elimination in long arithmetic.
struct Determinant {
  double log_abs = 0;
  std::complex<double> sign = 1;
};
template <Scalar T>
Determinant determinant_of(const test::Dense<T>& a) {
  const Index n = a.rows;
  std::vector<Long> u;
  for (const T& x : a.data) u.push_back(as_long(x));
  const auto at = [&](Index i, Index j) -> Long& { return u[static_cast<std::size_t>(i + j * n)]; };
  long double log_abs = 0;
  Long sign = 1;
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k; i < n; ++i)
      if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
    if (pivot != k) sign = -sign;
    for (Index j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
    log_abs += std::log(std::abs(at(k, k)));
    sign *= at(k, k) / std::abs(at(k, k));
    for (Index i = k + 1; i < n; ++i) {
      const Long factor = at(i, k) / at(k, k);
      for (Index j = k; j < n; ++j) at(i, j) -= factor * at(k, j);
    }
  }
  return {static_cast<double>(log_abs), std::complex<double>(sign)};
}

struct How {
  Method method;
  Structure structure;
};

template <Scalar T>
bool mirrors(const test::Dense<T>& a, Structure structure) {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i <= j; ++i)
      if (a(i, j) != (structure == Structure::symmetric ? a(j, i) : conjugate(a(j, i)))) return false;
  return true;
}

/// Every method that this matrix allows. `schur` does not pivot between blocks: what it cannot do falls back.
template <Scalar T>
std::vector<How> ways_of(std::string_view name, const test::Dense<T>& a) {
  std::vector<How> all = {{Method::gauss_jordan, Structure::general}, {Method::schur, Structure::general}};
  if (is_definite(name)) all.push_back({Method::cholesky, Structure::positive_definite});
  if (mirrors(a, Structure::symmetric)) all.push_back({Method::gauss_jordan, Structure::symmetric});
  if (is_complex<T> && mirrors(a, Structure::hermitian))
    all.push_back({Method::gauss_jordan, Structure::hermitian});
  return all;
}

/// The inequalities for a result that is called ok; one that is not must be hard in this precision.
template <Scalar T>
void expect_promises(std::string_view name, const Report& report, const test::Dense<T>& a,
                     const test::Dense<T>& x, const Determinant& determinant) {
  SCOPED_TRACE(std::string(name) + " of order " + std::to_string(a.rows) + ", " +
               std::string(to_string(report.method)) + ", " + std::string(to_string(report.structure)));
  const auto u = static_cast<double>(unit_roundoff<T>), n = static_cast<double>(a.rows);
  if (report.status != Status::ok) {
    EXPECT_TRUE(report.status == Status::singular || std::max(n, 8.0) * u * report.cond1 >= 0.01 ||
                report.growth > 1e3)
        << to_string(report.status) << " " << report.cond1;
    return;
  }
  const double left = residual(x, a), right = residual(a, x), unit = n * u * test::norm1(a) * test::norm1(x);
  const bool definite = report.method == Method::cholesky;
  const bool benign = definite || (is_benign(name) && report.method == Method::gauss_jordan);
  const double growth = benign ? 1 : std::max(1.0, report.growth);
  EXPECT_LE(left, 10 * growth * unit);
  EXPECT_LE(right, (benign ? 10 : 30) * growth * unit);
  // The certificate is in the 2-norm; the 1-norm is at most sqrt(n) larger.
  EXPECT_LE(left, std::sqrt(n) * report.certificate.left);
  EXPECT_LE(right, std::sqrt(n) * report.certificate.right);
  EXPECT_LE(std::max(report.certificate.left, report.certificate.right), report.certificate.tolerance);
  if (report.structure == Structure::symmetric || report.structure == Structure::hermitian) {
    EXPECT_TRUE(mirrors(x, report.structure));
  }
  if (definite) {
    EXPECT_TRUE(mirrors(x, Structure::hermitian));
  }
  const double allowed = 10 * std::max(n, 8.0) * u * report.cond1 * std::max(1.0, report.growth);
  EXPECT_NEAR(report.log_determinant.log_abs(), determinant.log_abs, allowed);
  EXPECT_NEAR(std::abs(report.log_determinant.sign() - determinant.sign), 0, std::max(allowed, 1e-14));
}

/// Against the closed form, whose own rounding and that of the entries is within the second bound.
template <Scalar T>
void expect_forward(std::string_view name, const Report& report, const test::Dense<T>& a,
                    const test::Dense<T>& x, const test::Dense<T>& exact, double condition) {
  test::Dense<T> difference = exact;
  for (std::size_t i = 0; i < x.data.size(); ++i) difference.data[i] -= x.data[i];
  const double error = test::norm1(difference) / test::norm1(exact),
               u = static_cast<double>(unit_roundoff<T>);
  const auto n = static_cast<double>(std::max<Index>(a.rows, 8));
  EXPECT_LE(error, 10 * n * u * std::max(report.cond1, condition) * std::max(1.0, report.growth))
      << name << " " << a.rows << " " << to_string(report.method);
  // A^-1 - X = (I - XA) A^-1, and the same for the closed form, which has roundings of its own.
  const double of_exact = residual(exact, a);
  if (of_exact > 0.005) return;
  EXPECT_LE(error, 1.01 * (residual(x, a) + of_exact) + 4 * u)
      << name << " " << a.rows << " " << to_string(report.method);
}

template <Scalar T>
void expect_all_of(const GalleryMatrix& m, const Matrix<T>& a) {
  const GenerateOptions options{.seed = 3, .condition = 1e3};
  generate(m.name, a, options);
  const auto whole = test::gathered(a);
  const Determinant determinant = determinant_of(whole);
  for (const How& how : ways_of(m.name, whole)) {
    generate(m.name, a, options);
    const Report report =
        invert(a, {.method = how.method, .structure = how.structure, .schur = {.leaf = 3}, .fallback = true});
    const auto x = test::gathered(a);
    expect_promises<T>(m.name, report, whole, x, determinant);
    if (report.status != Status::ok || !m.inverse_known) continue;
    generate(m.name, a, {.seed = 3, .condition = 1e3, .inverse = true});
    expect_forward<T>(m.name, report, whole, x, test::gathered(a), options.condition);
  }
}

/// All grids of one and two ranks; of more, which share this machine's processors, one and a size.
TYPED_TEST(Gallery, keeps_its_promises) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const bool many = grid.p() * grid.q() > 2;
    if (grid.order() == GridOrder::column ||
        (many && (grid.p() == 1 || grid.p() < grid.q() || grid.q() == 1)))
      return;
    for (const GalleryMatrix& m : gallery()) {
      if (m.complex_only && !is_complex<T>) continue;
      for (const Index n : {2, 16, 32})
        if (!many || n == 16) expect_all_of(m, Matrix<T>(grid, awkward(n, grid), host));
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
