// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/row_partition.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "cyclade/base/error.hpp"

namespace cyclade {

RowPartition::RowPartition(std::span<const Index> counts) {
  require(!counts.empty(), "row partition: needs the row counts of at least one rank, got none");
  offsets_.assign(1, 0);
  offsets_.reserve(counts.size() + 1);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const std::string who = "row partition: rank " + std::to_string(r);
    require(counts[r] >= 0, who + ": the number of rows must be 0 or more, got " + std::to_string(counts[r]));
    require(counts[r] <= std::numeric_limits<Index>::max() - offsets_.back(),
            who + ": the rows of all ranks up to here are more than 64 bits can count");
    offsets_.push_back(offsets_.back() + counts[r]);
  }
}

RowPartition RowPartition::even(Index n, int ranks) {
  require(ranks >= 1, "row partition: needs at least one rank, got " + std::to_string(ranks));
  require(n >= 0, "row partition: the number of rows must be 0 or more, got " + std::to_string(n));
  std::vector<Index> counts(static_cast<std::size_t>(ranks), n / ranks);
  std::for_each_n(counts.begin(), n % ranks, [](Index& count) { ++count; });
  return RowPartition(counts);
}

int RowPartition::owner(Index i) const {
  // The last slab that starts at or before i: of slabs that start together, all but the last are empty.
  const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), i);
  return static_cast<int>(after - offsets_.begin()) - 1;
}

Index RowPartition::count_before(Index i, int rank) const {
  return std::clamp<Index>(i - begin(rank), 0, count(rank));
}

Range RowPartition::overlap(Index i, Index k, int rank) const {
  return {std::clamp(begin(rank), i, k), std::clamp(end(rank), i, k)};
}

}  // namespace cyclade
