// Views share entries and never copy them; an empty range is legal anywhere.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/base/matrix_view.hpp"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace cyclade {
namespace {

TEST(MatrixView, entries_lie_by_columns) {
  std::vector<double> data(12);
  std::iota(data.begin(), data.end(), 0.0);
  const MatrixView<double> a(data.data(), 3, 3, 4);  // one row of padding
  EXPECT_EQ(a(0, 0), 0);
  EXPECT_EQ(a(2, 0), 2);
  EXPECT_EQ(a(1, 2), 9);
  EXPECT_EQ(a.column(1), data.data() + 4);
  EXPECT_EQ(a.size(), 9);
  EXPECT_FALSE(a.empty());
}

TEST(MatrixView, without_a_leading_dimension_it_is_contiguous) {
  double x = 0;
  EXPECT_EQ(MatrixView<double>(&x, 5, 2).ld, 5);
  EXPECT_EQ(MatrixView<double>(&x, 0, 2).ld, 1);  // BLAS wants ld >= 1
  EXPECT_EQ(MatrixView<double>().ld, 1);
  EXPECT_TRUE(MatrixView<double>().empty());
}

TEST(MatrixView, sub_views_of_sub_views_share_the_entries) {
  std::vector<int> data(48);
  std::iota(data.begin(), data.end(), 0);
  const MatrixView<int> a(data.data(), 7, 6, 8);
  const MatrixView<int> b = a.sub(1, 7, 2, 6).sub(2, 5, 1, 3);
  EXPECT_EQ(b.rows, 3);
  EXPECT_EQ(b.cols, 2);
  EXPECT_EQ(b.ld, 8);
  for (Index j = 0; j < b.cols; ++j)
    for (Index i = 0; i < b.rows; ++i) EXPECT_EQ(&b(i, j), &a(i + 3, j + 3));
  EXPECT_EQ(a.row_range(2, 4).data, &a(2, 0));
  EXPECT_EQ(a.row_range(2, 4).cols, 6);
  EXPECT_EQ(a.column_range(2, 4).data, &a(0, 2));
  EXPECT_EQ(a.column_range(2, 4).rows, 7);
}

TEST(MatrixView, an_empty_range_does_not_move_the_pointer_out_of_the_array) {
  std::vector<float> data(20);
  const MatrixView<float> a(data.data(), 4, 5, 4);
  for (Index i = 0; i <= 4; ++i) {
    const MatrixView<float> nothing = a.sub(i, i, 5, 5);
    EXPECT_TRUE(nothing.empty());
    EXPECT_EQ(nothing.data, data.data());
  }
  const MatrixView<float> none;
  EXPECT_EQ(none.sub(0, 0, 0, 0).data, nullptr);
}

TEST(MatrixView, a_view_to_write_converts_to_one_to_read) {
  double x = 3;
  const MatrixView<double> a(&x, 1, 1);
  const ConstMatrixView<double> b = a;
  EXPECT_EQ(b.data, &x);
  static_assert(!std::is_convertible_v<ConstMatrixView<double>, MatrixView<double>>);
  static_assert(!std::is_convertible_v<MatrixView<float>, ConstMatrixView<double>>);
}

TEST(MatrixView, offsets_are_64_bit) {
  // Arithmetic only, no memory: entry (0, 46341) of a matrix with ld = 46341 lies beyond 2^31.
  constexpr MatrixView<char> a(nullptr, 46341, 60000, 46341);
  static_assert(a.rows * 46341 == 2147488281);
  EXPECT_EQ(a.size(), Index{46341} * 60000);
}

}  // namespace
}  // namespace cyclade
