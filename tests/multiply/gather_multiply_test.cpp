// Products on row slabs against sums of entries, exact integers, by every transport: even, uneven and empty
// slabs, rows of B from all ranks, from half of them and from one (it is some ranks contributing nothing that
// breaks transports).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/multiply/gather_multiply.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/mpi/ring.hpp"
#include "tests/multiply/integer_entries.hpp"

namespace cyclade {
namespace {

using test::expected_entry;
using test::integer_entry;

constexpr GatherTransport transports[] = {GatherTransport::automatic,  GatherTransport::zero_fill_allreduce,
                                          GatherTransport::allgatherv, GatherTransport::broadcast_per_rank,
                                          GatherTransport::direct,     GatherTransport::ring};

/// Every test has its own counted copy of the world.
struct World {
  Traffic traffic;
  Communicator comm = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  HostDevice device;
};

template <Scalar T>
void fill_slab(const BlockRows<T>& x, int which) {
  for (Index j = 0; j < x.cols(); ++j)
    for (Index i = 0; i < x.local().rows; ++i)
      x.local()(i, j) = integer_entry<T>(which, x.my_rows().begin + i, j);
}

/// One n x n matrix X, and C(rows, cols) := beta C + alpha X(rows, inner) X(inner, cols): the columns of A
/// are numbered as the rows of B, as in the recursion. C is a matrix of its own, NaN in its window if beta =
/// 0.
template <Scalar T>
Index wrong_entries(World& world, const RowPartition& slabs, Range rows, Range inner, Range cols, T alpha,
                    T beta, const GatherOptions& options) {
  const Index n = slabs.size();
  const BlockRows<T> x(world.comm, slabs, n, world.device), c(world.comm, slabs, n, world.device);
  fill_slab(x, 1);
  fill_slab(c, 2);
  const auto inside = [&](Index i, Index j) {
    return i >= rows.begin && i < rows.end && j >= cols.begin && j < cols.end;
  };
  if (beta == T(0)) {
    for (Index j = cols.begin; j < cols.end; ++j)
      for (Index i = 0; i < c.local().rows; ++i)
        if (inside(c.my_rows().begin + i, j)) c.local()(i, j) = T(std::numeric_limits<Real<T>>::quiet_NaN());
  }
  gather_multiply(rows, alpha, x.columns(inner.begin, inner.end), x.columns(cols.begin, cols.end), inner,
                  beta, c.columns(cols.begin, cols.end), options);
  Index wrong = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index il = 0; il < c.local().rows; ++il) {
      const Index i = c.my_rows().begin + il;
      const T old = integer_entry<T>(2, i, j);
      const T want = !inside(i, j) ? old
                                   : expected_entry<T>(
                                         alpha, beta, old, inner.begin, inner.end,
                                         [&](Index k) { return integer_entry<T>(1, i, k); },
                                         [&](Index k) { return integer_entry<T>(1, k, j); });
      wrong += c.local()(il, j) != want;
    }
  }
  return wrong;
}

template <class T>
class GatherMultiplyTyped : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GatherMultiplyTyped, Scalars);

TYPED_TEST(GatherMultiplyTyped, IsExactForGridsCases) {
  using T = TypeParam;
  World world;
  const int ranks = world.comm.size();
  for (const Index n : {Index{8}, Index{96}, Index{97}}) {
    const RowPartition slabs = RowPartition::even(n, ranks);
    const Range all{0, n}, upper{slabs.begin(ranks / 2), n}, lower{0, slabs.begin(ranks / 2)};
    const Range single = slabs.range(ranks - 1), first = slabs.range(0);
    for (const Index bytes : {Index{64}, Index{1} << 30}) {
      if (n > 8 && bytes == 64 && sizeof(T) != sizeof(double))
        continue;  // many small messages: one type will do
      for (const GatherTransport transport : transports) {
        SCOPED_TRACE(std::string(to_string(transport)) + " n = " + std::to_string(n));
        const GatherOptions options{.transport = transport, .panel_bytes = bytes, .force = true};
        const auto wrong = [&](Range rows, Range inner, T alpha, T beta) {
          return wrong_entries<T>(world, slabs, rows, inner, {n / 3, n}, alpha, beta, options);
        };
        for (const Range inner : {all, upper, single}) EXPECT_EQ(wrong(all, inner, T(1), T(0)), 0);
        for (const Range inner : {upper, single}) EXPECT_EQ(wrong(lower, inner, T(-1), T(1)), 0);
        EXPECT_EQ(wrong(upper, lower, T(-1), T(1)), 0);
        EXPECT_EQ(wrong(single, first, T(1), T(0)), 0);
        EXPECT_EQ(wrong(upper, upper, T(-1), T(1)), 0);
      }
    }
  }
}

/// Slabs of any size, none among them, and ranges that cut slabs anywhere.
TYPED_TEST(GatherMultiplyTyped, IsExactForUnevenAndEmptySlabs) {
  using T = TypeParam;
  World world;
  const int ranks = world.comm.size();
  std::vector<std::vector<Index>> families(4, std::vector<Index>(static_cast<std::size_t>(ranks)));
  for (int r = 0; r < ranks; ++r) {
    const auto at = static_cast<std::size_t>(r);
    families[0][at] = r == 5 % ranks ? 9 : 0;     // one rank has all
    families[1][at] = r < ranks / 2 ? 0 : 4 + r;  // the first half is empty
    families[2][at] = r % 2 == 0 ? 5 : r % 3;     // every kind
    families[3][at] = r == ranks - 1 ? 1 : 0;     // n = 1
  }
  for (const auto& counts : families) {
    const RowPartition slabs(counts);
    const Index n = slabs.size(), h = n / 2;
    for (const GatherTransport transport : transports) {
      const GatherOptions options{.transport = transport, .panel_bytes = 200, .barrier = true, .force = true};
      for (const Range rows : {Range{0, n}, Range{h, n}, Range{1, 1}})
        for (const Range inner : {Range{0, n}, Range{0, h}, Range{n, n}})
          for (const Range cols : {Range{0, n}, Range{h, h}})
            EXPECT_EQ(wrong_entries<T>(world, slabs, rows, inner, cols, T(2), T(-1), options), 0)
                << to_string(transport);
      EXPECT_EQ(wrong_entries<T>(world, slabs, {0, n}, {h, h}, {0, n}, T(1), T(0), options), 0);
    }
  }
}

TYPED_TEST(GatherMultiplyTyped, GivesTheSameBitsByEveryTransport) {
  using T = TypeParam;
  World world;
  const RowPartition slabs = RowPartition::even(67, world.comm.size());
  const BlockRows<T> x(world.comm, slabs, 67, world.device), first(world.comm, slabs, 67, world.device),
      again(world.comm, slabs, 67, world.device);
  for (Index j = 0; j < 67; ++j)
    for (Index i = 0; i < x.local().rows; ++i) x.local()(i, j) = uniform<T>(7, x.my_rows().begin + i, j);
  gather_multiply<T>({0, 67}, T(1), x, x, {0, 67}, T(0), first);
  for (const GatherTransport transport : transports) {
    gather_multiply<T>({0, 67}, T(1), x, x, {0, 67}, T(0), again, {.transport = transport, .force = true});
    const auto bytes = static_cast<std::size_t>(again.local().size()) * sizeof(T);
    EXPECT_TRUE(bytes == 0 || std::memcmp(again.local().data, first.local().data, bytes) == 0)
        << to_string(transport);
  }
}

/// A22 := A22 - A21 A12 in one matrix.
TYPED_TEST(GatherMultiplyTyped, WorksInPlaceOnDisjointWindows) {
  using T = TypeParam;
  World world;
  const Index n = 19, h = 8;
  const BlockRows<T> x(world.comm, RowPartition::even(n, world.comm.size()), n, world.device);
  for (const GatherTransport transport : transports) {
    fill_slab(x, 1);
    gather_multiply<T>({h, n}, T(-1), x.columns(0, h), x.columns(h, n), {0, h}, T(1), x.columns(h, n),
                       {.transport = transport, .panel_bytes = 300, .force = true});
    Index wrong = 0;
    for (Index j = 0; j < n; ++j) {
      for (Index il = 0; il < x.local().rows; ++il) {
        const Index i = x.my_rows().begin + il;
        const T old = integer_entry<T>(1, i, j);
        const T want = i < h || j < h
                           ? old
                           : expected_entry<T>(
                                 T(-1), T(1), old, 0, h, [&](Index k) { return integer_entry<T>(1, i, k); },
                                 [&](Index k) { return integer_entry<T>(1, k, j); });
        wrong += x.local()(il, j) != want;
      }
    }
    EXPECT_EQ(wrong, 0) << to_string(transport);
  }
}

/// Words that a transport brings to this rank, for a panel of k x n words of which it owns `own` rows.
Index expected_words(GatherTransport transport, const World& world, bool user, Index k, Index own, Index n) {
  switch (transport) {
    case GatherTransport::zero_fill_allreduce:
      return k * n * std::bit_width(static_cast<unsigned>(world.comm.size() - 1));
    case GatherTransport::allgatherv:
    case GatherTransport::broadcast_per_rank:
      return (k - own) * n;
    default:
      return user ? (k - own) * n : 0;
  }
}

TEST(GatherMultiply, ReceivesTheWordsOfTheFormula) {
  World world;
  const int ranks = world.comm.size();
  const Index n = 24;
  const RowPartition slabs = RowPartition::even(n, ranks);
  const BlockRows<double> x(world.comm, slabs, n, world.device), c(world.comm, slabs, n, world.device);
  fill_slab(x, 1);
  const Index h = slabs.begin(ranks / 2);
  for (const GatherTransport transport : transports) {
    for (const Range rows : {Range{0, n}, Range{0, h}, Range{h, n}}) {
      for (const Range inner : {Range{0, n}, Range{0, h}, Range{h, n}}) {
        const auto a = x.columns(inner.begin, inner.end);
        const SlabProduct<double> product{rows, 1, &a, 0, &c};
        MultiplyTelemetry telemetry;
        GatherMultiply<double> gather(
            {.transport = transport, .panel_bytes = 1000, .force = true, .telemetry = &telemetry});
        gather.reserve(world.comm, world.device, 1000);
        const Traffic before = world.traffic;
        gather.run(x, inner, std::span(&product, 1));
        const bool user = !slabs.overlap(rows.begin, rows.end, world.comm.rank()).empty();
        const Index own = slabs.overlap(inner.begin, inner.end, world.comm.rank()).size();
        const Index words = rows.empty() ? 0 : expected_words(transport, world, user, inner.size(), own, n);
        EXPECT_EQ((world.traffic - before).words_received, words) << to_string(transport);
        EXPECT_EQ(telemetry.statistics().words, words);
        Index brought = 0;
        for (const TransportUse& use : telemetry.transports) brought += use.words;
        EXPECT_EQ(brought, words);
        const bool delivered = user || transport == GatherTransport::zero_fill_allreduce ||
                               transport == GatherTransport::allgatherv ||
                               transport == GatherTransport::broadcast_per_rank;
        EXPECT_EQ(telemetry.panel_words, delivered && !rows.empty() ? inner.size() * n : 0);
      }
    }
  }
}

/// A list of products of one B: gathered once, to the users of all of them.
TEST(GatherMultiply, GathersASharedPanelOnce) {
  World world;
  const int ranks = world.comm.size();
  const Index n = 20;
  const RowPartition slabs = RowPartition::even(n, ranks);
  const Index h = slabs.begin(ranks / 2);
  const BlockRows<double> x(world.comm, slabs, n, world.device), y(world.comm, slabs, n, world.device),
      c(world.comm, slabs, n, world.device);
  for (const GatherTransport transport : {GatherTransport::direct, GatherTransport::ring}) {
    fill_slab(x, 1);
    fill_slab(y, 2);
    fill_slab(c, 3);
    const auto a1 = x.columns(h, n), a2 = y.columns(h, n), b = x.columns(0, 7), c7 = c.columns(0, 7);
    const SlabProduct<double> products[] = {{{0, h}, 1, &a1, 1, &c7}, {{h, n}, -1, &a2, 0, &c7}};
    GatherMultiply<double> gather({.transport = transport});
    gather.reserve(world.comm, world.device, n * 7);
    const Traffic before = world.traffic;
    gather.run(b, {h, n}, products);
    EXPECT_EQ((world.traffic - before).words_received,
              (n - h - slabs.overlap(h, n, world.comm.rank()).size()) * 7);
    Index wrong = 0;
    for (Index j = 0; j < n; ++j) {
      for (Index il = 0; il < c.local().rows; ++il) {
        const Index i = c.my_rows().begin + il;
        const bool top = i < h;
        const double old = integer_entry<double>(3, i, j);
        const double want = j >= 7 ? old
                                   : expected_entry<double>(
                                         top ? 1 : -1, top ? 1 : 0, old, h, n,
                                         [&](Index k) { return integer_entry<double>(top ? 1 : 2, i, k); },
                                         [&](Index k) { return integer_entry<double>(1, k, j); });
        wrong += c.local()(il, j) != want;
      }
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(GatherMultiply, KeepsToItsBudgetAndGoesByAllreduceBelowTheThreshold) {
  World world;
  const Index n = 32;
  const BlockRows<double> x(world.comm, RowPartition::even(n, world.comm.size()), n, world.device),
      c(world.comm, RowPartition::even(n, world.comm.size()), n, world.device);
  fill_slab(x, 1);
  const Index bytes = 4 * n * 8;  // four columns of the whole panel
  for (const GatherTransport transport : transports) {
    MultiplyTelemetry telemetry;
    const Index before = world.device.memory().current;
    world.device.reset_peak();
    gather_multiply<double>(
        {0, n}, 1, x, x, {0, n}, 0, c,
        {.transport = transport, .panel_bytes = bytes, .force = true, .telemetry = &telemetry});
    EXPECT_LE(world.device.memory().peak - before, bytes) << to_string(transport);
    const bool staged = transport != GatherTransport::zero_fill_allreduce && world.comm.size() > 1;
    EXPECT_EQ(telemetry.transports.at(0).collectives, staged ? 16 : 8);
  }
  for (const Index small : {n * n * 8 - 1, n * n * 8}) {
    MultiplyTelemetry telemetry;
    gather_multiply<double>(
        {0, n}, 1, x, x, {0, n}, 0, c,
        {.transport = GatherTransport::ring, .small_bytes = small, .telemetry = &telemetry});
    EXPECT_EQ(telemetry.transports.at(0).name, small < n * n * 8 ? "ring" : "zero_fill_allreduce");
  }
}

TEST(GatherMultiply, DescribesTheFirstCallsOnRequest) {
  World world;
  const int ranks = world.comm.size();
  const RowPartition slabs = RowPartition::even(2 * ranks, ranks);
  const BlockRows<double> x(world.comm, slabs, 2 * ranks, world.device),
      c(world.comm, slabs, 2, world.device);
  fill_slab(x, 1);
  const BlockRows<double> b = x.columns(0, 2);
  const SlabProduct<double> product{{0, 2}, 1, &x, 0, &c};
  GatherMultiply<double> gather({.transport = GatherTransport::direct, .describe_calls = 2});
  for (int call = 0; call < 3; ++call) gather.run(b, {0, 2 * ranks}, std::span(&product, 1));
  ASSERT_EQ(gather.descriptors().size(), 2u);
  EXPECT_EQ(gather.descriptors()[0],
            (GatherDescriptor{GatherTransport::direct, {0, 2 * ranks}, 0, 2, ranks, 1, 4, 4}));
  EXPECT_EQ(to_string(gather.descriptors()[1]), "direct: rows [0," + std::to_string(2 * ranks) +
                                                    ") x columns [0,2) from " + std::to_string(ranks) +
                                                    " ranks, for 1; pieces of 4 to 4 words");
  EXPECT_TRUE([&] {
    GatherMultiply<double> silent;
    silent.run(b, {0, 2 * ranks}, std::span(&product, 1));
    return silent.descriptors().empty();
  }());
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(GatherMultiply, RefusesByName) {
  using testing::HasSubstr;
  World world, other;
  const int ranks = world.comm.size();
  const RowPartition slabs = RowPartition::even(12, ranks);
  const BlockRows<double> x(world.comm, slabs, 12, world.device), c(world.comm, slabs, 12, world.device),
      elsewhere(other.comm, slabs, 12, world.device),
      differently(world.comm, RowPartition::even(13, ranks), 12, world.device);
  const auto run = [&](const BlockRows<double>& a, const BlockRows<double>& b, Range inner, Range rows) {
    return refusal([&] { gather_multiply<double>(rows, 1, a, b, inner, 0, c); });
  };
  EXPECT_THAT(refusal([] { GatherMultiply<double>({.transport = GatherTransport::allgatherv}); }),
              HasSubstr("allgatherv is pathological"));
  EXPECT_THAT(refusal([] { GatherMultiply<double>({.panel_bytes = 0}); }), HasSubstr("got 0"));
  EXPECT_THAT(run(x, x, {0, 13}, {0, 12}), HasSubstr("inner rows [0,13)"));
  EXPECT_THAT(run(x, x, {0, 12}, {5, 4}), HasSubstr("rows [5,4)"));
  EXPECT_THAT(run(x, x, {0, 11}, {0, 12}), HasSubstr("A has 12 columns for 11 inner rows"));
  EXPECT_THAT(run(x, x.columns(0, 3), {0, 12}, {0, 12}), HasSubstr("C has 12 columns and B 3"));
  EXPECT_THAT(run(elsewhere, x, {0, 12}, {0, 12}), HasSubstr("one communicator"));
  EXPECT_THAT(run(differently, x, {0, 12}, {0, 12}), HasSubstr("same row partition"));
}

/// Pieces of any size, more than one a member and none, among some of the ranks.
TEST(RingAllgather, AmongSomeRanksBringsAllPieces) {
  World world;
  const int ranks = world.comm.size();
  std::vector<int> members;
  for (int r = ranks - 1; r >= 0; r -= 2) members.push_back(r);  // every second, backwards
  std::vector<std::vector<double>> memory;
  for (std::size_t m = 0; m < members.size(); ++m) {
    memory.emplace_back(3 * m, members[m] == world.comm.rank() ? static_cast<double>(m) : -1);
  }
  std::vector<std::vector<std::span<double>>> held(members.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    held[m].push_back(std::span(memory[m]).first(m));
    held[m].push_back(std::span(memory[m]).subspan(m));
  }
  ring_allgather_among<double>(world.comm, members, held);
  const bool member = std::ranges::find(members, world.comm.rank()) != members.end();
  for (std::size_t m = 0; m < members.size(); ++m)
    for (const double value : memory[m]) EXPECT_EQ(value, member ? static_cast<double>(m) : -1);
}

}  // namespace
}  // namespace cyclade
