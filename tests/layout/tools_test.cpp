// Every index routine against direct dealing: indices are handed out one by one, block after block, and the
// routines must say what the lists say. Then the tables of the ScaLAPACK guide, and cases beyond 32 bits.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/tools.hpp"

#include <limits>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclade {
namespace {

using Indices = std::vector<Index>;

/// A dimension dealt by hand: the global indices of each process, in local order.
struct Dealt {
  std::vector<int> owner;
  std::vector<Indices> held;
  Indices block;  // number of the block of each index
};

Dealt deal(Index n, Index inb, Index nb, int source, int ranks) {
  Dealt out;
  out.held.resize(static_cast<std::size_t>(ranks));
  Index left = inb, number = 0;
  int who = source;
  for (Index i = 0; i < n; ++i) {
    if (left == 0) {
      left = nb;
      ++number;
      who = (who + 1) % ranks;
    }
    --left;
    out.owner.push_back(who);
    out.block.push_back(number);
    out.held[static_cast<std::size_t>(who)].push_back(i);
  }
  return out;
}

Index count_below(const Indices& sorted, Index i) {
  return std::lower_bound(sorted.begin(), sorted.end(), i) - sorted.begin();
}

struct Case {
  Index n, inb, nb;
  int source, ranks;
};

/// Calls f for a few thousand dealings. Without first blocks, inb is nb.
template <class F>
void for_each_dealing(bool first_blocks, F&& f) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (int source = 0; source < ranks; ++source)
      for (const Index nb : {1, 2, 3, 5})
        for (const Index n : {0, 1, 2, 5, 13, 31})
          for (const Index inb : first_blocks ? Indices{1, 2, 3, 4, 7} : Indices{nb})
            f(Case{n, inb, nb, source, ranks});
}

TEST(ScalapackTools, agree_with_direct_dealing) {
  using namespace scalapack;
  for_each_dealing(false, [](const Case& c) {
    const Dealt dealt = deal(c.n, c.nb, c.nb, c.source, c.ranks);
    Index before = 0;  // on the processes nearer to the source
    for (int step = 0; step < c.ranks; ++step) {
      const int me = (c.source + step) % c.ranks;
      const Indices& held = dealt.held[static_cast<std::size_t>(me)];
      ASSERT_EQ(numroc(c.n, c.nb, me, c.source, c.ranks), static_cast<Index>(held.size()));
      ASSERT_EQ(npreroc(c.n, c.nb, me, c.source, c.ranks), before);
      before += static_cast<Index>(held.size());
      for (Index l = 0; l < static_cast<Index>(held.size()); ++l)
        ASSERT_EQ(indxl2g(l + 1, c.nb, me, c.source, c.ranks), held[static_cast<std::size_t>(l)] + 1);
      for (Index i = 0; i < c.n; ++i) {
        const int owner = dealt.owner[static_cast<std::size_t>(i)];
        ASSERT_EQ(indxg2p(i + 1, c.nb, me, c.source, c.ranks), owner);
        ASSERT_EQ(indxg2l(i + 1, c.nb, me, c.source, c.ranks),
                  count_below(dealt.held[static_cast<std::size_t>(owner)], i) + 1);
        ASSERT_EQ(infog1l(i + 1, c.nb, c.ranks, me, c.source), (Infog1l{count_below(held, i) + 1, owner}));
      }
    }
  });
}

TEST(PblasTools, agree_with_direct_dealing) {
  using namespace pblas;
  for_each_dealing(true, [](const Case& c) {
    const Dealt dealt = deal(c.n, c.inb, c.nb, c.source, c.ranks);
    for (int me = 0; me < c.ranks; ++me) {
      const Indices& held = dealt.held[static_cast<std::size_t>(me)];
      for (Index l = 0; l < static_cast<Index>(held.size()); ++l) {
        ASSERT_EQ(indxl2g(l, c.inb, c.nb, me, c.source, c.ranks), held[static_cast<std::size_t>(l)]);
        ASSERT_EQ(hpl::indxl2g(l, c.inb, c.nb, me, c.source, c.ranks), held[static_cast<std::size_t>(l)]);
      }
      ASSERT_EQ(hpl::numroc(c.n, c.inb, c.nb, me, c.source, c.ranks), static_cast<Index>(held.size()));
      for (Index i = 0; i < c.n; ++i) {
        const int owner = dealt.owner[static_cast<std::size_t>(i)];
        ASSERT_EQ(indxg2p(i, c.inb, c.nb, me, c.source, c.ranks), owner);
        ASSERT_EQ(g2lrem(i, c.inb, c.nb, me, c.source, c.ranks), count_below(held, i));
        for (Index n = 0; i + n <= c.n; ++n) {
          const Index mine = count_below(held, i + n) - count_below(held, i);
          ASSERT_EQ(numroc(n, i, c.inb, c.nb, me, c.source, c.ranks), mine);
          ASSERT_EQ(hpl::numrocI(n, i, c.inb, c.nb, me, c.source, c.ranks), mine);
        }
      }
    }
  });
}

/// Entries of [i,i+n) on the processes from the owner of i, around the ring, up to but not including `me`.
Index before_me(const Dealt& dealt, Index n, Index i, int me, int ranks) {
  Index sum = 0;
  for (int who = dealt.owner[static_cast<std::size_t>(i)]; who != me; who = (who + 1) % ranks) {
    const Indices& held = dealt.held[static_cast<std::size_t>(who)];
    sum += count_below(held, i + n) - count_below(held, i);
  }
  return sum;
}

TEST(PblasTools, parts_of_a_range_agree_with_direct_dealing) {
  using namespace pblas;
  for_each_dealing(true, [](const Case& c) {
    const Dealt dealt = deal(c.n, c.inb, c.nb, c.source, c.ranks);
    const auto same_block = [&](Index a, Index b) {
      return dealt.block[static_cast<std::size_t>(a)] == dealt.block[static_cast<std::size_t>(b)];
    };
    for (Index i = 0; i < c.n; ++i) {
      ASSERT_EQ(firstnb(0, i, c.inb, c.nb), 0);
      ASSERT_EQ(lastnb(0, i, c.inb, c.nb), 0);
      for (Index n = 1; i + n <= c.n; ++n) {
        Index first = 0, last = 0;
        for (Index k = i; k < i + n; ++k) {
          first += same_block(i, k);
          last += same_block(i + n - 1, k);
        }
        ASSERT_EQ(firstnb(n, i, c.inb, c.nb), first);
        ASSERT_EQ(lastnb(n, i, c.inb, c.nb), last);
        ASSERT_EQ(span(n, i, c.inb, c.nb, c.source, c.ranks),
                  c.ranks > 1 && !same_block(i, i + n - 1) ? 1 : 0);
        for (int me = 0; me < c.ranks; ++me) {
          const Index before = before_me(dealt, n, i, me, c.ranks);
          const Index mine = numroc(n, i, c.inb, c.nb, me, c.source, c.ranks);
          ASSERT_EQ(npreroc(n, i, c.inb, c.nb, me, c.source, c.ranks), before);
          ASSERT_EQ(nnxtroc(n, i, c.inb, c.nb, me, c.source, c.ranks), c.ranks == 1 ? 0 : n - before - mine);
        }
      }
    }
  });
}

TEST(HplTools, indxg2l_is_the_owners_index_on_every_process) {
  Index disagreements = 0;
  for_each_dealing(true, [&](const Case& c) {
    const Dealt dealt = deal(c.n, c.inb, c.nb, c.source, c.ranks);
    for (Index i = 0; i < c.n; ++i) {
      const int owner = dealt.owner[static_cast<std::size_t>(i)];
      // The formula of HPL's source, as layout-reference has it: not by counting.
      const Index b = (i - c.inb) / c.nb, round = b / c.ranks;
      const bool first_or_alone = i < c.inb || c.ranks == 1;
      const bool source_owns = (b + 1) % c.ranks == 0;
      const Index quirk = first_or_alone ? i : c.nb * (round - b) + (source_owns ? i : i - c.inb);
      ASSERT_EQ(hpl::indxg2l(i, c.inb, c.nb, c.source, c.ranks), quirk);
      ASSERT_EQ(hpl::indxg2lp(i, c.inb, c.nb, c.source, c.ranks), (hpl::Indxg2lp{quirk, owner}));
      ASSERT_EQ(quirk, count_below(dealt.held[static_cast<std::size_t>(owner)], i));
      for (int me = 0; me < c.ranks; ++me) {
        const pblas::Infog2l here =
            hpl::infog2l(i, i, c.inb, c.nb, c.inb, c.nb, c.source, c.source, me, me, c.ranks, c.ranks);
        ASSERT_EQ(here.ii, count_below(dealt.held[static_cast<std::size_t>(me)], i));
        ASSERT_EQ(here.prow, owner);
        if (me == owner) {
          ASSERT_EQ(here.ii, quirk);
        }
        disagreements += here.ii != quirk;
      }
    }
  });
  EXPECT_GT(disagreements, 10000);
}

// The example of the header, and what each library calls replicated.
static_assert(hpl::indxg2l(3, 2, 2, 0, 2) == 1);
static_assert(pblas::g2lrem(3, 2, 2, 0, 0, 2) == 2 && pblas::g2lrem(3, 2, 2, 1, 0, 2) == 1);
static_assert(hpl::indxg2lp(9, 2, 2, -1, 3) == hpl::Indxg2lp{9, -1});
static_assert(pblas::indxg2p(9, 2, 2, 1, -1, 3) == -1 && pblas::numroc(9, 4, 2, 2, 1, -1, 3) == 9);
static_assert(pblas::npreroc(9, 4, 2, 2, 1, -1, 3) == 0 && pblas::span(9, 0, 2, 2, -1, 3) == 0);
static_assert(scalapack::numroc(9, 2, 1, -1, 3) ==
              scalapack::numroc(9, 2, 1, 2, 3));  // -1 is process 2 there
static_assert(scalapack::indxg2p(1, 2, 0, -1, 3) == -1 && scalapack::indxg2p(3, 2, 0, -1, 3) == 0);
static_assert(scalapack::iceil(7, 3) == 3 && scalapack::iceil(6, 3) == 2 && scalapack::iceil(0, 3) == 0);
static_assert(pblas::gcd(0, 6) == 6 && pblas::gcd(12, 18) == 6 && pblas::lcm(4, 6) == 12 &&
              pblas::lcm(0, 6) == 0);

// Beyond 32 bits: every intermediate is as wide as the result.
constexpr Index tera = Index{1} << 40;
static_assert(scalapack::numroc(3 * tera + 1, tera, 0, 0, 2) == 2 * tera);
static_assert(scalapack::indxg2l(3 * tera, tera, 0, 0, 2) == 2 * tera);
static_assert(scalapack::indxl2g(2 * tera, tera, 0, 0, 2) == 3 * tera);
static_assert(scalapack::indxg2l(5, Index{1} << 62, 0, 0, 1000000) == 5);  // nb*nprocs has 82 bits
static_assert(scalapack::iceil(std::numeric_limits<Index>::max(), 2) == Index{1} << 62);
static_assert(scalapack::ilcm(Index{1} << 61, Index{3} << 60) == Index{3} << 61);  // the product has 123 bits
static_assert(scalapack::ilcm(100000, 99999) == 9999900000);
static_assert(pblas::lcm(Index{1} << 61, Index{1} << 61) == Index{1} << 61);
static_assert(pblas::npreroc(4 * tera, 0, tera / 2, tera, 1, 0, 3) == tera + tera / 2);
static_assert(lattice::BlockCyclicLayout::NumLocal(138240, 480, 3, 16) == 8640);

/// A table of the guide's section "Local Storage Scheme": for each I its process, block and offset.
struct GuideTable {
  Index nb;
  int source;
  std::vector<int> p;
  Indices l, x, local;
  std::vector<Indices> held;
};

const std::vector<GuideTable> guide_tables = {
    {8,
     0,
     {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8},
     {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8},
     {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}}},
    {1,
     0,
     {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
     {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7},
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8},
     {{1, 3, 5, 7, 9, 11, 13, 15}, {2, 4, 6, 8, 10, 12, 14, 16}}},
    {3,
     0,
     {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1},
     {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2},
     {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1},
     {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8, 9, 7},
     {{1, 2, 3, 7, 8, 9, 13, 14, 15}, {4, 5, 6, 10, 11, 12, 16}}},
    {3,
     1,
     {1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0},
     {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2},
     {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1},
     {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8, 9, 7},
     {{4, 5, 6, 10, 11, 12, 16}, {1, 2, 3, 7, 8, 9, 13, 14, 15}}},
};

TEST(Guide, tables_4_3_to_4_6) {
  using namespace scalapack;
  for (const GuideTable& table : guide_tables) {
    for (Index i = 1; i <= 16; ++i) {
      const auto k = static_cast<std::size_t>(i - 1);
      EXPECT_EQ(indxg2p(i, table.nb, 0, table.source, 2), table.p[k]);
      EXPECT_EQ(indxg2l(i, table.nb, 0, table.source, 2), table.local[k]);
      EXPECT_EQ(table.l[k] * table.nb + table.x[k], table.local[k]);
      EXPECT_EQ(indxl2g(table.local[k], table.nb, table.p[k], table.source, 2), i);
    }
    for (int p = 0; p < 2; ++p) {
      const Indices& held = table.held[static_cast<std::size_t>(p)];
      EXPECT_EQ(numroc(16, table.nb, p, table.source, 2), static_cast<Index>(held.size()));
    }
  }
}

TEST(Guide, figure_4_6_has_these_local_arrays) {
  const std::vector<Indices> rows = {{1, 2, 5}, {3, 4}};  // the same for columns
  for (int p = 0; p < 2; ++p)
    for (Index l = 1; l <= scalapack::numroc(5, 2, p, 0, 2); ++l)
      EXPECT_EQ(scalapack::indxl2g(l, 2, p, 0, 2),
                rows[static_cast<std::size_t>(p)][static_cast<std::size_t>(l - 1)]);
}

TEST(Guide, upper_bound_is_never_below_the_count) {
  using scalapack::iceil;
  for (Index n = 0; n < 60; ++n)
    for (Index nb = 1; nb < 8; ++nb)
      for (int ranks = 1; ranks < 7; ++ranks)
        for (int me = 0; me < ranks; ++me)
          ASSERT_LE(scalapack::numroc(n, nb, me, 0, ranks), iceil(iceil(n, nb), ranks) * nb);
}

// --- Grid's promises, on its own configurations

struct GridCase {
  Index N, nb;
  int P;
};
const std::vector<GridCase> grid_cases = {{0, 1, 1},         {1, 1, 1},         {16, 4, 4},       {17, 4, 4},
                                          {16, 1, 4},        {16, 32, 4},       {16, 4, 7},       {97, 13, 5},
                                          {138240, 480, 16}, {138240, 480, 18}, {138240, 512, 16}};

using Grid2D = lattice::BlockCyclicLayout;

TEST(GridLayout, counts_round_trips_and_local_indices_are_a_bijection) {
  for (const auto& [N, nb, P] : grid_cases) {
    const Dealt dealt = deal(N, nb, nb, 0, P);
    Index total = 0;
    for (int p = 0; p < P; ++p) {
      const auto held = static_cast<Index>(dealt.held[static_cast<std::size_t>(p)].size());
      ASSERT_EQ(Grid2D::NumLocal(N, nb, p, P), held);
      total += held;
      for (Index l = 0; l < held; ++l) {
        const Index g = Grid2D::LocalToGlobal(l, nb, p, P);
        ASSERT_EQ(g, dealt.held[static_cast<std::size_t>(p)][static_cast<std::size_t>(l)]);
        ASSERT_EQ(Grid2D::GlobalToLocal(g, nb, P), (lattice::Located{p, l}));
      }
    }
    EXPECT_EQ(total, N);
  }
}

TEST(GridLayout, indices_of_a_block_lie_together) {
  for (const auto& [N, nb, P] : grid_cases)
    for (Index g = 1; g < N; ++g) {
      if (g % nb == 0) continue;
      const auto here = Grid2D::GlobalToLocal(g, nb, P), before = Grid2D::GlobalToLocal(g - 1, nb, P);
      ASSERT_EQ(here.owner, before.owner);
      ASSERT_EQ(here.loc, before.loc + 1);
    }
}

TEST(GridLayout, every_entry_has_one_owner_and_offsets_are_a_bijection) {
  for (const auto& [N, nb, Pr, Pc] : std::vector<std::array<int, 4>>{
           {16, 4, 2, 2}, {17, 4, 2, 3}, {23, 5, 3, 2}, {12, 2, 3, 4}, {30, 7, 4, 2}}) {
    std::vector<std::set<Index>> offsets(static_cast<std::size_t>(Pr * Pc));
    for (int me = 0; me < Pr * Pc; ++me) {
      const Grid2D layout(N, nb, Pr, Pc, me);
      for (Index i = 0; i < N; ++i)
        for (Index j = 0; j < N; ++j) {
          EXPECT_EQ(layout.Owns(i, j), layout.OwnerRank(i, j) == me);
          if (layout.Owns(i, j)) {
            EXPECT_TRUE(offsets[static_cast<std::size_t>(me)].insert(layout.LocalOffset(i, j)).second);
          } else {
            EXPECT_THROW(layout.LocalOffset(i, j), ArgumentError);
          }
        }
      const std::set<Index>& mine = offsets[static_cast<std::size_t>(me)];
      EXPECT_EQ(static_cast<Index>(mine.size()), layout.mloc * layout.nloc);
      EXPECT_TRUE(mine.empty() || *mine.rbegin() == layout.mloc * layout.nloc - 1);
    }
    std::size_t total = 0;
    for (const auto& mine : offsets) total += mine.size();
    EXPECT_EQ(total, static_cast<std::size_t>(N * N));
  }
}

TEST(GridLayout, ranges_are_contiguous_ordered_and_exact) {
  for (const auto& [N, nb, P] : grid_cases) {
    if (N > 1000) continue;
    const Dealt dealt = deal(N, nb, nb, 0, P);
    for (int p = 0; p < P; ++p) {
      const Indices& held = dealt.held[static_cast<std::size_t>(p)];
      const Grid2D layout(N, nb, P, 1, p);
      for (Index g0 = 0; g0 <= N; ++g0)
        for (Index g1 = g0; g1 <= N; ++g1) {
          const Range mine{count_below(held, g0), count_below(held, g1)};
          ASSERT_EQ(Grid2D::RangeToLocal(g0, g1, N, nb, p, P), mine);
          ASSERT_EQ(layout.RowRange(g0, g1), mine);
          ASSERT_EQ(layout.ColRange(g0, g1), (Range{g0, g1}));
        }
    }
  }
  // The empty range at the very end of a ragged matrix, which an assertion of the original trips on.
  EXPECT_TRUE(Grid2D::RangeToLocal(17, 17, 17, 4, 0, 4).empty());
}

TEST(GridLayout, block_sizes_tile_the_matrix) {
  const Grid2D layout(17, 4, 2, 3, 0);
  Index total = 0;
  for (Index b = 0; b < 5; ++b) total += layout.BlockSize(b);
  EXPECT_EQ(total, 17);
  EXPECT_EQ(layout.BlockSize(4), 1);
  EXPECT_EQ(layout.OwnerRank(16, 0),
            0);  // the short block: process row 4 mod 2, after that of the last whole one
  EXPECT_EQ(layout.OwnerRank(15, 0), 3);
  EXPECT_THROW(layout.BlockSize(5), ArgumentError);
  EXPECT_THROW(Grid2D(4, 0, 1, 1, 0), ArgumentError);
  EXPECT_THROW(Grid2D(4, 1, 2, 2, 4), ArgumentError);
}

TEST(GridLayout, the_process_grid_is_exact_and_most_square) {
  using lattice::Longer;
  using lattice::ProcessGrid;
  for (const int P : {1, 2, 3, 4, 6, 8, 12, 16, 17, 64, 96, 144, 256, 288, 512}) {
    const ProcessGrid wide = Grid2D::ChooseProcessGrid(P), tall = Grid2D::ChooseProcessGrid(P, Longer::rows);
    EXPECT_EQ(wide.Pr * wide.Pc, P);
    EXPECT_LE(wide.Pr, wide.Pc);
    EXPECT_EQ(tall, (ProcessGrid{wide.Pc, wide.Pr}));
    for (int r = wide.Pr + 1; r * r <= P; ++r) EXPECT_NE(P % r, 0);
  }
  EXPECT_EQ(Grid2D::ChooseProcessGrid(288), (ProcessGrid{16, 18}));
  EXPECT_EQ(Grid2D::ChooseProcessGrid(2147483647), (ProcessGrid{1, 2147483647}));  // no overflow in r*r
  EXPECT_THROW(Grid2D::ChooseProcessGrid(0), ArgumentError);
}

}  // namespace
}  // namespace cyclade
