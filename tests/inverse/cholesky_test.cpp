// The symmetric sweep: positive definite matrices of both triangles on every grid; the other triangle
// poisoned.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/cholesky.hpp"

#include <array>
#include <atomic>
#include <limits>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/inverse/invert.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

using test::Dense;
using test::for_each_grid;

template <class T>
class Cholesky : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Cholesky, Scalars);

/// Hermitian, diagonally dominant, so positive definite.
template <Scalar T>
T definite_entry(Index n, Index i, Index j) {
  if (i == j) return T(static_cast<Real<T>>(2 * n));
  return i > j ? uniform<T>(11, i, j) : conjugate(uniform<T>(11, j, i));
}

Layout awkward(Index n, const Grid& grid, Index mb, Index nb) {
  return {{n, mb, grid.p(), grid.p() - 1, mb + 2}, {n, nb, grid.q(), grid.q() / 2, 1}};
}

TYPED_TEST(Cholesky, inverts_from_either_triangle_and_never_reads_the_other) {
  using T = TypeParam;
  HostDevice host;
  const T poison(std::numeric_limits<Real<T>>::quiet_NaN());
  for_each_grid([&](const Grid& grid) {
    for (const Index n : {1, 2, 5, 9, 24, 31}) {
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        Matrix<T> a(grid, awkward(n, grid, 4, 3), host);
        fill_entries(a, [&](Index i, Index j) {
          const bool stored = i == j || (i > j) == (uplo == Uplo::lower);
          return stored ? definite_entry<T>(n, i, j) : poison;
        });
        const Report report = invert(a, {.structure = Structure::positive_definite, .uplo = uplo});
        EXPECT_EQ(report.status, Status::ok);
        EXPECT_EQ(report.method, Method::cholesky);
        const Dense<T> x = test::gathered(a);
        const Dense<T> whole =
            test::dense_of<T>(n, n, [&](Index i, Index j) { return definite_entry<T>(n, i, j); });
        const auto residual = test::scaled_residuals(whole, x);
        EXPECT_LE(residual.left, 10);
        EXPECT_LE(residual.right, 10);
        for (Index j = 0; j < n; ++j) {
          EXPECT_EQ(std::imag(x(j, j)), 0);
          for (Index i = 0; i < j; ++i) EXPECT_EQ(x(i, j), conjugate(x(j, i)));
        }
      }
    }
  });
}

TYPED_TEST(Cholesky, names_the_order_of_the_minor_that_is_not_positive) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 13;
    Matrix<T> a(grid, awkward(n, grid, 4, 3), host);
    fill_entries(a, [&](Index i, Index j) { return i == 9 && j == 9 ? T(-1) : definite_entry<T>(n, i, j); });
    const Report report = invert(a, {.structure = Structure::positive_definite});
    EXPECT_EQ(report.status, Status::not_positive_definite);
    EXPECT_EQ(report.zero_pivot, 9);
  });
}

TYPED_TEST(Cholesky, agrees_with_gauss_jordan_on_the_determinant) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 21;
    Matrix<T> a(grid, awkward(n, grid, 5, 4), host), b(grid, square_layout(n, 3, grid.p(), grid.q()), host);
    fill_entries(a, [&](Index i, Index j) { return definite_entry<T>(n, i, j); });
    fill_entries(b, [&](Index i, Index j) { return definite_entry<T>(n, i, j); });
    const Report one = invert(a, {.structure = Structure::positive_definite}), other = invert(b);
    EXPECT_NEAR(one.log_determinant.log_abs(), other.log_determinant.log_abs(), 1e-4);
    EXPECT_NEAR(std::abs(one.log_determinant.sign() - 1.0), 0, 1e-12);
  });
}

TYPED_TEST(Cholesky, symmetric_and_hermitian_results_are_exactly_so) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 19;
    for (const Structure structure : {Structure::symmetric, Structure::hermitian}) {
      const auto mirror = [&](T x) { return structure == Structure::symmetric ? x : conjugate(x); };
      const auto entry = [&](Index i, Index j) {
        if (i == j) return T(std::real(uniform<T>(2, i, i)));
        return i > j ? uniform<T>(2, i, j) : mirror(uniform<T>(2, j, i));
      };
      Matrix<T> a(grid, awkward(n, grid, 4, 3), host);
      fill_entries(a, entry);
      EXPECT_EQ(invert(a, {.structure = structure}).status, Status::ok);
      const Dense<T> x = test::gathered(a);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i <= j; ++i) EXPECT_EQ(x(i, j), mirror(x(j, i)));
      const auto residual = test::scaled_residuals(test::dense_of<T>(n, n, entry), x);
      EXPECT_LE(residual.left, 30);

      fill_entries(a, [&](Index i, Index j) { return i == 3 && j == 7 ? T(100) : entry(i, j); });
      try {
        invert(a, {.structure = structure});
        ADD_FAILURE() << "a matrix that contradicts its structure was accepted";
      } catch (const ArgumentError& error) {
        EXPECT_NE(std::string(error.what()).find("(3,7)"), std::string::npos) << error.what();
      }
    }
  });
}

/// On a window whose surroundings and other triangle are poison, and stay so: the factor, then the inverse.
TYPED_TEST(Cholesky, factors_and_inverts_from_the_factor_and_touches_nothing_else) {
  using T = TypeParam;
  HostDevice host;
  const T poison(std::numeric_limits<Real<T>>::quiet_NaN());
  for_each_grid([&](const Grid& grid) {
    for (const auto& [n, mb, nb] :
         std::vector<std::array<Index, 3>>{{1, 4, 3}, {9, 1, 2}, {31, 4, 6}, {90, 64, 7}}) {
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        const Matrix<T> whole(grid, awkward(n + 5, grid, mb, nb), host);
        const auto stored = [&](Index i, Index j) {  // in indices of the window
          const bool inside = std::min(i, j) >= 0 && std::max(i, j) < n;
          return inside && (i == j || (i > j) == (uplo == Uplo::lower));
        };
        fill_entries(whole, [&](Index i, Index j) {
          return stored(i - 2, j - 3) ? definite_entry<T>(n, i - 2, j - 3) : poison;
        });
        const Matrix<T> a = whole.window({2, 2 + n, 3, 3 + n});
        const auto kept = [&] {
          const Dense<T> now = test::gathered(whole);
          Index wrong = 0;
          for (Index j = 0; j < now.cols; ++j)
            for (Index i = 0; i < now.rows; ++i)
              if (std::isnan(std::real(now(i, j))) == stored(i - 2, j - 3)) ++wrong;
          return wrong == 0;
        };
        EXPECT_EQ(cholesky_factor(a, uplo, 5), -1);
        EXPECT_TRUE(kept());
        Dense<T> factor = test::gathered(a), adjoint(n, n);
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < n; ++i)
            if (!stored(i, j)) factor(i, j) = T(0);
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < n; ++i) adjoint(i, j) = conjugate(factor(j, i));
        Dense<T> product =
            uplo == Uplo::lower ? test::product(factor, adjoint) : test::product(adjoint, factor);
        const Dense<T> expected =
            test::dense_of<T>(n, n, [&](Index i, Index j) { return definite_entry<T>(n, i, j); });
        for (std::size_t k = 0; k < product.data.size(); ++k) product.data[k] -= expected.data[k];
        EXPECT_LE(test::norm1(product),
                  3 * static_cast<double>(n) * static_cast<double>(unit_roundoff<T>) * test::norm1(expected));

        EXPECT_EQ(cholesky_invert(a, uplo, 4), -1);
        EXPECT_TRUE(kept());
        Dense<T> x = test::gathered(a);
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < n; ++i)
            if (!stored(i, j)) x(i, j) = conjugate(x(j, i));
        const auto residual = test::scaled_residuals(expected, x);
        EXPECT_LE(residual.left, 10);
        EXPECT_LE(residual.right, 10);
      }
    }
  });
}

TYPED_TEST(Cholesky, the_parts_name_the_minor_and_the_zero) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      Matrix<T> a(grid, awkward(20, grid, 4, 3), host);
      const auto fill = [&](T special) {
        fill_entries(
            a, [&](Index i, Index j) { return i == 13 && j == 13 ? special : definite_entry<T>(20, i, j); });
      };
      fill(T(-1));
      EXPECT_EQ(cholesky_factor(a, uplo), 13);
      fill(T(0));
      const Dense<T> before = test::gathered(a);
      EXPECT_EQ(cholesky_invert(a, uplo), 13);
      EXPECT_TRUE(test::gathered(a) == before);
    }
  });
}

/// Counts the flops of the products that matter; everything is left to the reference.
template <Scalar T>
class CountingDevice : public HostDevice {
 public:
  double flops() const { return kernels_.flops; }

 private:
  struct Counting : public Kernels<T> {
    using View = MatrixView<T>;
    using ConstView = ConstMatrixView<T>;
    explicit Counting(const Kernels<T>& real) : k(real) {}
    const Kernels<T>& k;
    mutable double flops = 0;
    void gemm(Op oa, Op ob, T al, ConstView a, ConstView b, T be, View c) const override {
      flops += 2.0 * static_cast<double>(c.rows * c.cols * (oa == Op::none ? a.cols : a.rows));
      k.gemm(oa, ob, al, a, b, be, c);
    }
    void trmm(Side s, Uplo u, Op o, Diag d, T al, ConstView a, View b) const override {
      flops += static_cast<double>(b.rows * b.cols * a.rows);
      k.trmm(s, u, o, d, al, a, b);
    }
    void trsm(Side s, Uplo u, Op o, Diag d, T al, ConstView a, View b) const override {
      k.trsm(s, u, o, d, al, a, b);
    }
    void herk(Uplo u, Real<T> al, ConstView v, Real<T> be, View c) const override {
      flops += static_cast<double>(v.rows * c.rows * c.rows);
      k.herk(u, al, v, be, c);
    }
    void invert_triangle(Uplo u, Diag d, View a) const override { k.invert_triangle(u, d, a); }
    Index cholesky(View a) const override { return k.cholesky(a); }
    BlockInversion<T> invert(View a, std::span<T> pivots) const override { return k.invert(a, pivots); }
    Candidate<T> update_and_search(View p, Index c, const T* u) const override {
      return k.update_and_search(p, c, u);
    }
    void divide(View x, T pivot) const override { k.divide(x, pivot); }
    void copy(ConstView f, View t) const override { k.copy(f, t); }
    void transpose(Op o, ConstView a, View b) const override { k.transpose(o, a, b); }
    void fill(View a, T v) const override { k.fill(a, v); }
    void set_identity(View a) const override { k.set_identity(a); }
    void gather_rows(ConstView f, std::span<const Index> r, View t) const override { k.gather_rows(f, r, t); }
    void scatter_rows(ConstView f, std::span<const Index> r, View t) const override {
      k.scatter_rows(f, r, t);
    }
    void take_rows(View f, std::span<const Index> r, View t) const override { k.take_rows(f, r, t); }
    void gather_columns(ConstView f, std::span<const Index> c, View t) const override {
      k.gather_columns(f, c, t);
    }
    void scatter_columns(ConstView f, std::span<const Index> c, View t) const override {
      k.scatter_columns(f, c, t);
    }
    void scale(T al, View a) const override { k.scale(al, a); }
    void subtract(ConstView a, View b) const override { k.subtract(a, b); }
    Real<T> max_abs1(ConstView a) const override { return k.max_abs1(a); }
    Real<T> column_sums(ConstView a, std::span<double> s) const override { return k.column_sums(a, s); }
    void absolute_product(ConstView a, std::span<const double> x, std::span<double> y) const override {
      k.absolute_product(a, x, y);
    }
    void column_squares(ConstView a, std::span<double> s) const override { k.column_squares(a, s); }
    Index first_non_finite(ConstView a) const override { return k.first_non_finite(a); }
  };
  const Kernels<double>& kernels_d() const override { return kernels_; }
  Counting kernels_{HostDevice::kernels_d()};
};

TEST(CholeskyWork, is_half_of_the_general_method) {
  for_each_grid([&](const Grid& grid) {
    const Index n = 1200;
    if (grid.order() == GridOrder::column || grid.p() * grid.q() > 4) return;
    double flops[2];
    for (const bool definite : {false, true}) {
      CountingDevice<double> device;
      Matrix<double> a(grid, square_layout(n, 32, grid.p(), grid.q()), device);
      fill_entries(a, [&](Index i, Index j) { return definite_entry<double>(n, i, j); });
      Meter meter(grid.traffic());
      if (definite) {
        EXPECT_EQ(cholesky_sweep(a, Uplo::lower, {}, meter).status, Status::ok);
      } else {
        EXPECT_EQ(gauss_jordan(a, {}, meter).status, Status::ok);
      }
      flops[definite] = grid.all().sum(device.flops());
    }
    EXPECT_LT(flops[1], 0.62 * flops[0]);  // half, and the squares on the diagonal
    EXPECT_GT(flops[1], 0.95 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n));
  });
}

}  // namespace
}  // namespace cyclade
