// Row slabs for tests: partitions as awkward as can be.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "cyclade/layout/row_partition.hpp"

namespace cyclade::test {

/// All n rows on one rank, empty slabs at the front, at the end, between, and slabs that grow.
inline std::vector<RowPartition> awkward_partitions(Index n, int ranks) {
  std::vector<RowPartition> result{RowPartition::even(n, ranks)};
  const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
  for (const int owner : {0, ranks / 2, ranks - 1}) {
    std::vector<Index> counts(at(ranks), 0);
    counts[at(owner)] = n;
    result.emplace_back(counts);
  }
  std::vector<Index> second_half(at(ranks), 0), every_other(at(ranks), 0), growing(at(ranks), 0);
  Index left = n;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank >= ranks / 2)
      second_half[at(rank)] = RowPartition::even(n, ranks - ranks / 2).count(rank - ranks / 2);
    if (rank % 2 == 1 || ranks == 1)
      every_other[at(rank)] = RowPartition::even(n, std::max(1, ranks / 2)).count(rank / 2);
    growing[at(rank)] = rank + 1 == ranks ? left : std::min<Index>(left, rank + 1);
    left -= growing[at(rank)];
  }
  for (const auto& counts : {second_half, every_other, growing}) result.emplace_back(counts);
  return result;
}

}  // namespace cyclade::test
