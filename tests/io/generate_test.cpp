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
