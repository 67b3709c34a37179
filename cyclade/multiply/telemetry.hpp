// What the products of one run have cost this rank: seconds by kind of work, words, collectives by transport,
// and every call's duration, so that a few slow calls among thousands can be seen (a mean hides them).
// The caller owns the struct and passes its address; what is not asked for is not kept.
//
//   calls sorted by time:  min .......... p50 .......... p90 .. p99 . max       tail: those over 4 * p50
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cyclade/mpi/session.hpp"
#include "cyclade/mpi/traffic.hpp"

namespace cyclade {

/// One call: how long it took and how many words this rank received in it.
struct MultiplyCall {
  double seconds = 0;
  Index words = 0;
};

/// Collectives run by one transport. A ring or a broadcast of one panel is one collective.
struct TransportUse {
  std::string_view name;
  Index collectives = 0;
  Index words = 0;  ///< received by this rank
};

/// Durations of a set of calls, in seconds; percentiles by nearest rank. All 0 if there were no calls.
struct CallStatistics {
  Index calls = 0;
  Index words = 0;
  double total = 0, min = 0, mean = 0, max = 0, p50 = 0, p90 = 0, p99 = 0;
  double tail = 0;  ///< seconds in calls that took more than four times the median
};

struct MultiplyTelemetry {
  std::vector<MultiplyCall> calls;
  std::vector<TransportUse> transports;
  Index panel_words = 0;  ///< of the panels that this rank was brought, its own parts included
  double zero_fill = 0;   ///< seconds zeroing panels for an allreduce
  double pack = 0;        ///< seconds copying this rank's part of panels into message buffers
  double wait = 0;        ///< seconds in the barrier before collectives, where that was asked for
  double transfer = 0;    ///< seconds in collectives
  double repack = 0;      ///< seconds putting pieces in order after they arrived
  double gemm = 0;        ///< seconds in local products

  /// Adds one collective of the transport of that name (a string that lives for ever).
  void count(std::string_view transport, Index words);
  CallStatistics statistics() const;
};

/// Adds the seconds since it was made, or since the last lap, to a sum.
class Stopwatch {
 public:
  void lap(double& sum) {
    const double time = now();
    sum += time - last_;
    last_ = time;
  }

 private:
  double last_ = now();
};

/// The figures of CallStatistics for any list of calls. Local. O(n log n).
CallStatistics call_statistics(std::span<const MultiplyCall> calls);

}  // namespace cyclade
