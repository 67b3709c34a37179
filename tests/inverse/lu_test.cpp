// P A = L U and the inverses from factors, on every grid: against plain elimination by hand, with what is
// outside the window, or in the other triangle, poisoned.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/lu.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/inverse/triangular.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

using test::Dense;
using test::for_each_grid;

template <class T>
class Lu : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Lu, Scalars);

template <Scalar T>
const T poison(std::numeric_limits<Real<T>>::quiet_NaN());

Layout awkward(Index m, Index n, const Grid& grid, Index mb, Index nb) {
  return {{m, mb, grid.p(), grid.p() - 1, mb + 2}, {n, nb, grid.q(), grid.q() / 2, 1}};
}

/// Elimination as the books have it: the exchanges, and L\U in place.
template <Scalar T>
LuResult eliminate(Dense<T>& a) {
  LuResult result;
  for (Index k = 0; k < std::min(a.rows, a.cols); ++k) {
    Index p = k;
    for (Index i = k; i < a.rows; ++i)
      if (abs1(a(i, k)) > abs1(a(p, k))) p = i;
    result.interchanges.push_back(p);
    for (Index j = 0; j < a.cols; ++j) std::swap(a(k, j), a(p, j));
    if (a(k, k) == T(0)) {
      if (result.zero_pivot < 0) result.zero_pivot = k;
      continue;
    }
    for (Index i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (Index j = k + 1; j < a.cols; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return result;
}

template <Scalar T>
double largest_difference(const Dense<T>& a, const Dense<T>& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.data.size(); ++k)
    most = std::max(most, static_cast<double>(std::abs(a.data[k] - b.data[k])));
  return most;
}

/// A window of a larger matrix whose other entries are poison; afterwards they must be so still.
template <Scalar T, class F>
Dense<T> on_window(const Grid& grid, Index m, Index n, Index mb, Index nb, const Dense<T>& content,
                   F&& work) {
  HostDevice host;
  const Matrix<T> whole(grid, awkward(m + 7, n + 5, grid, mb, nb), host);
  const Window w{3, 3 + m, 2, 2 + n};
  const auto inside = [&](Index i, Index j) { return i >= w.i0 && i < w.i1 && j >= w.j0 && j < w.j1; };
  fill_entries(whole,
               [&](Index i, Index j) { return inside(i, j) ? content(i - w.i0, j - w.j0) : poison<T>; });
  work(whole.window(w));
  const MatrixView<T> loc = whole.local();
  bool kept = true;
  for (Index j = 0; j < loc.cols; ++j)
    for (Index i = 0; i < loc.rows; ++i)
      if (!inside(whole.global_row(i), whole.global_col(j))) kept = kept && std::isnan(std::real(loc(i, j)));
  EXPECT_TRUE(kept);
  return test::gathered(whole.window(w));
}

TYPED_TEST(Lu, is_what_elimination_by_hand_gives_for_any_shape_and_layout) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    for (const auto& [m, n] :
         std::vector<std::pair<Index, Index>>{{1, 1}, {5, 5}, {24, 24}, {9, 17}, {21, 6}}) {
      for (const auto& [mb, nb] : std::vector<std::pair<Index, Index>>{{3, 3}, {4, 6}, {1, 20}}) {
        const Dense<T> a = test::dense_of<T>(m, n, [](Index i, Index j) { return uniform<T>(5, i, j); });
        Dense<T> expected = a;
        const LuResult by_hand = eliminate(expected);
        LuResult result;
        const Dense<T> factors =
            on_window<T>(grid, m, n, mb, nb, a, [&](const Matrix<T>& w) { result = lu_factor(w, 8); });
        EXPECT_EQ(result.interchanges, by_hand.interchanges);
        EXPECT_EQ(result.zero_pivot, -1);
        EXPECT_LE(largest_difference(factors, expected), 2000 * static_cast<double>(unit_roundoff<T>));
      }
    }
  });
}

TYPED_TEST(Lu, goes_on_after_a_zero_pivot_and_names_the_first) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    const auto entry = [](Index i, Index j) { return j == 3 || j == 7 ? T(0) : uniform<T>(4, i, j); };
    for (const Index n : {4, 12}) {
      const Dense<T> a = test::dense_of<T>(n, n, entry);
      LuResult result;
      on_window<T>(grid, n, n, 3, 5, a, [&](const Matrix<T>& w) {
        result = lu_factor(w);
        const Dense<T> before = test::gathered(w);
        // L U = P A still, and nothing is inverted
        Dense<T> lower(n, n), upper(n, n), permuted = a;
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) (i > j ? lower : upper)(i, j) = before(i, j);
        for (Index i = 0; i < n; ++i) lower(i, i) = T(1);
        for (Index k = 0; k < n; ++k)
          for (Index j = 0; j < n; ++j)
            std::swap(permuted(k, j), permuted(result.interchanges[static_cast<std::size_t>(k)], j));
        EXPECT_LE(largest_difference(test::product(lower, upper), permuted),
                  1000 * static_cast<double>(unit_roundoff<T>));
        EXPECT_EQ(lu_invert(w, result.interchanges), 3);
        EXPECT_TRUE(test::gathered(w) == before);
      });
      EXPECT_EQ(result.zero_pivot, 3);
    }
    const Dense<T> zero(6, 6);
    on_window<T>(grid, 6, 6, 2, 2, zero, [&](const Matrix<T>& w) {
      const LuResult result = lu_factor(w);
      EXPECT_EQ(result.zero_pivot, 0);
      EXPECT_EQ(result.interchanges, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
    });
  });
}

TYPED_TEST(Lu, numbers_that_are_not_finite_pass_through) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    HostDevice host;
    const Matrix<T> a(grid, square_layout(40, 4, grid.p(), grid.q()), host);
    fill_entries(a, [](Index i, Index j) { return i == 17 && j == 21 ? poison<T> : uniform<T>(3, i, j); });
    const LuResult result = lu_factor(a);
    for (Index k = 0; k < 40; ++k) {
      EXPECT_GE(result.interchanges[static_cast<std::size_t>(k)], k);
      EXPECT_LT(result.interchanges[static_cast<std::size_t>(k)], 40);
    }
    EXPECT_TRUE(std::isnan(std::real(test::gathered(a)(39, 39))));
  });
}

TYPED_TEST(Lu, gives_the_inverse) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    for (const Index n : {1, 6, 31}) {
      for (const auto& [mb, nb] : std::vector<std::pair<Index, Index>>{{4, 4}, {2, 7}, {16, 1}}) {
        const Dense<T> a = test::dense_of<T>(n, n, [](Index i, Index j) { return uniform<T>(6, i, j); });
        const Dense<T> x = on_window<T>(grid, n, n, mb, nb, a, [&](const Matrix<T>& w) {
          const LuResult result = lu_factor(w);
          EXPECT_EQ(lu_invert(w, result.interchanges, 5), -1);
        });
        const auto residuals = test::scaled_residuals(a, x);
        EXPECT_LE(residuals.left, 10);
        EXPECT_LE(residuals.right, 10);
      }
    }
  });
}

TYPED_TEST(Lu, a_triangle_is_inverted_and_the_other_one_kept) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    for (const Index n : {1, 6, 26}) {
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        for (const Diag diag : {Diag::non_unit, Diag::unit}) {
          const auto stored = [&](Index i, Index j) {
            return i == j ? diag == Diag::non_unit : (i > j) == (uplo == Uplo::lower);
          };
          Dense<T> a(n, n), content(n, n);
          for (Index j = 0; j < n; ++j) {
            for (Index i = 0; i < n; ++i) {
              const T value = i == j ? T(Real<T>(2 + static_cast<Real<T>>(i % 3))) : uniform<T>(7, i, j);
              content(i, j) = stored(i, j) ? value : poison<T>;
              a(i, j) = stored(i, j) ? value : T(Real<T>(i == j));
            }
          }
          Dense<T> x = on_window<T>(grid, n, n, 4, 6, content, [&](const Matrix<T>& w) {
            EXPECT_EQ(triangle_invert(w, uplo, diag, 5), -1);
          });
          for (Index j = 0; j < n; ++j) {
            for (Index i = 0; i < n; ++i) {
              if (stored(i, j)) continue;
              EXPECT_TRUE(std::isnan(std::real(x(i, j)))) << i << " " << j;
              x(i, j) = T(Real<T>(i == j));
            }
          }
          const auto residuals = test::scaled_residuals(a, x);
          EXPECT_LE(std::min(residuals.left, residuals.right), 10);
        }
      }
    }
  });
}

TYPED_TEST(Lu, a_zero_on_the_diagonal_of_a_triangle_leaves_it_alone) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    Dense<T> a = test::dense_of<T>(9, 9, [](Index i, Index j) { return uniform<T>(8, i, j); });
    a(4, 4) = a(7, 7) = T(0);
    const Dense<T> after = on_window<T>(grid, 9, 9, 2, 3, a, [&](const Matrix<T>& w) {
      EXPECT_EQ(first_zero_diagonal(w), 4);
      EXPECT_EQ(triangle_invert(w, Uplo::upper, Diag::non_unit), 4);
    });
    EXPECT_TRUE(after == a);
  });
}

TEST(LuArguments, are_refused_before_any_message) {
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  const Matrix<double> wide(grid, {{2, 1, 1}, {3, 1, 1}}, host),
      square(grid, square_layout(2, 1, 1, 1), host);
  EXPECT_THROW(lu_invert(wide, {0, 1}), ArgumentError);
  EXPECT_THROW(lu_invert(square, {0}), ArgumentError);
  EXPECT_THROW(lu_invert(square, {0, 0}), ArgumentError);
  EXPECT_THROW(lu_invert(square, {2, 1}), ArgumentError);
}

}  // namespace
}  // namespace cyclade
