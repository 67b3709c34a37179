// Layouts in two dimensions, what require_valid and require_inside refuse and how they say it, and windows.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/layout.hpp"

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/error.hpp"

namespace cyclade {
namespace {

using testing::HasSubstr;

/// The text of the ArgumentError that f throws; "no error" if it throws none.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Layout, the_figure_of_the_guide) {
  constexpr Layout a = square_layout(5, 2, 2, 2);
  static_assert(a.rows == Axis{5, 2, 2} && a.cols == Axis{5, 2, 2});
  // Entries a_ij as 10 i + j, 1-based, column-major on each process.
  const std::vector<std::vector<int>> storage = {{11, 21, 51, 12, 22, 52, 15, 25, 55},
                                                 {13, 23, 53, 14, 24, 54},
                                                 {31, 41, 32, 42, 35, 45},
                                                 {33, 43, 34, 44}};
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 2; ++c) {
      std::vector<int> local;
      for (Index j = 0; j < a.cols.local_size(c); ++j)
        for (Index i = 0; i < a.rows.local_size(r); ++i)
          local.push_back(static_cast<int>(10 * (a.rows.to_global(i, r) + 1) + a.cols.to_global(j, c) + 1));
      EXPECT_EQ(local, storage[static_cast<std::size_t>(2 * r + c)]) << r << "," << c;
    }
  }
}

TEST(Layout, every_entry_has_one_owner_and_a_place_of_its_own) {
  const std::vector<Layout> layouts = {
      square_layout(16, 4, 2, 2), square_layout(17, 4, 2, 3),
      square_layout(23, 5, 3, 2), square_layout(12, 2, 3, 4),
      square_layout(30, 7, 4, 2), square_layout(1, 1, 2, 3),
      {{8, 2, 2}, {8, 3, 3}},     {{31, 4, 2, 1, 2}, {4, 1, 3, 2}},
      {{0, 2, 2}, {5, 2, 2}},     {{9, 3, 4, 3, 1}, {11, 2, 2, 1, 20}},
  };
  for (const Layout& a : layouts) {
    std::set<std::vector<Index>> places;
    for (Index j = 0; j < a.cols.size; ++j) {
      for (Index i = 0; i < a.rows.size; ++i) {
        const int r = a.rows.owner(i), c = a.cols.owner(j);
        const Index i_loc = a.rows.to_local(i), j_loc = a.cols.to_local(j);
        EXPECT_LT(i_loc, a.rows.local_size(r));
        EXPECT_LT(j_loc, a.cols.local_size(c));
        places.insert({r, c, i_loc + j_loc * a.rows.local_size(r)});
      }
    }
    EXPECT_EQ(static_cast<Index>(places.size()), a.rows.size * a.cols.size);
  }
}

TEST(Layout, a_valid_layout_is_not_refused) {
  const std::vector<Layout> layouts = {square_layout(0, 1, 1, 1),
                                       {{5, 8, 3, 2, 100}, {0, 1, 4, 3}},
                                       {{5, 2, 3, replicated}, {5, 2, 3, replicated}}};
  for (const Layout& layout : layouts) EXPECT_NO_THROW(require_valid(layout));
}

TEST(Layout, a_wrong_field_is_named_with_its_value) {
  const auto refused = [](const Layout& a) { return refusal([&] { require_valid(a); }); };
  const Axis good{5, 2, 3};
  EXPECT_EQ(refused({{-1, 2, 3}, good}), "layout: rows: the size must be 0 or more, got -1");
  EXPECT_EQ(refused({good, {5, 0, 3}}), "layout: columns: the block size must be 1 or more, got 0");
  EXPECT_EQ(refused({good, {5, 2, 0}}), "layout: columns: the number of processes must be 1 or more, got 0");
  EXPECT_THAT(refused({{5, 2, 3, 3}, good}), HasSubstr("rows: the source process"));
  EXPECT_THAT(refused({{5, 2, 3, 3}, good}), HasSubstr("got 3"));
  EXPECT_THAT(refused({{5, 2, 3, -2}, good}), HasSubstr("got -2"));
  EXPECT_THAT(refused({good, {5, 2, 3, 0, -4}}), HasSubstr("columns: the first block"));
  EXPECT_THAT(refused({good, {5, 2, 3, 0, -4}}), HasSubstr("got -4"));
}

TEST(Window, must_lie_inside_the_matrix) {
  const Layout a{{10, 4, 2}, {7, 3, 2}};
  const auto refused = [&](const Window& w) { return refusal([&] { require_inside(w, a); }); };
  for (const Window& w : {Window{0, 10, 0, 7}, {3, 5, 2, 2}, {10, 10, 7, 7}, {0, 0, 0, 0}})
    EXPECT_EQ(refused(w), "no error");
  EXPECT_EQ(refused({0, 11, 0, 7}), "window: rows [0,11) x columns [0,7) does not lie in a 10 x 7 matrix");
  for (const Window& w :
       {Window{-1, 3, 0, 1}, {0, 1, -1, 1}, {4, 3, 0, 1}, {0, 1, 4, 3}, {0, 1, 0, 8}, {11, 11, 0, 0}})
    EXPECT_THAT(refused(w), HasSubstr(to_string(w)));
}

TEST(Window, shape_and_text) {
  constexpr Window w{2, 5, 3, 3};
  static_assert(w.rows() == 3 && w.cols() == 0 && w.empty());
  static_assert(!Window{0, 1, 0, 1}.empty() && w == Window{2, 5, 3, 3});
  EXPECT_EQ(to_string(w), "rows [2,5) x columns [3,3)");
}

TEST(Window, the_dealing_of_a_window_is_a_layout) {
  const Layout a{{10, 4, 2, 1}, {7, 3, 3, 2, 1}};
  for (Index i0 = 0; i0 <= 10; ++i0) {
    for (Index i1 = i0; i1 <= 10; ++i1) {
      for (Index j0 = 0; j0 <= 7; ++j0) {
        const Window w{i0, i1, j0, 7};
        const Layout part = a.sub(w);
        EXPECT_NO_THROW(require_valid(part));
        EXPECT_EQ(part.rows.size, w.rows());
        EXPECT_EQ(part.cols.size, w.cols());
        for (Index i = i0; i < i1; ++i) EXPECT_EQ(part.rows.owner(i - i0), a.rows.owner(i));
        for (Index j = j0; j < 7; ++j) EXPECT_EQ(part.cols.owner(j - j0), a.cols.owner(j));
      }
    }
  }
}

TEST(Window, an_empty_one_at_the_very_end_is_legal) {
  const Layout a = square_layout(10, 4, 2, 2);
  const Window w{10, 10, 10, 10};
  EXPECT_NO_THROW(require_inside(w, a));
  for (int r = 0; r < 2; ++r) {
    EXPECT_EQ(a.rows.to_local(w.i0, w.i1, r), (Range{a.rows.local_size(r), a.rows.local_size(r)}));
    EXPECT_EQ(a.sub(w).rows.local_size(r), 0);
  }
}

}  // namespace
}  // namespace cyclade
