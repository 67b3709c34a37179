// What recursions tell: the same on all ranks, although ranks differ in what they did.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/recursion.hpp"

#include <gtest/gtest.h>

namespace cyclade {
namespace {

TEST(Recursion, figures_are_the_smallest_and_the_largest_of_the_ranks) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const Index rank = all.rank(), last = all.size() - 1;
  MultiplyTelemetry mine;
  mine.gemm = 2.0 + static_cast<double>(rank);
  mine.calls.push_back({1.0 + static_cast<double>(rank), 10 * rank});
  if (rank == last) mine.count("ring", 5);  // one rank alone used it
  if (rank == 0) mine.count("direct", 7);
  RecursionTelemetry t;
  combine(t, mine, static_cast<double>(-rank), 8, all);
  EXPECT_EQ(t.gemm.min, 2);
  EXPECT_EQ(t.gemm.max, 2 + static_cast<double>(last));
  EXPECT_EQ(t.leaf_seconds.min, -static_cast<double>(last));
  EXPECT_EQ(t.leaf_seconds.max, 0);
  EXPECT_EQ(t.bytes.max, static_cast<double>(80 * last));
  EXPECT_EQ(t.calls_min.calls, 1);
  EXPECT_EQ(t.calls_max.p50, 1 + static_cast<double>(last));
  EXPECT_EQ(t.transports.size(), 2u);
  for (const RecursionTransport& transport : t.transports) {
    EXPECT_EQ(transport.collectives.max, 1);
    EXPECT_EQ(transport.collectives.min, last == 0 ? 1 : 0);
    EXPECT_EQ(transport.bytes.max, transport.name == "ring" ? 40 : 56);
  }
}

TEST(Recursion, largest_figures_of_nodes_and_leaves) {
  RecursionTelemetry t;
  EXPECT_EQ(t.largest_b(), 0);
  t.nodes.push_back({{0, 8}, 4, 0, 3, 2, 10});
  t.nodes.push_back({{0, 4}, 2, 1, 30, 0, 10});  // A22 = 0: no ratio
  t.leaves.push_back({{0, 2}, 6});
  EXPECT_EQ(t.largest_b(), 30);
  EXPECT_EQ(t.largest_ratio(), 5);
  EXPECT_EQ(t.largest_leaf(), 6);
}

}  // namespace
}  // namespace cyclade
