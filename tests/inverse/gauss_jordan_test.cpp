// Gauss-Jordan on every grid, against closed forms, exact integers and plain residuals.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/gauss_jordan.hpp"

#include <bit>
#include <limits>

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
        // Room for messages is made in two agreements of one word, in ceil(log2 P) rounds.
        const Index agreements = 2 * std::bit_width(static_cast<unsigned>(grid.p() * grid.q() - 1));
        EXPECT_LE(meter.use("permutation").traffic.words_received, 2 * m_loc * n_loc + agreements);
      }
    }
  });
}

TYPED_TEST(GaussJordan, any_window_is_inverted_and_the_rest_is_not_touched) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 30;
    Matrix<T> a(grid, awkward(n, grid, 4, 3), host);
    const auto entry = [](Index i, Index j) { return uniform<T>(21, i, j); };
    for (const Window w :
         {Window{0, 30, 0, 30}, Window{3, 20, 11, 28}, Window{29, 30, 0, 1}, Window{5, 5, 30, 30}}) {
      fill_entries(a, entry);
      EXPECT_EQ(invert(a.window(w)).status, Status::ok);
      const Dense<T> all = test::gathered(a), x = test::gathered(a.window(w));
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) {
          const bool inside = i >= w.i0 && i < w.i1 && j >= w.j0 && j < w.j1;
          if (inside) continue;
          EXPECT_EQ(all(i, j), entry(i, j)) << to_string(w);
        }
      }
      if (w.empty()) continue;
      const auto part =
          test::dense_of<T>(w.rows(), w.cols(), [&](Index i, Index j) { return entry(w.i0 + i, w.j0 + j); });
      EXPECT_LE(test::scaled_residuals(part, x).left, 30) << to_string(w);
    }
  });
}

TYPED_TEST(GaussJordan, determinants_are_those_of_the_closed_forms) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const Index n : {1, 2, 5, 12, 13}) {
      // D P with P a cyclic shift: det = prod d * (-1)^(n-1); d_i = (i+1) * a phase for complex types.
      Matrix<T> a(grid, awkward(n, grid, 2, 3), host);
      const auto d = [](Index i) {
        if constexpr (is_complex<T>) {
          return T(0, static_cast<Real<T>>(i + 1));
        } else {
          return T(static_cast<Real<T>>(i % 2 ? -(i + 1) : i + 1));
        }
      };
      fill_entries(a, [&](Index i, Index j) { return j == (i + 1) % n ? d(i) : T(0); });
      const Report report = invert(a);
      double log_abs = 0;
      std::complex<double> sign = n % 2 ? 1 : -1;
      for (Index i = 0; i < n; ++i) {
        log_abs += std::log(static_cast<double>(i + 1));
        sign *= std::complex<double>(d(i)) / static_cast<double>(i + 1);
      }
      EXPECT_NEAR(report.log_determinant.log_abs(), log_abs, 1e-6);
      EXPECT_NEAR(std::abs(report.log_determinant.sign() - sign), 0, 1e-6);
    }
  });
}

TEST(GaussJordanGrowth, is_measured_and_decides) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    // Wilkinson's matrix: growth 2^(n-1) under partial pivoting.
    for (const Index n : {10, 40, 60}) {
      Matrix<double> a(grid, awkward(n, grid, 4, 8), host);
      fill_entries(a, [&](Index i, Index j) { return i == j || j == n - 1 ? 1.0 : (i > j ? -1.0 : 0.0); });
      const Report report = invert(a);
      EXPECT_EQ(report.growth, std::pow(2.0, static_cast<double>(n - 1)));
      // Never a silent wrong answer: what is called ok is right, however large the growth.
      const auto whole = test::dense_of<double>(
          n, n, [&](Index i, Index j) { return i == j || j == n - 1 ? 1.0 : (i > j ? -1.0 : 0.0); });
      const double residual = test::distance_from_identity(test::gathered(a), whole);
      EXPECT_EQ(report.status, residual < 0.5 ? Status::ok : Status::growth_too_large)
          << n << " " << residual;
    }
  });
}

TEST(GaussJordanMemory, is_the_panels_and_the_permutations_budget) {
  for_each_grid([&](const Grid& grid) {
    const Index n = 160, width = 8, budget = 20000;
    for (const auto& [mb, nb] : {std::pair<Index, Index>{8, 8}, {5, 16}}) {
      HostDevice host;
      Matrix<double> a(grid, awkward(n, grid, mb, nb), host);
      fill_entries(a, [](Index i, Index j) { return uniform<double>(5, i, j); });
      const Index matrix = host.memory().current;
      Meter meter(grid.traffic());
      host.reset_peak();
      EXPECT_EQ(gauss_jordan(a, {.panel_width = width, .permutation_budget = budget}, meter).status,
                Status::ok);
      const Index m_loc = a.local().rows, n_loc = a.local().cols, word = sizeof(double);
      const Index panels = 2 * width * (m_loc + n_loc) * word;
      const Index squares = (5 * width * width + 20 * width + 100) * word;
      const Index line = 2 * std::max(m_loc, n_loc) * word;  // the least that the permutation can do with
      EXPECT_LE(host.memory().peak - matrix, panels + squares + std::max(budget, line));
      EXPECT_EQ(host.memory().current, matrix);
    }
  });
}

TEST(GaussJordanBits, repeat_and_do_not_depend_on_what_memory_held) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 70;
    const auto entry = [](Index i, Index j) { return uniform<double>(8, i, j); };
    std::vector<Dense<double>> results;
    for (const double garbage : {std::numeric_limits<double>::quiet_NaN(), 1e30}) {
      {
        const Buffer<double> dirt(host, 1 << 16);  // freed at once: the sweep's buffers land on it
        std::fill_n(dirt.data(), dirt.size(), garbage);
      }
      Matrix<double> a(grid, awkward(n, grid, 8, 16), host);
      fill_entries(a, entry);
      EXPECT_EQ(invert(a).status, Status::ok);
      results.push_back(test::gathered(a));
    }
    EXPECT_EQ(results[0], results[1]);
  });
}

TYPED_TEST(GaussJordan, lookahead_changes_the_order_and_not_one_bit) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 90;
    std::vector<Dense<T>> results;
    for (const bool lookahead : {true, false}) {
      Matrix<T> a(grid, awkward(n, grid, 8, 12), host);
      fill_entries(a, [](Index i, Index j) { return uniform<T>(8, i, j); });
      EXPECT_EQ(invert(a, {.lookahead = lookahead}).status, Status::ok);
      results.push_back(test::gathered(a));
    }
    EXPECT_EQ(results[0], results[1]);
  });
}

TEST(GaussJordanPivots, are_the_same_on_every_grid_for_exact_data) {
  // On the reference device and an integer matrix with many ties, every grid must choose the same rows: the
  // results are bitwise equal because every quotient and product is exact.
  ReferenceDevice reference;
  std::vector<Dense<double>> results;
  const Index n = 16;  // Sylvester's Hadamard matrix: all entries +1 or -1, inverse H/16
  for_each_grid([&](const Grid& grid) {
    Matrix<double> a(grid, awkward(n, grid, 2, 3), reference);
    fill_entries(a, [](Index i, Index j) {
      return __builtin_parityll(static_cast<unsigned long long>(i & j)) ? -1.0 : 1.0;
    });
    EXPECT_EQ(invert(a).status, Status::ok);
    results.push_back(test::gathered(a));
  });
  const auto exact = test::dense_of<double>(n, n, [](Index i, Index j) {
    return __builtin_parityll(static_cast<unsigned long long>(i & j)) ? -0.0625 : 0.0625;
  });
  for (const auto& x : results) EXPECT_EQ(x, exact);
}

TEST(GaussJordanCases, that_broke_other_programs) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const Index nb : {1, 2, 5}) {
      const auto inverse_of = [&](const Dense<double>& a) {
        Matrix<double> m(grid, awkward(a.rows, grid, nb, nb), host);
        fill_entries(m, [&](Index i, Index j) { return a(i, j); });
        const Report report = invert(m);
        return std::pair(report, test::gathered(m));
      };
      const auto matrix = [](Index n, std::vector<double> rows) {
        return test::dense_of<double>(
            n, n, [&](Index i, Index j) { return rows[static_cast<std::size_t>(i * n + j)]; });
      };
      // exactly or numerically singular, whatever the grid
      for (const auto& a :
           {matrix(3, {1, 2, 3, 4, 5, 6, 7, 8, 9}), matrix(3, {1, 5, 7, 2, 10, -3, 5, 25, 1})}) {
        const Status status = inverse_of(a).first.status;
        EXPECT_TRUE(status == Status::singular || status == Status::numerically_singular);
      }
      const auto last = inverse_of(matrix(2, {1, 2, 2, 4})).first;
      EXPECT_EQ(last.status, Status::singular);
      EXPECT_EQ(last.zero_pivot, 1);
      EXPECT_EQ(inverse_of(matrix(2, {0, 0, 0, 0})).first.zero_pivot, 0);
      EXPECT_EQ(inverse_of(matrix(1, {0})).first.status, Status::singular);
      // a cycle that is not its own inverse, an asymmetric one, a tiny leading entry
      EXPECT_EQ(inverse_of(matrix(3, {0, 1, 0, 0, 0, 1, 1, 0, 0})).second,
                matrix(3, {0, 0, 1, 1, 0, 0, 0, 1, 0}));
      EXPECT_EQ(inverse_of(matrix(2, {0, 1, 2, 0})).second, matrix(2, {0, 0.5, 1, 0}));
      const auto tiny = inverse_of(matrix(2, {1e-20, 1, 1, 1})).second;
      for (const double e : {tiny(0, 0) + 1, tiny(0, 1) - 1, tiny(1, 0) - 1, tiny(1, 1) + 1e-20})
        EXPECT_NEAR(e, 0, 1e-15);
      // [[0, I], [I, 0]]: nothing to pivot with inside a block
      const auto swapped =
          test::dense_of<double>(8, 8, [](Index i, Index j) { return i == (j + 4) % 8 ? 1.0 : 0.0; });
      EXPECT_EQ(inverse_of(swapped).second, swapped);
      // a result that overflows is not called right
      const auto denormal = inverse_of(matrix(2, {1e-310, 0, 0, 1e-310})).first;
      EXPECT_NE(denormal.status, Status::ok);
      // not a number, on one rank alone
      auto nan = matrix(2, {1, 2, 3, 4});
      nan(1, 0) = std::numeric_limits<double>::quiet_NaN();
      const auto refused = inverse_of(nan).first;
      EXPECT_EQ(refused.status, Status::non_finite_input);
      EXPECT_EQ(std::pair(refused.bad_row, refused.bad_col), std::pair(Index{1}, Index{0}));
      // diag(1 ... 1e-17): condition 1e17, and an exact inverse all the same
      const auto graded = test::dense_of<double>(
          18, 18, [](Index i, Index j) { return i == j ? std::pow(10.0, -static_cast<double>(i)) : 0.0; });
      EXPECT_EQ(inverse_of(graded).first.status, Status::ok);
      EXPECT_EQ(inverse_of(Dense<double>(0, 0)).first.status, Status::ok);
    }
  });
}

TEST(GaussJordanNarrow, blocks_are_left_for_a_copy_in_wide_ones_where_memory_allows) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 70;
    const Layout narrow{{n, 2, grid.p(), grid.p() - 1}, {n, 3, grid.q(), 0, 5}};
    const auto entry = [](Index i, Index j) { return uniform<double>(12, i, j); };
    Matrix<double> in_place(grid, narrow, host), a(grid, narrow, host);
    fill_entries(in_place, entry);
    fill_entries(a, entry);
    const Report native = invert(in_place), report = invert(a, {.copy_budget = Index{1} << 30});
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_FALSE(native.redistributed);
    EXPECT_EQ(report.redistributed, grid.q() > 1);
    EXPECT_EQ(report.col_block, 3);
    EXPECT_EQ(native.panel_width, grid.q() > 1 ? 3 : 64);  // one process column: no block ends a step
    EXPECT_EQ(report.panel_width, 64);
    const auto residual = test::scaled_residuals(test::dense_of<double>(n, n, entry), test::gathered(a));
    EXPECT_LE(residual.left, 10);
    EXPECT_LE(residual.right, 30);
    EXPECT_NEAR(report.log_determinant.log_abs(), native.log_determinant.log_abs(), 1e-10);
    EXPECT_GE(report.peak_bytes, report.matrix_bytes);
    fill_entries(a, entry);
    EXPECT_FALSE(invert(a, {.copy_budget = 1000}).redistributed);
  });
}

TEST(GaussJordanIdle, ranks_outside_the_grid_return_at_once) {
  HostDevice host;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1) return;
  const Grid grid(MPI_COMM_WORLD, {1, ranks - 1});
  Matrix<double> a(grid, square_layout(10, 3, 1, ranks - 1), host);
  fill_entries(a, [](Index i, Index j) { return static_cast<double>(std::min(i, j) + 1); });
  const Report report = invert(a);
  EXPECT_EQ(report.in_grid, grid.inside());
  EXPECT_EQ(report.status, Status::ok);
}

TEST(GaussJordanErrors, name_what_is_wrong_before_any_message) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const auto message = [&](const Layout& layout, const InvertOptions& options) {
      Matrix<double> a(grid, layout, host);
      try {
        invert(a, options);
      } catch (const ArgumentError& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    EXPECT_NE(message({{3, 2, grid.p()}, {4, 2, grid.q()}}, {}).find("square matrix, got 3x4"),
              std::string::npos);
    EXPECT_NE(message({{4, 2, grid.p(), replicated}, {4, 2, grid.q()}}, {}).find("replicated"),
              std::string::npos);
    EXPECT_NE(message(square_layout(4, 2, grid.p(), grid.q()), {.panel_width = -3}).find("-3"),
              std::string::npos);
    EXPECT_NE(message(square_layout(4, 2, grid.p(), grid.q()), {.method = Method::cholesky})
                  .find("positive_definite"),
              std::string::npos);
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
