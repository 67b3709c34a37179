// Messages, collectives, grids and rings; what is counted; and errors that all ranks hear of.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/communicator.hpp"

#include <bit>
#include <numeric>

#include <gtest/gtest.h>

#include "cyclade/mpi/grid.hpp"
#include "cyclade/mpi/meter.hpp"
#include "cyclade/mpi/ring.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

TEST(Communicator, sends_and_counts) {
  Traffic traffic;
  const auto world = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  const int p = world.size(), me = world.rank();
  const std::vector<double> out{1.0 * me, 2.0 * me};
  std::vector<double> in(2);
  if (p > 1) {
    world.send_receive<double>(out, (me + 1) % p, in, (me - 1 + p) % p);
    EXPECT_EQ(in[1], 2.0 * ((me - 1 + p) % p));
    EXPECT_EQ(traffic, (Traffic{2, 1}));
    if (me == 0) world.send<double>(out, 1);
    if (me == 1) world.receive<double>(in, 0);
    if (me == 1) {
      EXPECT_EQ(in[0], 0.0);
    }
    world.send_receive<double>({}, (me + 1) % p, {}, (me - 1 + p) % p);  // nothing is sent
    EXPECT_EQ(traffic.words_received, me == 1 ? 4 : 2);
  }
  traffic = {};
  std::vector<Index> data(5, me == 0 ? 7 : 0);
  world.broadcast(std::span(data), 0);
  EXPECT_EQ(data, std::vector<Index>(5, 7));
  EXPECT_EQ(traffic.words_received, me == 0 ? 0 : 5);
  traffic = {};
  EXPECT_EQ(world.sum(1), p);
  EXPECT_EQ(world.max(me), p - 1);
  EXPECT_EQ(world.min(me + 3), 3);
  EXPECT_EQ(traffic.words_received, 3 * std::bit_width(static_cast<unsigned>(p - 1)));
  const Index mine = me;
  const auto all = world.all_gather(std::span<const Index>(&mine, 1));
  for (int r = 0; r < p; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], r);
}

TEST(Communicator, splits_moves_and_may_be_empty) {
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  auto half = world.split(world.rank() % 2, world.rank());
  EXPECT_EQ(half.rank(), world.rank() / 2);
  Communicator other = std::move(half);
  EXPECT_EQ(other.sum(1), (world.size() + 1 - world.rank() % 2) / 2);
  const auto none = world.split(world.rank() == 0 ? 0 : MPI_UNDEFINED, 0);
  EXPECT_EQ(none.exists(), world.rank() == 0);
  EXPECT_EQ(world.split_by_node().size(), world.size());
}

TEST(Agree, throws_the_error_of_the_lowest_rank_on_all) {
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  EXPECT_NO_THROW(agree(world, [] {}));
  for (int first = 0; first < world.size(); ++first) {
    try {
      agree(world, [&] {
        if (world.rank() >= first) throw FileError("rank " + std::to_string(world.rank()));
      });
      ADD_FAILURE() << "nobody heard of it";
    } catch (const FileError& error) {
      EXPECT_EQ(std::string(error.what()), "rank " + std::to_string(first));
    }
  }
  EXPECT_THROW(agree(world,
                     [&] {
                       if (world.rank() + 1 == world.size()) throw std::bad_alloc();
                     }),
               MemoryError);
}

TEST(GridShapes, are_nearest_to_a_square_or_cheapest) {
  const std::pair<int, GridShape> known[] = {
      {1, {1, 1}},   {2, {1, 2}},     {3, {1, 3}},     {4, {2, 2}},     {6, {2, 3}},
      {8, {2, 4}},   {12, {3, 4}},    {16, {4, 4}},    {17, {1, 17}},   {64, {8, 8}},
      {96, {8, 12}}, {144, {12, 12}}, {256, {16, 16}}, {288, {16, 18}}, {512, {16, 32}}};
  for (const auto& [ranks, shape] : known) EXPECT_EQ(nearest_square(ranks), shape) << ranks;
  // A prime number of ranks: one idle rank, or more of them where words cost more than flops
  EXPECT_EQ(cheapest_shape(287, 100000), (GridShape{13, 22}));
  EXPECT_EQ(cheapest_shape(287, 100000, 200000), (GridShape{15, 19}));
  EXPECT_EQ(cheapest_shape(288, 100000), (GridShape{16, 18}));
  EXPECT_THROW(nearest_square(0), ArgumentError);
}

TEST(GridPlaces, are_row_or_column_major_and_communicate_by_row_and_column) {
  test::for_each_grid([&](const Grid& grid) {
    const int rank = grid.all().rank();
    EXPECT_EQ(grid.rank_of(grid.my_row(), grid.my_col()), rank);
    EXPECT_EQ(grid.my_row(), grid.order() == GridOrder::row ? rank / grid.q() : rank % grid.p());
    EXPECT_EQ(grid.row().size(), grid.q());
    EXPECT_EQ(grid.row().rank(), grid.my_col());
    EXPECT_EQ(grid.column().size(), grid.p());
    EXPECT_EQ(grid.column().rank(), grid.my_row());
    EXPECT_EQ(grid.row().sum(grid.my_row()), grid.q() * grid.my_row());
    EXPECT_EQ(grid.column().max(grid.my_col()), grid.my_col());
  });
}

TEST(GridPlaces, leave_ranks_outside_and_refuse_too_many) {
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  const Grid one(MPI_COMM_WORLD, {1, 1});
  EXPECT_EQ(one.inside(), world.rank() == 0);
  EXPECT_THROW(Grid(MPI_COMM_WORLD, {1, world.size() + 1}), ArgumentError);
  EXPECT_THROW(Grid(MPI_COMM_WORLD, {0, 1}), ArgumentError);
  EXPECT_THROW(Grid(MPI_COMM_NULL, {1, 1}), ArgumentError);
  // over a part of the world, in another order
  const auto part = world.split(world.rank() % 2, -world.rank());
  const Grid grid(part.handle(), {1, part.size()});
  EXPECT_TRUE(grid.inside());
  EXPECT_EQ(grid.my_col(), part.rank());
}

template <class T>
class Ring : public testing::Test {};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>, Index>;
TYPED_TEST_SUITE(Ring, Elements);

TYPED_TEST(Ring, broadcast_delivers_from_every_root_in_any_segments) {
  using T = TypeParam;
  Traffic traffic;
  const auto world = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  for (int root = 0; root < world.size(); ++root) {
    for (const std::size_t n : {0, 1, 7, 1000}) {
      for (const Index segment : {1, 64, 1 << 20}) {
        std::vector<T> data(n), expected(n);
        for (std::size_t i = 0; i < n; ++i)
          expected[i] = T(static_cast<float>(i + 1) * static_cast<float>(root + 1));
        if (world.rank() == root) data = expected;
        traffic = {};
        ring_broadcast(world, std::span(data), root, segment);
        EXPECT_EQ(data, expected);
        EXPECT_EQ(traffic.words_received, world.rank() == root ? 0 : static_cast<Index>(n));
        // the same while something else is done
        if (world.rank() != root) std::fill(data.begin(), data.end(), T(0));
        PipelinedBroadcast<T> broadcast;
        broadcast.start(world, std::span(data), root, segment);
        for (int i = 0; i < 3; ++i) broadcast.poll();
        broadcast.finish();
        EXPECT_EQ(data, expected);
      }
    }
  }
}

TYPED_TEST(Ring, allgather_takes_uneven_and_empty_pieces) {
  using T = TypeParam;
  Traffic traffic;
  const auto world = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  const auto p = static_cast<std::size_t>(world.size()), me = static_cast<std::size_t>(world.rank());
  for (std::size_t pattern = 0; pattern < 3; ++pattern) {
    std::vector<Index> counts(p);
    for (std::size_t r = 0; r < p; ++r)
      counts[r] = pattern == 0 ? static_cast<Index>(r * r) : pattern == 1 ? (r + 1 == p ? 5 : 0) : 0;
    const Index total = std::accumulate(counts.begin(), counts.end(), Index{0});
    std::vector<T> data(static_cast<std::size_t>(total)), expected(data.size());
    std::size_t at = 0;
    for (std::size_t r = 0; r < p; ++r) {
      for (Index i = 0; i < counts[r]; ++i, ++at) {
        expected[at] = T(static_cast<float>(100 * r + static_cast<std::size_t>(i)));
        if (r == me) data[at] = expected[at];
      }
    }
    traffic = {};
    ring_allgather(world, std::span(data), std::span<const Index>(counts));
    EXPECT_EQ(data, expected);
    EXPECT_EQ(traffic.words_received, total - counts[me]);
  }
}

TEST(Meters, charge_phases) {
  Traffic traffic;
  const auto world = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  Meter meter(traffic);
  for (int i = 0; i < 2; ++i) {
    const auto scope = meter.phase("one");
    world.sum(1);
  }
  { const auto scope = meter.phase("two"); }
  EXPECT_EQ(meter.use("one").traffic.words_received,
            2 * std::bit_width(static_cast<unsigned>(world.size() - 1)));
  EXPECT_EQ(meter.use("two").traffic, Traffic());
  EXPECT_EQ(meter.use("three").seconds, 0);
  EXPECT_EQ(meter.phases().size(), 2U);
}

}  // namespace
}  // namespace cyclade
