// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/progress.hpp"

#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

namespace cyclade::app {
namespace {

struct State {
  double start = 0;
  double last = 0;
  bool terminal = false;
  bool drawn = false;
  ~State() {
    if (drawn && terminal) fmt::print(stderr, "\r{:60}\r", "");  // the bar goes when the work is done
  }
};

std::string left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

}  // namespace

Progress show_progress(const Program& program, Clock clock) {
  if (!program.root()) return nullptr;
  const auto state = std::make_shared<State>();
  state->terminal = isatty(fileno(stderr)) != 0;
  state->start = state->last = clock();
  return [state, clock](std::string_view, double fraction) {
    const double now = clock(), interval = state->terminal ? 0.2 : 60;
    if (now - state->last < interval) return;
    state->last = now;
    // The sweep does the same work in every step, so the time left is in proportion.
    const std::string rest = fraction > 0.01 ? left((now - state->start) * (1 - fraction) / fraction) : "";
    if (state->terminal) {
      const auto full = static_cast<int>(30 * fraction);
      fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:3.0f} %  {:<14}", "", full, "", 30 - full, 100 * fraction,
                 rest);
    } else {
      fmt::print(stderr, "{:.0f} % done, {}\n", 100 * fraction, rest);
    }
    std::fflush(stderr);
    state->drawn = true;
  };
}

}  // namespace cyclade::app
