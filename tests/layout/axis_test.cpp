// Axis against direct dealing: for every small axis the blocks are handed out one after the other, like
// cards, and each of its functions must say what then lies where. Then the tables of the ScaLAPACK guide,
// cases that broke other programs, and sizes beyond 32 bits.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/axis.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cyclade {
namespace {

std::string describe(const Axis& a) {
  return "size " + std::to_string(a.size) + " block " + std::to_string(a.block) + " ranks " +
         std::to_string(a.ranks) + " source " + std::to_string(a.source) + " first_block " +
         std::to_string(a.first_block);
}

/// What lies where, by handing out block after block.
struct Dealt {
  std::vector<int> owner;                // of each index; `replicated` if all hold it
  std::vector<Index> block, block_end;   // of each index
  std::vector<std::vector<Index>> held;  // by rank, in ascending order
};

Dealt deal(const Axis& a) {
  Dealt dealt;
  dealt.held.resize(static_cast<std::size_t>(a.ranks));
  int rank = a.source;
  Index length = a.first_block == 0 ? a.block : a.first_block;
  for (Index begin = 0, block = 0; begin < a.size; ++block) {
    const Index end = std::min(a.size, begin + length);
    for (Index i = begin; i < end; ++i) {
      dealt.owner.push_back(rank);
      dealt.block.push_back(block);
      dealt.block_end.push_back(end);
      for (int r = 0; r < a.ranks; ++r)
        if (rank == replicated || r == rank) dealt.held[static_cast<std::size_t>(r)].push_back(i);
    }
    begin = end;
    length = a.block;
    if (rank != replicated) rank = (rank + 1) % a.ranks;
  }
  return dealt;
}

/// Calls f(axis) for all sources, the replicated one included, and first blocks of one size, block and ranks.
template <class F>
void for_each_source_and_first_block(Index size, Index block, int ranks, Index largest_first, F&& f) {
  for (int source = replicated; source < ranks; ++source)
    for (Index first = 0; first <= largest_first; ++first) f(Axis{size, block, ranks, source, first});
}

/// The first thing that an axis says wrongly; empty if all is right.
std::string disagreement(const Axis& a) {
  const Dealt dealt = deal(a);
  const auto wrong = [&](const char* what, Index i, int rank) {
    return std::string(what) + " of " + std::to_string(i) + " on rank " + std::to_string(rank) + ": " +
           describe(a);
  };
  Index total = 0;
  for (int r = 0; r < a.ranks; ++r) {
    const auto& held = dealt.held[static_cast<std::size_t>(r)];
    const auto count = static_cast<Index>(held.size());
    if (a.local_size(r) != count) return wrong("local_size", a.size, r);
    total += count;
    Index before = 0;  // held indices < i
    for (Index i = 0; i <= a.size; ++i) {
      if (a.count_before(i, r) != before) return wrong("count_before", i, r);
      if (before < count && held[static_cast<std::size_t>(before)] == i) {
        if (a.to_local(i) != before) return wrong("to_local", i, r);
        if (a.to_global(before, r) != i) return wrong("to_global", i, r);
        ++before;
      }
    }
  }
  if (total != a.size * (a.source == replicated ? a.ranks : 1)) return wrong("sum of local sizes", total, -1);
  for (Index i = 0; i < a.size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (a.owner(i) != dealt.owner[at]) return wrong("owner", i, -1);
    if (a.block_of(i) != dealt.block[at]) return wrong("block_of", i, -1);
    if (a.block_end(i) != dealt.block_end[at]) return wrong("block_end", i, -1);
  }
  if (a.blocks() != (a.size == 0 ? 0 : dealt.block.back() + 1)) return wrong("blocks", a.blocks(), -1);
  return {};
}

TEST(Axis, agrees_with_direct_dealing) {
  for (Index size = 0; size <= 40; ++size)
    for (Index block = 1; block <= 7; ++block)
      for (int ranks = 1; ranks <= 5; ++ranks)
        for_each_source_and_first_block(size, block, ranks, 8,
                                        [](const Axis& a) { ASSERT_EQ(disagreement(a), ""); });
}

/// part = whole.sub(i, k) must say of every index and rank what `whole` says of the same index.
std::string sub_disagreement(const Axis& whole, Index i, Index k) {
  const Axis part = whole.sub(i, k);
  const auto wrong = [&](const char* what) {
    return std::string(what) + " of [" + std::to_string(i) + "," + std::to_string(k) +
           "): " + describe(whole) + " -> " + describe(part);
  };
  if (part.size != k - i || part.block != whole.block || part.ranks != whole.ranks) return wrong("shape");
  for (int r = 0; r < whole.ranks; ++r) {
    const Range local = whole.to_local(i, k, r);
    if (part.local_size(r) != local.size()) return wrong("local_size");
    for (Index g = i; g <= k; ++g)
      if (part.count_before(g - i, r) != whole.count_before(g, r) - local.begin) return wrong("count_before");
    for (Index l = local.begin; l < local.end; ++l)
      if (part.to_global(l - local.begin, r) + i != whole.to_global(l, r)) return wrong("to_global");
  }
  for (Index g = i; g < k; ++g) {
    if (part.owner(g - i) != whole.owner(g)) return wrong("owner");
    if (part.block_end(g - i) + i != std::min(k, whole.block_end(g))) return wrong("block_end");
  }
  return {};
}

TEST(Axis, the_dealing_of_any_range_is_again_an_axis) {
  for (const Index size : {0, 1, 5, 13, 22})
    for (Index block = 1; block <= 5; ++block)
      for (int ranks = 1; ranks <= 4; ++ranks)
        for_each_source_and_first_block(size, block, ranks, 6, [](const Axis& a) {
          for (Index i = 0; i <= a.size; ++i)
            for (Index k = i; k <= a.size; ++k) ASSERT_EQ(sub_disagreement(a, i, k), "");
        });
}

TEST(Axis, a_range_of_a_range_is_the_range_itself) {
  for (Index block = 1; block <= 4; ++block) {
    for_each_source_and_first_block(12, block, 3, 5, [](const Axis& a) {
      for (Index i = 0; i <= a.size; ++i) {
        for (Index k = i; k <= a.size; ++k) {
          const Axis part = a.sub(i, k);
          for (Index s = 0; s <= part.size; ++s) {
            for (Index t = s; t <= part.size; ++t) {
              ASSERT_EQ(sub_disagreement(part, s, t), "");
              if (s < t) {
                ASSERT_EQ(part.sub(s, t), a.sub(i + s, i + t)) << describe(a);
              }
            }
          }
        }
      }
    });
  }
}

TEST(Axis, is_usable_at_compile_time) {
  constexpr Axis a{16, 3, 2, 0};
  static_assert(a.owner(5) == 1 && a.owner(15) == 1 && a.owner(12) == 0);
  static_assert(a.local_size(0) == 9 && a.local_size(1) == 7);
  static_assert(a.to_local(15) == 6 && a.to_global(6, 1) == 15);
  static_assert(a.to_local(4, 14, 0) == Range{3, 8} && a.to_local(4, 14, 1) == Range{1, 6});
  static_assert(a.blocks() == 6 && a.block_end(14) == 15 && a.block_end(15) == 16);
  static_assert(a.sub(4, 14) == Axis{10, 3, 2, 1, 2});
  static_assert(Axis{}.local_size(0) == 0 && Axis{}.blocks() == 0);
  static_assert(Range{3, 3}.empty() && Range{3, 7}.size() == 4);
}

TEST(Axis, equal_means_the_same_dealing) {
  static_assert(Axis{10, 4, 2, 1, 0} == Axis{10, 4, 2, 1, 4});  // 0 is `block`
  static_assert(Axis{10, 4, 1, 0} ==
                Axis{10, 4, 1, replicated});  // one process holds all, whatever its number
  static_assert(!(Axis{10, 4, 2, 1} == Axis{10, 4, 2, 0}));
  static_assert(!(Axis{10, 4, 2, 1} == Axis{10, 4, 2, replicated}));
  static_assert(!(Axis{10, 4, 2, 1, 3} == Axis{10, 4, 2, 1, 4}));
  static_assert(!(Axis{10, 4, 2} == Axis{10, 5, 2}) && !(Axis{10, 4, 2} == Axis{11, 4, 2}));
  static_assert(!(Axis{10, 4, 2} == Axis{10, 4, 3}));
  static_assert(Axis{10, 4, 2, replicated}.whole() && Axis{10, 4, 1}.whole() && !Axis{10, 4, 2}.whole());
}

// --- the tables of the ScaLAPACK guide, in its 1-based indices

struct Table {
  const char* name;
  Axis axis;
  std::vector<int> owner;          // p
  std::vector<Index> local_index;  // l*NB + x
  std::vector<Index> count;        // by process
};

const std::vector<Table> tables = {
    {"4.3 block",
     {16, 8, 2},
     {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
     {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8},
     {8, 8}},
    {"4.4 cyclic",
     {16, 1, 2},
     {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
     {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8},
     {8, 8}},
    {"4.5 block-cyclic",
     {16, 3, 2},
     {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1},
     {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8, 9, 7},
     {9, 7}},
    {"4.6 block-cyclic, source 1",
     {16, 3, 2, 1},
     {1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0},
     {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8, 9, 7},
     {7, 9}},
};

TEST(Axis, the_tables_of_the_guide) {
  for (const Table& table : tables) {
    for (Index i = 0; i < 16; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(table.axis.owner(i), table.owner[at]) << table.name << " I = " << i + 1;
      EXPECT_EQ(table.axis.to_local(i) + 1, table.local_index[at]) << table.name << " I = " << i + 1;
    }
    for (int r = 0; r < 2; ++r)
      EXPECT_EQ(table.axis.local_size(r), table.count[static_cast<std::size_t>(r)]) << table.name;
  }
}

TEST(Axis, the_bound_of_the_guide_holds) {
  const auto ceil_div = [](Index a, Index b) { return (a + b - 1) / b; };
  for (Index n = 0; n < 60; ++n)
    for (Index nb = 1; nb < 8; ++nb)
      for (int p = 1; p < 7; ++p)
        for (int r = 0; r < p; ++r)
          EXPECT_LE((Axis{n, nb, p}.local_size(r)), ceil_div(ceil_div(n, nb), p) * nb);
}

// --- configurations of other programs

TEST(Axis, one_dimensional_configurations_of_grid) {
  struct Case {
    Index n, nb;
    int p;
  };
  for (const Case c : {Case{0, 1, 1},
                       {1, 1, 1},
                       {16, 4, 4},
                       {17, 4, 4},
                       {16, 1, 4},
                       {16, 32, 4},
                       {16, 4, 7},
                       {97, 13, 5},
                       {138240, 480, 16},
                       {138240, 480, 18},
                       {138240, 512, 16}})
    EXPECT_EQ(disagreement({c.n, c.nb, c.p}), "");
}

std::vector<Index> counts(const Axis& a) {
  std::vector<Index> result;
  for (int r = 0; r < a.ranks; ++r) result.push_back(a.local_size(r));
  return result;
}

TEST(Axis, ranks_without_a_block_hold_nothing) {
  EXPECT_EQ(counts({3, 2, 4}), (std::vector<Index>{2, 1, 0, 0}));
  EXPECT_EQ(counts({5, 4, 2}), (std::vector<Index>{4, 1}));
  EXPECT_EQ(counts({5, 4, 4}), (std::vector<Index>{4, 1, 0, 0}));
  EXPECT_EQ(counts({1, 1, 6}), (std::vector<Index>{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(counts({2, 1, 3}), (std::vector<Index>{1, 1, 0}));
}

TEST(Axis, the_trailing_partial_block_belongs_to_the_next_process) {
  EXPECT_EQ((Axis{17, 4, 4}.owner(16)), 0);
  EXPECT_EQ((Axis{97, 13, 5}.owner(96)), 2);
}

TEST(Axis, slabs_are_an_axis_too) {
  for (Index n = 0; n <= 20;
       ++n) {  // a block row for each process: never a negative count, never one too many
    const auto slabs = counts({n, std::max<Index>(1, (n + 7) / 8), 8});
    EXPECT_EQ(std::reduce(slabs.begin(), slabs.end()), n);
    for (const Index count : slabs) EXPECT_GE(count, 0);
  }
}

TEST(Axis, source_and_own_coordinate_are_not_swapped) {
  EXPECT_EQ(counts({5, 2, 3, 1}), (std::vector<Index>{1, 2, 2}));
}

TEST(Axis, a_first_block_and_a_source_together) {
  const Axis a{10, 2, 2, 1, 3};
  const std::vector<int> owners = {1, 1, 1, 0, 0, 1, 1, 0, 0, 1};
  const std::vector<Index> locals = {0, 1, 2, 0, 1, 3, 4, 2, 3, 5};
  for (Index i = 0; i < 10; ++i) {
    EXPECT_EQ(a.owner(i), owners[static_cast<std::size_t>(i)]) << i;
    EXPECT_EQ(a.to_local(i), locals[static_cast<std::size_t>(i)]) << i;
  }
  EXPECT_EQ(counts(a), (std::vector<Index>{4, 6}));
}

TEST(Axis, an_empty_range_at_the_very_end_is_legal) {
  const Axis a{10, 4, 3};
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(a.to_local(10, 10, r), (Range{a.local_size(r), a.local_size(r)}));
    EXPECT_EQ(a.sub(10, 10).local_size(r), 0);
  }
}

TEST(Axis, a_non_owner_is_told_its_next_local_index) {
  // Not the owner's, the mistake of taking one routine for another: i = 3 lives on process 1, at 1.
  const Axis a{8, 2, 2};
  EXPECT_EQ(a.count_before(3, 1), 1);
  EXPECT_EQ(a.count_before(3, 0), 2);
}

// --- 64 bits

TEST(Axis, sizes_beyond_32_bits) {
  constexpr Index n = 1'000'000'000'000;
  constexpr Axis a{n, 480, 17, 5, 1000};
  Index total = 0;
  for (int r = 0; r < a.ranks; ++r) {
    const Index count = a.local_size(r);
    total += count;
    for (const Index local : {Index{0}, Index{999}, Index{1000}, count / 2, count - 1}) {
      const Index i = a.to_global(local, r);
      EXPECT_GE(i, 0);
      EXPECT_LT(i, n);
      EXPECT_EQ(a.owner(i), r);
      EXPECT_EQ(a.to_local(i), local);
      EXPECT_EQ(a.count_before(i + 1, r), local + 1);
    }
    EXPECT_LE(std::abs(count - n / a.ranks), 1480) << r;  // no rank is more than a block from its share
  }
  EXPECT_EQ(total, n);
  static_assert(a.blocks() == 1 + (n - 1000 + 479) / 480);
  static_assert(a.sub(n - 7, n).size == 7);
}

TEST(Axis, a_block_as_large_as_the_matrix) {
  constexpr Index n = 1'000'000'000'000;
  EXPECT_EQ(counts({n, n, 3, 2}), (std::vector<Index>{0, 0, n}));
  EXPECT_EQ(counts({n, 1, 2, 0, n - 1}), (std::vector<Index>{n - 1, 1}));
}

}  // namespace
}  // namespace cyclade
