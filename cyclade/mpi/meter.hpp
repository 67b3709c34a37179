// Where the time and the words went: seconds and arrivals by phase. A phase is a scope; phases do not nest.
//
//   Meter meter(grid.traffic());
//   { const auto scope = meter.phase("panel");  ...work... }
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cyclade/mpi/traffic.hpp"

namespace cyclade {

/// What a phase has cost this rank so far.
struct PhaseUse {
  std::string name;
  double seconds = 0;
  Traffic traffic;
};

class Meter {
 public:
  explicit Meter(const Traffic& traffic) : traffic_(&traffic) {}

  class Scope {
   public:
    Scope(Meter& meter, std::size_t phase);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Meter* meter_;
    std::size_t phase_;
    double start_;
    Traffic before_;
  };

  /// Charges the time until the scope ends, and what arrives in it, to the phase of that name.
  [[nodiscard]] Scope phase(std::string_view name);
  /// In the order in which they first began.
  const std::vector<PhaseUse>& phases() const { return phases_; }
  /// The phase of that name; zeros if it never began.
  PhaseUse use(std::string_view name) const;

 private:
  const Traffic* traffic_;
  std::vector<PhaseUse> phases_;
};

}  // namespace cyclade
