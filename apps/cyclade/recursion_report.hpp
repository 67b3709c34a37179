// What a recursion tells of its course, as JSON and as text: see inverse/recursion.hpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cyclade/inverse/recursion.hpp"

namespace cyclade::app {

/// The object "recursion" of docs/command-line.md.
nlohmann::ordered_json recursion_json(const RecursionTelemetry& telemetry);

/// Lines for --verbose: what was known before, the nodes by depth, leaves, transports, times, calls.
std::string recursion_text(const RecursionTelemetry& telemetry);

}  // namespace cyclade::app
