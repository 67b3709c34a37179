// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/meter.hpp"

#include <algorithm>

#include "cyclade/mpi/session.hpp"

namespace cyclade {

Meter::Scope::Scope(Meter& meter, std::size_t phase)
    : meter_(&meter), phase_(phase), start_(now()), before_(*meter.traffic_) {}

Meter::Scope::~Scope() {
  PhaseUse& use = meter_->phases_[phase_];
  use.seconds += now() - start_;
  use.traffic += *meter_->traffic_ - before_;
}

Meter::Scope Meter::phase(std::string_view name) {
  const auto found = std::ranges::find(phases_, name, &PhaseUse::name);
  const auto index = static_cast<std::size_t>(found - phases_.begin());
  if (found == phases_.end()) phases_.push_back({std::string(name), 0, {}});
  return Scope(*this, index);
}

PhaseUse Meter::use(std::string_view name) const {
  const auto found = std::ranges::find(phases_, name, &PhaseUse::name);
  return found == phases_.end() ? PhaseUse{std::string(name), 0, {}} : *found;
}

}  // namespace cyclade
