// The gallery: known inverses are inverses, matrices do not depend on the grid, and what cannot be made is
// refused.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/generate.hpp"

#include <map>

#include <gtest/gtest.h>

#include "cyclade/device/host.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

template <class T>
class Generate : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Generate, Scalars);

bool has_order(std::string_view name, Index n) {
  if (name == "hadamard") return n == 0 || (n & (n - 1)) == 0;
  return name != "wright" || n % 2 == 0;
}

TYPED_TEST(Generate, known_inverses_are_inverses) {
  using T = TypeParam;
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  if (!grid.inside()) return;
  for (const GalleryMatrix& m : gallery()) {
    if (!m.inverse_known || (m.complex_only && !is_complex<T>)) continue;
    for (const Index n : {1, 2, 3, 8, 16, 17}) {
      if (!has_order(m.name, n) ||
          (n > 3 && (m.name == "hilbert" || m.name == "cauchy" || m.name == "pascal") &&
           sizeof(Real<T>) == 4))
        continue;
      Matrix<T> a(grid, square_layout(n, 4, 1, 1), host), x(grid, square_layout(n, 4, 1, 1), host);
      generate(m.name, a, {});
      generate(m.name, x, {.inverse = true});
      const auto left = test::gathered(a), right = test::gathered(x);
      const double tolerance = 10 * static_cast<double>(std::max<Index>(n, 8)) *
                               static_cast<double>(unit_roundoff<T>) *
                               std::max(test::norm1(left) * test::norm1(right), GenerateOptions().condition);
      if (tolerance > 0.1) continue;  // the entries themselves, rounded, have another inverse
      EXPECT_LE(test::distance_from_identity(left, right), tolerance) << m.name << " " << n;
      EXPECT_LE(test::distance_from_identity(right, left), tolerance) << m.name << " " << n;
    }
  }
}

TYPED_TEST(Generate, integer_matrices_are_exact) {
  using T = TypeParam;
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  if (!grid.inside()) return;
  for (const char* name : {"identity", "minij", "permutation", "antidiagonal", "involutory", "hadamard"}) {
    const Index n = 16;
    Matrix<T> a(grid, square_layout(n, 4, 1, 1), host), x(grid, square_layout(n, 4, 1, 1), host);
    generate(name, a, {});
    generate(name, x, {.inverse = true});
    EXPECT_EQ(test::distance_from_identity(test::gathered(a), test::gathered(x)), 0) << name;
  }
}

TYPED_TEST(Generate, matrices_do_not_depend_on_the_grid) {
  using T = TypeParam;
  HostDevice host;
  std::map<std::string_view, test::Dense<T>> seen;
  test::for_each_grid([&](const Grid& grid) {
    for (const GalleryMatrix& m : gallery()) {
      if (m.complex_only && !is_complex<T>) continue;
      const Index n = 16;
      Matrix<T> a(grid, {{n, 3, grid.p(), grid.p() - 1}, {n, 2, grid.q(), 0, 5}}, host);
      generate(m.name, a, {.seed = 5});
      const auto whole = test::gathered(a);
      const auto [first, is_new] = seen.emplace(m.name, whole);
      if (is_new) continue;
      EXPECT_EQ(whole, first->second) << m.name;
    }
    Matrix<T> none(grid, square_layout(0, 2, grid.p(), grid.q()), host);
    for (const GalleryMatrix& m : gallery())
      if (is_complex<T> || !m.complex_only) generate(m.name, none, {});
  });
}

/// max |u_ij| / max |a_ij| of elimination with partial pivoting.
double growth(test::Dense<double> a) {
  const auto largest = [&] {
    double m = 0;
    for (const double x : a.data) m = std::max(m, std::abs(x));
    return m;
  };
  const double before = largest();
  double during = before;
  for (Index k = 0; k < a.rows; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < a.rows; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    for (Index j = 0; j < a.rows; ++j) std::swap(a(k, j), a(pivot, j));
    for (Index i = k + 1; i < a.rows; ++i) {
      const double factor = a(i, k) / a(k, k);
      a(i, k) = 0;
      for (Index j = k + 1; j < a.rows; ++j) a(i, j) -= factor * a(k, j);
    }
    during = std::max(during, largest());
  }
  return during / before;
}

template <Scalar T>
test::Dense<T> made(std::string_view name, Index n, const GenerateOptions& options = {}) {
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, test::shapes_of(Communicator::duplicate(MPI_COMM_WORLD).size()).front());
  const Matrix<T> a(grid, square_layout(n, 3, grid.p(), grid.q()), host);
  generate(name, a, options);
  return test::gathered(a);
}

TEST(GenerateHard, pivots_grow_as_the_papers_say) {
  EXPECT_EQ(growth(made<double>("wilkinson", 30)), std::ldexp(1, 29));
  EXPECT_NEAR(growth(made<double>("foster", 40)), 6e10, 1e10);
  EXPECT_NEAR(growth(made<double>("wright", 80)), 8.6e3, 100);
  EXPECT_LT(growth(made<double>("random", 80)), 20);
  EXPECT_EQ(growth(made<double>("kahan", 30)), 1);
}

TYPED_TEST(Generate, structures_are_what_their_names_say) {
  using T = TypeParam;
  const Index n = 17;
  const auto hpd = made<T>("hpd", n), accretive = made<T>("accretive", n), saddle = made<T>("saddle", n),
             dominant = made<T>("dominant", n), lattice = made<T>("lattice", 40);
  for (Index j = 0; j < n; ++j) {
    Real<T> beside_hpd = 0, beside_dominant = 0;
    for (Index i = 0; i < n; ++i) {
      EXPECT_EQ(hpd(i, j), conjugate(hpd(j, i)));
      EXPECT_EQ(saddle(i, j), conjugate(saddle(j, i)));
      EXPECT_EQ(accretive(i, j) + conjugate(accretive(j, i)), T(static_cast<Real<T>>(i == j ? 0.01 : 0) * 2));
      if (i == j) continue;
      beside_hpd += std::abs(hpd(i, j));
      beside_dominant += std::abs(dominant(i, j));
    }
    EXPECT_GT(std::real(hpd(j, j)), beside_hpd);  // and Hermitian: positive definite
    EXPECT_GT(std::abs(dominant(j, j)), beside_dominant * Real<T>(0.6));
    EXPECT_EQ(std::abs(saddle(j, j)) == 0, j >= n - n / 3);
  }
  EXPECT_EQ(lattice(0, 20), T(0));
  EXPECT_NE(lattice(0, 39), T(0));  // the sites lie on a ring
}

TEST(GenerateHard, a_seed_and_a_condition_are_obeyed) {
  for (const char* name : {"random", "permutation", "householder", "rank_one", "randsvd", "involutory"}) {
    EXPECT_EQ(made<double>(name, 20, {.seed = 3}), made<double>(name, 20, {.seed = 3})) << name;
    EXPECT_NE(made<double>(name, 20, {.seed = 3}), made<double>(name, 20, {.seed = 4})) << name;
  }
  for (const char* name : {"diagonal", "randsvd", "rank_one"}) {
    for (const double condition : {10.0, 1e6}) {
      const auto a = made<double>(name, 12, {.condition = condition}),
                 x = made<double>(name, 12, {.condition = condition, .inverse = true});
      const double cond1 = test::norm1(a) * test::norm1(x);  // of the 2-norm's: within a factor n
      EXPECT_GE(cond1, condition / 12) << name;
      EXPECT_LE(cond1, condition * 12) << name;
    }
  }
}

TEST(GenerateHard, pascal_has_a_determinant_of_one_and_an_integer_inverse) {
  const auto a = made<double>("pascal", 12), x = made<double>("pascal", 12, {.inverse = true});
  for (const double value : x.data) EXPECT_EQ(value, std::round(value));
  EXPECT_EQ(test::distance_from_identity(a, x), 0);
}

TEST(GenerateErrors, say_what_there_is) {
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  Matrix<double> a(grid, square_layout(3, 2, 1, 1), host), wide(grid, {{3}, {4}}, host);
  const auto message = [&](const char* name, const Matrix<double>& m, const GenerateOptions& options) {
    try {
      generate(name, m, options);
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("hilbrt", a, {}).find("hilbert"), std::string::npos);
  EXPECT_NE(message("dft", a, {}).find("complex"), std::string::npos);
  EXPECT_NE(message("random", a, {.inverse = true}).find("inverse"), std::string::npos);
  EXPECT_NE(message("hadamard", a, {}).find("power of two"), std::string::npos);
  EXPECT_NE(message("minij", wide, {}).find("3x4"), std::string::npos);
}

}  // namespace
}  // namespace cyclade
