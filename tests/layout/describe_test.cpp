// The words of `describe` against the guide's tables and against direct counting.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/error.hpp"

namespace cyclade {
namespace {

using testing::HasSubstr;
using testing::Not;

// Table 4.6 of the guide: NB = 3, P = 2, source 1. I = 10 is on process 0 in its block 1 at x = 1.
static_assert(placement({16, 3, 2, 1}, 9) == Placement{0, 1, 0, 3});
static_assert(placement({16, 3, 2, 1}, 14) == Placement{1, 2, 2, 8});
static_assert(placement({16, 3, 2, replicated}, 14) == Placement{replicated, 4, 2, 14});

TEST(Placement, block_and_offset_lead_back_to_the_index) {
  for (int ranks = 1; ranks <= 4; ++ranks)
    for (int source = replicated; source < ranks; ++source)
      for (const Index first : {0, 1, 2, 4, 9}) {
        const Axis axis{31, 3, ranks, source, first};
        for (Index i = 0; i < axis.size; ++i) {
          const Placement at = placement(axis, i);
          ASSERT_EQ(axis.to_global(at.local, at.owner), i);
          // The first entry of the same block is `offset` before i, and in the guide's plain case l*NB + x is
          // local.
          ASSERT_TRUE(at.offset == 0 || placement(axis, i - at.offset).block == at.block);
          ASSERT_EQ(placement(axis, i - at.offset).offset, 0);
          if (first == 0 && !axis.whole()) {
            ASSERT_EQ(at.block * axis.block + at.offset, at.local);
            ASSERT_EQ((at.block * ranks + axis.distance(at.owner)) * axis.block + at.offset, i);
          }
        }
      }
}

TEST(LocalSizeBound, is_the_guides_and_never_too_small) {
  static_assert(local_size_bound({1000000, 480, 16}) == 62880);
  static_assert(local_size_bound({0, 4, 3}) == 0);
  for (Index n = 0; n < 40; ++n)
    for (Index nb = 1; nb < 8; ++nb)
      for (int ranks = 1; ranks < 6; ++ranks)
        for (const Index first : {0, 1, 5, 12}) {
          const Axis axis{n, nb, ranks, ranks - 1, first};
          Index most = 0;
          for (int r = 0; r < ranks; ++r) most = std::max(most, axis.local_size(r));
          ASSERT_GE(local_size_bound(axis), most);
          const Index blocks = (n + nb - 1) / nb;
          if (first != 0 || ranks == 1) continue;
          ASSERT_EQ(local_size_bound(axis), (blocks + ranks - 1) / ranks * nb);
        }
}

TEST(Describe, an_entry_has_the_guides_triple) {
  LayoutQuestion q{.layout = square_layout(5, 2, 2, 2), .index = Position{1, 4}};
  const std::string text = describe(q);
  EXPECT_THAT(text, HasSubstr("5 x 5 matrix in 2 x 2 blocks on a 2 x 2 process grid, ranks row by row"));
  EXPECT_THAT(
      text, HasSubstr("local rows (at most 4)\n  process row 0           3\n  process row 1           2\n"));
  EXPECT_THAT(text, HasSubstr("  row 1           0         0           1          1\n"));
  EXPECT_THAT(text, HasSubstr("  column 4        0         1           0          2\n"));
  EXPECT_THAT(text, HasSubstr("on process (0,0), rank 0, local (1,2), at data[1 + 2*lld]"));
  EXPECT_THAT(text, HasSubstr("J = 5 = (l*P + p)*NB + x = (1*2 + 0)*2 + 1"));
  EXPECT_THAT(text, Not(HasSubstr("HPF")));
}

TEST(Describe, ranks_are_numbered_as_asked) {
  LayoutQuestion q{.layout = square_layout(12, 2, 2, 3), .index = Position{2, 0}};
  EXPECT_THAT(describe(q), HasSubstr("(1,0), rank 3"));
  q.order = RankOrder::column;
  EXPECT_THAT(describe(q), HasSubstr("(1,0), rank 1"));
}

TEST(Describe, equal_processes_share_a_line) {
  const std::string text = describe({.layout = square_layout(1000000, 480, 16, 18)});
  EXPECT_THAT(text, HasSubstr("process rows 0-2        62880\n  process row 3           62560\n"));
  EXPECT_LT(text.size(), 1000U);
  EXPECT_LT(describe({.layout = square_layout(Index{1} << 40, 64, 100000, 100000)}).size(), 1000U);
}

TEST(Describe, a_window_is_one_local_range_on_each_process) {
  const LayoutQuestion q{.layout = square_layout(12, 2, 2, 3), .window = Window{3, 10, 2, 9}};
  const std::string text = describe(q);
  EXPECT_THAT(text, HasSubstr("window rows [3,10) x columns [2,9)"));
  EXPECT_THAT(text, HasSubstr("process row 0           [2,6)                4"));
  EXPECT_THAT(text, HasSubstr("process row 1           [1,4)                3"));
  EXPECT_THAT(text, HasSubstr("process column 1        [0,3)                3"));
}

TEST(Hpf, source_and_first_block_shift_the_alignment) {
  EXPECT_EQ(hpf_statements({{16, 3, 2}, {16, 3, 2, 1}}),
            "      REAL A(16,16)\n"
            "!HPF$ PROCESSORS PROC(2,2)\n"
            "!HPF$ TEMPLATE T(16,19)\n"
            "!HPF$ ALIGN A(I,J) WITH T(I,J+3)\n"
            "!HPF$ DISTRIBUTE T(CYCLIC(3),CYCLIC(3)) ONTO PROC\n");
  EXPECT_THAT(hpf_statements({{9, 3, 2, 1, 2}, {9, 2, 2, replicated}}),
              HasSubstr("ALIGN A(I,*) WITH T(I+4,*)"));
  EXPECT_THROW(hpf_statements({{9, 3, 2, 0, 4}, {9, 3, 2}}), ArgumentError);
}

// What the statements say: index i sits at template place i + shift, which lies on process place/NB mod P.
TEST(Hpf, the_statements_deal_as_the_layout_does) {
  for (int ranks = 2; ranks <= 4; ++ranks)
    for (int source = 0; source < ranks; ++source)
      for (const Index first : {1, 2, 3}) {
        const Axis axis{17, 3, ranks, source, first};
        const std::string text = hpf_statements({axis, axis});
        const auto at = text.find("WITH T(I") + 8;
        const Index shift = text[at] == '+' ? std::stoll(text.substr(at + 1)) : 0;
        for (Index i = 0; i < axis.size; ++i) ASSERT_EQ((i + shift) / axis.block % ranks, axis.owner(i));
      }
}

TEST(Describe, both_descriptors_or_why_not) {
  LayoutQuestion q{.layout = {{9, 3, 2, 1}, {8, 2, 2}}, .descriptor = true};
  EXPECT_THAT(describe(q), HasSubstr("  1      ictxt  9  8  3   2   1     0     lld\n"));
  EXPECT_THAT(describe(q), HasSubstr("  2      ictxt  9  8  3    2    3   2   1     0     lld\n"));
  q.layout.rows.first_block = 1;
  EXPECT_THAT(describe(q),
              HasSubstr("9 entries cannot say a first block of rows unlike the others (1 and 3)"));
  EXPECT_THAT(describe(q), HasSubstr("  2      ictxt  9  8  1    2    3   2   1     0     lld\n"));
}

TEST(Describe, wrong_questions_are_refused) {
  const Layout layout = square_layout(5, 2, 2, 2);
  EXPECT_THROW(describe({.layout = layout, .index = Position{5, 0}}), ArgumentError);
  EXPECT_THROW(describe({.layout = layout, .window = Window{0, 6, 0, 1}}), ArgumentError);
  EXPECT_THROW(describe({.layout = square_layout(5, 0, 2, 2)}), ArgumentError);
}

}  // namespace
}  // namespace cyclade
