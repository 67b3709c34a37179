// A matrix is layout + grid + storage: what fits, who holds what, views of other people's memory, windows of
// windows, and entries that do not depend on the grid.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/matrix.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

using test::for_each_grid;

template <class T>
class MatrixOf : public testing::Test {
 protected:
  HostDevice host;
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatrixOf, Scalars);

double place(Index i, Index j) { return static_cast<double>(100 * i + j); }

std::vector<Layout> layouts_on(const Grid& grid) {
  const int p = grid.p(), q = grid.q();
  return {square_layout(0, 1, p, q),         square_layout(1, 1, p, q),
          square_layout(8, 3, p, q),         {{13, 2, p, p - 1, 5}, {7, 3, q, q / 2}},
          {{3, 64, p, p - 1}, {10, 1, q}},   {{0, 2, p}, {5, 2, q}},
          {{9, 2, p, replicated}, {9, 4, q}}};
}

TYPED_TEST(MatrixOf, holds_on_each_rank_what_the_layout_says) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    for (const Layout& layout : layouts_on(grid)) {
      const Matrix<T> a(grid, layout, this->host);
      fill_entries(a, [](Index i, Index j) { return T(static_cast<Real<T>>(place(i, j))); });
      const MatrixView<T> loc = a.local();
      EXPECT_EQ(loc.rows, layout.rows.local_size(grid.my_row()));
      EXPECT_EQ(loc.cols, layout.cols.local_size(grid.my_col()));
      EXPECT_GE(loc.ld, std::max<Index>(1, loc.rows));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(loc.data) % 64, 0U);
      for (Index j = 0; j < loc.cols; ++j) {
        for (Index i = 0; i < loc.rows; ++i) {
          const Index gi = layout.rows.to_global(i, grid.my_row()),
                      gj = layout.cols.to_global(j, grid.my_col());
          EXPECT_EQ(loc(i, j), T(static_cast<Real<T>>(place(gi, gj))));
        }
      }
      EXPECT_EQ(a.rows(), layout.rows.size);
      EXPECT_EQ(a.cols(), layout.cols.size);
    }
  });
}

TYPED_TEST(MatrixOf, entries_are_the_same_on_all_grids) {
  using T = TypeParam;
  const auto entry = [](Index i, Index j) { return gaussian<T>(11, i, j); };
  const auto expected = test::dense_of<T>(17, 12, entry);
  for_each_grid([&](const Grid& grid) {
    for (const Layout& layout : {Layout{{17, 4, grid.p()}, {12, 5, grid.q()}},
                                 Layout{{17, 3, grid.p(), grid.p() - 1, 1}, {12, 1, grid.q(), 0, 7}}}) {
      const Matrix<T> a(grid, layout, this->host);
      fill_entries(a, entry);
      EXPECT_EQ(test::gathered(a), expected);
    }
  });
}

TYPED_TEST(MatrixOf, windows_of_windows_share_the_storage) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    const Matrix<T> a(grid, {{13, 2, grid.p(), grid.p() - 1, 5}, {11, 3, grid.q(), 0, 1}}, this->host);
    const auto zero = [](Index, Index) { return T(0); };
    for (const Window& outer : {Window{0, 13, 0, 11}, {3, 12, 2, 10}, {4, 4, 0, 11}, {13, 13, 11, 11}}) {
      const Matrix<T> b = a.window(outer);
      for (const Window& inner : {Window{0, outer.rows(), 0, outer.cols()},
                                  {outer.rows() / 3, outer.rows(), outer.cols() / 2, outer.cols()},
                                  {outer.rows(), outer.rows(), 0, 0}}) {
        fill_entries(a, zero);
        const Matrix<T> c = b.window(inner);
        EXPECT_EQ(c.rows(), inner.rows());
        EXPECT_EQ(c.cols(), inner.cols());
        EXPECT_GE(c.local().ld, std::max<Index>(1, c.local().rows));
        fill_entries(c, [](Index i, Index j) { return T(static_cast<Real<T>>(1 + place(i, j))); });
        const auto whole = test::gathered(a);
        const Index i0 = outer.i0 + inner.i0, j0 = outer.j0 + inner.j0;
        for (Index j = 0; j < a.cols(); ++j) {
          for (Index i = 0; i < a.rows(); ++i) {
            const bool in = i >= i0 && i < i0 + inner.rows() && j >= j0 && j < j0 + inner.cols();
            EXPECT_EQ(whole(i, j), in ? T(static_cast<Real<T>>(1 + place(i - i0, j - j0))) : T(0))
                << to_string(outer) << " " << to_string(inner) << " " << i << "," << j;
          }
        }
      }
    }
    EXPECT_THROW(a.window({0, 14, 0, 11}), ArgumentError);
    EXPECT_THROW(a.window({2, 1, 0, 11}), ArgumentError);
  });
}

TYPED_TEST(MatrixOf, a_view_writes_into_the_callers_memory_and_nowhere_else) {
  using T = TypeParam;
  for_each_grid([&](const Grid& grid) {
    const Layout layout{{9, 2, grid.p(), 0, 3}, {8, 3, grid.q(), grid.q() - 1}};
    const Index m = layout.rows.local_size(grid.my_row()), n = layout.cols.local_size(grid.my_col());
    const Index ld = m + 2;
    std::vector<T> memory(static_cast<std::size_t>(ld * n + 1), T(-1));
    const MemoryUse before = this->host.memory();
    const Matrix<T> a(grid, layout, this->host, memory.data(), ld);
    EXPECT_EQ(this->host.memory().current, before.current);  // nothing is allocated
    fill_entries(a, [](Index i, Index j) { return T(static_cast<Real<T>>(place(i, j))); });
    for (Index at = 0; at < ld * n + 1; ++at) {
      const bool inside = at < ld * n && at % ld < m;
      const T expected =
          inside ? T(static_cast<Real<T>>(place(a.global_row(at % ld), a.global_col(at / ld)))) : T(-1);
      EXPECT_EQ(memory[static_cast<std::size_t>(at)], expected);
    }
  });
}

/// The text of the ArgumentError that f throws.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Matrix, a_layout_that_does_not_fit_is_refused_by_name) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Axis rows{5, 2, grid.p()}, cols{5, 2, grid.q()};
    const auto refused = [&](const Layout& layout) {
      return refusal([&] { Matrix<double>(grid, layout, host); });
    };
    const std::string p = std::to_string(grid.p()), q = std::to_string(grid.q());
    EXPECT_EQ(refused({rows, cols}), "no error");
    EXPECT_EQ(
        refused({{5, 2, grid.p() + 1}, cols}),
        "matrix: the layout deals rows to " + std::to_string(grid.p() + 1) + " processes, the grid has " + p);
    EXPECT_EQ(refused({rows, {5, 2, grid.q() + 2}}), "matrix: the layout deals columns to " +
                                                         std::to_string(grid.q() + 2) +
                                                         " processes, the grid has " + q);
    EXPECT_EQ(refused({rows, {5, 0, grid.q()}}), "layout: columns: the block size must be 1 or more, got 0");
    // 2^40 x 2^40 on every rank: refused before anything is allocated
    EXPECT_NE(refused({{Index{1} << 40, 1, grid.p(), replicated}, {Index{1} << 40, 1, grid.q(), replicated}})
                  .find("64 bits"),
              std::string::npos);
  });
}

TEST(Matrix, what_one_rank_alone_knows_is_checked_on_that_rank) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Layout layout = square_layout(12, 2, grid.p(), grid.q());
    const Index m = layout.rows.local_size(grid.my_row());
    double x = 0;
    const auto refused = [&](double* data, Index ld) {
      return refusal([&] { Matrix<double>(grid, layout, host, data, ld); });
    };
    if (m > 0) {
      EXPECT_EQ(refused(&x, m - 1), "matrix: the leading dimension must be at least " + std::to_string(m) +
                                        " (the local rows), got " + std::to_string(m - 1));
    }
    EXPECT_NE(refused(&x, 0), "no error");
    const bool holds_some = m > 0 && layout.cols.local_size(grid.my_col()) > 0;
    EXPECT_EQ(refused(nullptr, m + 1) == "no error", !holds_some);
  });
}

TEST(Matrix, ranks_outside_the_grid_hold_nothing) {
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  const Matrix<float> a(grid, square_layout(6, 2, 1, 1), host);
  fill_entries(a, [](Index i, Index j) { return static_cast<float>(i + j); });
  const Matrix<float> part = a.window({1, 4, 2, 6});
  EXPECT_EQ(part.rows(), 3);
  if (grid.inside()) {
    EXPECT_EQ(part.local()(2, 3), 8.0F);
  } else {
    EXPECT_TRUE(a.local().empty());
    EXPECT_TRUE(part.local().empty());
    EXPECT_EQ(host.memory().current, 0);
    EXPECT_NO_THROW((Matrix<float>(grid, square_layout(6, 2, 1, 1), host, nullptr, 1)));
  }
}

TEST(Matrix, the_leading_dimension_of_our_own_keeps_columns_apart) {
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  if (!grid.inside()) return;
  for (const Index n : {1, 7, 8, 100, 512, 1024, 4096}) {
    const Matrix<double> a(grid, {{n, 8, 1}, {2, 2, 1}}, host);
    const Index ld = a.local().ld;
    EXPECT_GE(ld, n);
    EXPECT_LE(ld, n + 15);
    if (n > 8) {
      EXPECT_EQ(ld % 8, 0) << n;    // whole cache lines
      EXPECT_NE(ld % 512, 0) << n;  // no two columns 4 KiB apart
    }
  }
}

}  // namespace
}  // namespace cyclade
