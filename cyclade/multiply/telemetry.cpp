// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/multiply/telemetry.hpp"

#include <algorithm>

namespace cyclade {

CallStatistics call_statistics(std::span<const MultiplyCall> calls) {
  CallStatistics result;
  if (calls.empty()) return result;
  std::vector<double> seconds;
  for (const MultiplyCall& call : calls) {
    seconds.push_back(call.seconds);
    result.total += call.seconds;
    result.words += call.words;
  }
  std::ranges::sort(seconds);
  const std::size_t n = seconds.size();
  const auto nearest_rank = [&](std::size_t percent) { return seconds[(n * percent + 99) / 100 - 1]; };
  result.calls = static_cast<Index>(n);
  result.min = seconds.front();
  result.mean = result.total / static_cast<double>(n);
  result.max = seconds.back();
  result.p50 = nearest_rank(50);
  result.p90 = nearest_rank(90);
  result.p99 = nearest_rank(99);
  for (const double s : seconds)
    if (s > 4 * result.p50) result.tail += s;
  return result;
}

CallStatistics MultiplyTelemetry::statistics() const { return call_statistics(calls); }

void MultiplyTelemetry::count(std::string_view transport, Index words) {
  auto found = std::ranges::find(transports, transport, &TransportUse::name);
  if (found == transports.end()) found = transports.insert(found, {transport, 0, 0});
  ++found->collectives;
  found->words += words;
}

}  // namespace cyclade
