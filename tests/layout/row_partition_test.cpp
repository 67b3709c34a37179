// RowPartition against a list of owners, written out row by row.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/row_partition.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/error.hpp"

namespace cyclade {
namespace {

using Counts = std::vector<Index>;

const std::vector<Counts> all_counts = {{0},          {5},          {3, 0, 2}, {0, 0, 0, 0, 0, 7, 0, 0},
                                        {1, 2, 3, 4}, {0, 0, 4, 1}, {4, 0, 0}, {0, 1, 0, 1, 0},
                                        {0, 0}};

TEST(RowPartition, says_what_the_list_of_owners_says) {
  for (const Counts& counts : all_counts) {
    const RowPartition rows(counts);
    std::vector<int> owner;
    for (std::size_t r = 0; r < counts.size(); ++r)
      owner.insert(owner.end(), static_cast<std::size_t>(counts[r]), static_cast<int>(r));
    ASSERT_EQ(rows.size(), static_cast<Index>(owner.size()));
    ASSERT_EQ(rows.ranks(), static_cast<int>(counts.size()));
    Counts before(counts.size(), 0);
    for (Index i = 0; i < rows.size(); ++i) {
      for (int r = 0; r < rows.ranks(); ++r)
        ASSERT_EQ(rows.count_before(i, r), before[static_cast<std::size_t>(r)]);
      const int who = owner[static_cast<std::size_t>(i)];
      ASSERT_EQ(rows.owner(i), who);
      ASSERT_EQ(rows.to_local(i), before[static_cast<std::size_t>(who)]++);
      ASSERT_EQ(rows.to_global(rows.to_local(i), who), i);
    }
    ASSERT_EQ(before, counts);
    for (int r = 0; r < rows.ranks(); ++r) ASSERT_EQ(rows.count(r), counts[static_cast<std::size_t>(r)]);
  }
}

TEST(RowPartition, ranges_tile_every_window) {
  for (const Counts& counts : all_counts) {
    const RowPartition rows(counts);
    for (Index i = 0; i <= rows.size(); ++i)
      for (Index k = i; k <= rows.size(); ++k) {
        Index next = i, total = 0;
        for (int r = 0; r < rows.ranks(); ++r) {
          const Range global = rows.overlap(i, k, r), local = rows.to_local(i, k, r);
          ASSERT_EQ(global.size(), local.size());
          ASSERT_GE(global.begin, i);
          ASSERT_LE(global.end, k);
          total += local.size();
          if (global.empty()) continue;
          ASSERT_EQ(global.begin, next);
          ASSERT_EQ(rows.to_global(local.begin, r), global.begin);
          next = global.end;
        }
        ASSERT_EQ(total, k - i);
      }
  }
}

TEST(RowPartition, even_slabs_differ_by_one_row_at_most) {
  EXPECT_THAT(RowPartition::even(10, 4).offsets(), testing::ElementsAre(0, 3, 6, 8, 10));
  EXPECT_THAT(RowPartition::even(1, 3).offsets(), testing::ElementsAre(0, 1, 1, 1));
  EXPECT_EQ(RowPartition::even(3, 2), RowPartition(Counts{2, 1}));
  EXPECT_EQ(RowPartition::even(5, 8), RowPartition(Counts{1, 1, 1, 1, 1, 0, 0, 0}));  // never a negative rest
  EXPECT_EQ(RowPartition::even(0, 8), RowPartition(Counts(8, 0)));
  EXPECT_EQ(RowPartition(), RowPartition(Counts{0}));
}

TEST(RowPartition, counts_past_32_bits) {
  const Index big = Index{3} << 40;
  const RowPartition rows(Counts{big, 0, big});
  EXPECT_EQ(rows.owner(big - 1), 0);
  EXPECT_EQ(rows.owner(big), 2);
  EXPECT_EQ(rows.to_local(2 * big - 1), big - 1);
}

std::string message_of(const Counts& counts) {
  try {
    RowPartition rows(counts);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RowPartition, wrong_counts_are_refused_by_rank) {
  EXPECT_THAT(message_of({1, -2, 1}),
              testing::HasSubstr("rank 1: the number of rows must be 0 or more, got -2"));
  EXPECT_THAT(message_of({std::numeric_limits<Index>::max(), 1}), testing::HasSubstr("rank 1"));
  EXPECT_THAT(message_of({}), testing::HasSubstr("at least one rank"));
  EXPECT_THROW(RowPartition::even(-1, 2), ArgumentError);
  EXPECT_THROW(RowPartition::even(1, 0), ArgumentError);
}

}  // namespace
}  // namespace cyclade
