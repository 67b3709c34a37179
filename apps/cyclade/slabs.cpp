// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/slabs.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclade::app {
namespace {

constexpr std::array<std::pair<const char*, GatherTransport>, 6> gathers{{
    {"automatic", GatherTransport::automatic},
    {"zero-fill", GatherTransport::zero_fill_allreduce},
    {"allgatherv", GatherTransport::allgatherv},
    {"broadcast", GatherTransport::broadcast_per_rank},
    {"direct", GatherTransport::direct},
    {"ring", GatherTransport::ring},
}};

}  // namespace

GridOptions for_slabs(GridOptions options, Index n, int ranks) {
  if (options.grid.empty()) options.grid = fmt::format("{}x1", ranks);
  const GridShape shape = options.shape(ranks, n);
  require(shape.q == 1, fmt::format("--grid: method schur-rows needs one column of processes, Px1, got {}x{}",
                                    shape.p, shape.q));
  const Index slab = std::max<Index>(1, (n + shape.p - 1) / shape.p);
  if (options.mb == 0) options.mb = slab;
  require(
      options.mb >= slab && options.source.empty() && options.first_block.empty(),
      fmt::format("--mb: method schur-rows needs one block of rows for each process: {} or more, from the "
                  "first process on",
                  slab));
  return options;
}

template <Scalar T>
BlockRows<T> slabs_of(const Matrix<T>& a) {
  std::vector<Index> counts;
  for (int rank = 0; rank < a.grid().p(); ++rank) counts.push_back(a.layout().rows.local_size(rank));
  return {a.grid().all(), RowPartition(counts), a.cols(), a.device(), a.local().data, a.local().ld};
}

std::vector<std::string> gather_words() {
  std::vector<std::string> words;
  for (const auto& [word, transport] : gathers) words.push_back(word);
  return words;
}

GatherTransport parse_gather(const std::string& word) {
  const auto found = std::ranges::find_if(gathers, [&](const auto& each) { return word == each.first; });
  require(found != gathers.end(), fmt::format("--transport: method schur-rows knows {}, not {}",
                                              fmt::join(gather_words(), ", "), word));
  return found->second;
}

#define CYCLADE_SLABS(T) template BlockRows<T> slabs_of<T>(const Matrix<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SLABS)

}  // namespace cyclade::app
