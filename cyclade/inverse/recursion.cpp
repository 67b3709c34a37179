// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/recursion.hpp"

#include <algorithm>
#include <array>

namespace cyclade {
namespace {

constexpr std::size_t name_length = 32;
constexpr std::size_t most_names = 8;

/// The transports that any rank used, in the same order on all: ranks may have used different ones.
std::vector<std::string> names_of_all(const std::vector<TransportUse>& mine, const Communicator& all) {
  std::array<char, name_length * most_names> text{};
  for (std::size_t i = 0; i < std::min(mine.size(), most_names); ++i)
    mine[i].name.copy(text.data() + i * name_length, name_length - 1);
  const std::vector<char> texts = all.all_gather(std::span<const char>(text));
  std::vector<std::string> names;
  for (std::size_t at = 0; at < texts.size(); at += name_length) {
    const std::string name(&texts[at]);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Figures of this rank, and where the smallest and the largest of all ranks go.
struct Figure {
  double mine;
  OverRanks* result;
};

void reduce(std::vector<Figure>& figures, const Communicator& all) {
  std::vector<double> extremes;  // max of x, and of -x
  for (const Figure& f : figures) extremes.insert(extremes.end(), {f.mine, -f.mine});
  all.all_reduce_max(std::span(extremes));
  for (std::size_t i = 0; i < figures.size(); ++i)
    *figures[i].result = {0.0 - extremes[2 * i + 1], extremes[2 * i]};
}

template <class F>
double largest_of(const auto& items, F&& figure) {
  double largest = 0;
  for (const auto& item : items) largest = std::max(largest, figure(item));
  return largest;
}

}  // namespace

double RecursionTelemetry::largest_b() const {
  return largest_of(nodes, [](const RecursionNode& each) { return each.norm_b; });
}
double RecursionTelemetry::largest_ratio() const {
  return largest_of(nodes, [](const RecursionNode& each) { return each.schur_ratio(); });
}
double RecursionTelemetry::largest_leaf() const {
  return largest_of(leaves, [](const RecursionLeaf& each) { return each.largest; });
}

void combine(RecursionTelemetry& t, const MultiplyTelemetry& mine, double leaf_seconds, Index word_bytes,
             const Communicator& all) {
  t.transports.clear();
  for (std::string& name : names_of_all(mine.transports, all))
    t.transports.push_back({std::move(name), {}, {}});
  const CallStatistics calls = mine.statistics();
  const auto bytes = [&](Index words) { return static_cast<double>(words * word_bytes); };
  std::vector<Figure> figures{{bytes(calls.words), &t.bytes}, {bytes(mine.panel_words), &t.panel_bytes},
                              {mine.zero_fill, &t.zero_fill}, {mine.pack, &t.pack},
                              {mine.wait, &t.wait},           {mine.transfer, &t.transfer},
                              {mine.repack, &t.repack},       {mine.gemm, &t.gemm},
                              {leaf_seconds, &t.leaf_seconds}};
  for (RecursionTransport& transport : t.transports) {
    const auto use = std::ranges::find(mine.transports, transport.name, &TransportUse::name);
    const TransportUse mine_of_it = use == mine.transports.end() ? TransportUse{} : *use;
    figures.push_back({static_cast<double>(mine_of_it.collectives), &transport.collectives});
    figures.push_back({bytes(mine_of_it.words), &transport.bytes});
  }
  OverRanks count, words;
  std::array<OverRanks, 8> seconds;
  constexpr std::array<double CallStatistics::*, 8> fields{
      &CallStatistics::total, &CallStatistics::min, &CallStatistics::mean, &CallStatistics::max,
      &CallStatistics::p50,   &CallStatistics::p90, &CallStatistics::p99,  &CallStatistics::tail};
  figures.push_back({static_cast<double>(calls.calls), &count});
  figures.push_back({static_cast<double>(calls.words), &words});
  for (std::size_t i = 0; i < fields.size(); ++i) figures.push_back({calls.*fields[i], &seconds[i]});
  reduce(figures, all);
  t.calls_min.calls = static_cast<Index>(count.min);
  t.calls_max.calls = static_cast<Index>(count.max);
  t.calls_min.words = static_cast<Index>(words.min);
  t.calls_max.words = static_cast<Index>(words.max);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    t.calls_min.*fields[i] = seconds[i].min;
    t.calls_max.*fields[i] = seconds[i].max;
  }
}

}  // namespace cyclade
