// BlockRows on slabs of all shapes: what a rank holds, windows that alias, and errors that all ranks see.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/block_rows.hpp"

#include <gtest/gtest.h>

#include "cyclade/device/host.hpp"

namespace cyclade {
namespace {

/// Rows of rank r in a family of partitions: even, growing, only one rank, every second rank.
Index count_of(int family, int r, int ranks) {
  switch (family) {
    case 0:
      return 3;
    case 1:
      return r;
    case 2:
      return r == 5 % ranks ? 6 : 0;
  }
  return r % 2 == 0 ? 0 : 4;
}

template <class T>
T entry(Index i, Index j) {
  return T(static_cast<Real<T>>(100 * i + j));
}

template <class T>
struct BlockRowsTest : testing::Test {
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  HostDevice device;
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BlockRowsTest, Scalars);

TYPED_TEST(BlockRowsTest, holds_its_slab_and_windows_are_parts_of_it) {
  using T = TypeParam;
  const Index n = 5;
  for (int family = 0; family < 4; ++family) {
    const Index mine = count_of(family, this->world.rank(), this->world.size());
    const auto a = BlockRows<T>::from_counts(this->world, mine, n, this->device);
    EXPECT_EQ(a.rows(), this->world.sum(mine));
    EXPECT_EQ(a.my_rows().size(), mine);
    EXPECT_EQ(a.local().rows, mine);
    EXPECT_EQ(a.local().cols, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < mine; ++i) a.local()(i, j) = entry<T>(a.my_rows().begin + i, j);

    const auto part = a.columns(1, 4);
    EXPECT_EQ(part.cols(), 3);
    for (Index i = 0; i < mine; ++i) EXPECT_EQ(part.local()(i, 2), entry<T>(a.my_rows().begin + i, 3));

    for (Index i0 = 0; i0 <= a.rows(); ++i0) {
      const Window w{i0, a.rows(), 2, n};
      const auto view = a.local(w);
      EXPECT_EQ(this->world.sum(view.rows), w.rows());
      if (view.empty()) continue;
      EXPECT_EQ(view(0, 0), entry<T>(std::max(i0, a.my_rows().begin), 2));
      EXPECT_EQ(view(view.rows - 1, 0), entry<T>(a.my_rows().end - 1, 2));
    }
    EXPECT_EQ(a.columns(n, n).cols(), 0);
  }
}

TYPED_TEST(BlockRowsTest, is_a_view_of_the_callers_memory) {
  using T = TypeParam;
  const Index mine = 2 + this->world.rank(), ld = mine + 3, n = 4;
  std::vector<T> memory(static_cast<std::size_t>(ld * n));
  const auto a = BlockRows<T>::from_counts(this->world, mine, n, this->device, memory.data(), ld);
  a.local()(mine - 1, n - 1) = T(7);
  EXPECT_EQ(memory[static_cast<std::size_t>(mine - 1 + (n - 1) * ld)], T(7));
  EXPECT_EQ(a.columns(1, n).local().data, memory.data() + ld);
}

using BlockRowsDouble = BlockRowsTest<double>;

TEST_F(BlockRowsDouble, what_one_rank_gets_wrong_all_ranks_hear) {
  const bool last = world.rank() == world.size() - 1;
  std::vector<double> memory(64);
  EXPECT_THROW(BlockRows<double>::from_counts(world, last ? -1 : 2, 3, device), ArgumentError);
  EXPECT_THROW(BlockRows<double>::from_counts(world, 2, 3, device, memory.data(), last ? 1 : 2),
               ArgumentError);
  EXPECT_THROW(BlockRows<double>::from_counts(world, 2, 3, device, last ? nullptr : memory.data(), 2),
               ArgumentError);
  EXPECT_NO_THROW(BlockRows<double>::from_counts(world, 0, 3, device, nullptr, 1));
}

TEST_F(BlockRowsDouble, wrong_shapes_are_refused_before_any_message) {
  EXPECT_THROW(BlockRows<double>(world, RowPartition::even(4, world.size() + 1), 3, device), ArgumentError);
  EXPECT_THROW(BlockRows<double>(world, RowPartition::even(4, world.size()), -1, device), ArgumentError);
  const BlockRows<double> a(world, RowPartition::even(4, world.size()), 3, device);
  EXPECT_THROW(a.columns(2, 4), ArgumentError);
  EXPECT_THROW(a.columns(2, 1), ArgumentError);
  EXPECT_THROW(a.local({0, 5, 0, 3}), ArgumentError);
}

TEST_F(BlockRowsDouble, gathering_the_counts_is_one_small_collective) {
  Traffic traffic;
  const auto comm = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  const RowPartition rows = gather_partition(comm, comm.rank());
  EXPECT_EQ(rows.size(), Index{comm.size()} * (comm.size() - 1) / 2);
  EXPECT_LE(traffic.words_received, comm.size());
}

}  // namespace
}  // namespace cyclade
