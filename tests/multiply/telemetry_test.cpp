// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/multiply/telemetry.hpp"

#include <gtest/gtest.h>

namespace cyclade {
namespace {

TEST(CallStatistics, OfNoCallsAreZero) {
  const CallStatistics none = call_statistics({});
  EXPECT_EQ(none.calls, 0);
  EXPECT_EQ(none.max, 0);
  EXPECT_EQ(none.p99, 0);
}

TEST(CallStatistics, PercentilesAreNearestRanks) {
  std::vector<MultiplyCall> calls;
  for (int i = 100; i >= 1; --i) calls.push_back({static_cast<double>(i), 2});
  const CallStatistics s = call_statistics(calls);
  EXPECT_EQ(s.calls, 100);
  EXPECT_EQ(s.words, 200);
  EXPECT_EQ(s.total, 5050);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.mean, 50.5);
  EXPECT_EQ(s.max, 100);
  EXPECT_EQ(s.p50, 50);
  EXPECT_EQ(s.p90, 90);
  EXPECT_EQ(s.p99, 99);
  EXPECT_EQ(s.tail, 0);  // nothing is over 4 * 50
}

TEST(CallStatistics, TheTailIsTheTimeInCallsOverFourMedians) {
  const std::vector<MultiplyCall> calls = {{1, 0}, {1, 0}, {4, 0}, {1, 0}, {4.5, 0}, {100, 0}, {1, 0}};
  const CallStatistics s = call_statistics(calls);
  EXPECT_EQ(s.p50, 1);
  EXPECT_EQ(s.tail, 104.5);  // exactly four medians is no tail
}

TEST(MultiplyTelemetry, CountsCollectivesByTransport) {
  MultiplyTelemetry telemetry;
  telemetry.count("ring", 5);
  telemetry.count("broadcast", 1);
  telemetry.count("ring", 7);
  ASSERT_EQ(telemetry.transports.size(), 2u);
  EXPECT_EQ(telemetry.transports[0].name, "ring");
  EXPECT_EQ(telemetry.transports[0].collectives, 2);
  EXPECT_EQ(telemetry.transports[0].words, 12);
  EXPECT_EQ(telemetry.transports[1].words, 1);
}

}  // namespace
}  // namespace cyclade
