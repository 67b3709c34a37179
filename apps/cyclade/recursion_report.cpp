// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/recursion_report.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "apps/cyclade/program.hpp"

namespace cyclade::app {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
Json over_ranks(const OverRanks& x) { return {{"min", number(x.min)}, {"max", number(x.max)}}; }

Json calls_json(const CallStatistics& c) {
  return {{"calls", c.calls},      {"words", c.words},       {"total", number(c.total)},
          {"min", number(c.min)},  {"mean", number(c.mean)}, {"max", number(c.max)},
          {"p50", number(c.p50)},  {"p90", number(c.p90)},   {"p99", number(c.p99)},
          {"tail", number(c.tail)}};
}

/// The seconds of a rank by kind of work, in the order in which they are told.
std::vector<std::pair<const char*, OverRanks>> seconds_of(const RecursionTelemetry& t) {
  return {{"zero_fill", t.zero_fill}, {"pack", t.pack}, {"wait", t.wait},        {"transfer", t.transfer},
          {"repack", t.repack},       {"gemm", t.gemm}, {"leaf", t.leaf_seconds}};
}

std::string span_text(const OverRanks& x) { return fmt::format("{:.3g}-{:.3g} s", x.min, x.max); }

}  // namespace

Json recursion_json(const RecursionTelemetry& t) {
  Json nodes = Json::array(), leaves = Json::array(), transports = Json::array(), seconds = Json::object();
  for (const RecursionNode& node : t.nodes) {
    nodes.push_back({{"begin", node.range.begin},
                     {"middle", node.middle},
                     {"end", node.range.end},
                     {"depth", node.depth},
                     {"norm_b", number(node.norm_b)},
                     {"norm_a22", number(node.norm_a22)},
                     {"norm_s", number(node.norm_s)},
                     {"ratio", number(node.schur_ratio())}});
  }
  for (const RecursionLeaf& leaf : t.leaves)
    leaves.push_back(
        {{"begin", leaf.range.begin}, {"end", leaf.range.end}, {"largest", number(leaf.largest)}});
  for (const RecursionTransport& use : t.transports) {
    transports.push_back(
        {{"name", use.name}, {"collectives", over_ranks(use.collectives)}, {"bytes", over_ranks(use.bytes)}});
  }
  for (const auto& [name, figure] : seconds_of(t)) seconds[name] = over_ranks(figure);
  return {{"leaf", t.leaf},
          {"preflight",
           {{"row_margin", number(t.preflight.row_margin)},
            {"column_margin", number(t.preflight.column_margin)},
            {"asymmetry", number(t.preflight.asymmetry)}}},
          {"largest_b", number(t.largest_b())},
          {"largest_ratio", number(t.largest_ratio())},
          {"largest_leaf", number(t.largest_leaf())},
          {"nodes", nodes},
          {"leaves", leaves},
          {"transports", transports},
          {"gathers", t.gathers},
          {"bytes", over_ranks(t.bytes)},
          {"panel_bytes", over_ranks(t.panel_bytes)},
          {"seconds", seconds},
          {"calls", {{"min", calls_json(t.calls_min)}, {"max", calls_json(t.calls_max)}}}};
}

std::string recursion_text(const RecursionTelemetry& t) {
  std::string text;
  const auto line = [&](std::string_view label, const std::string& words) {
    text += fmt::format("  {:<12}{}\n", label, words);
  };
  const Preflight& before = t.preflight;
  line("before", fmt::format("diagonal less the rest of its row {:.3g} at the least, of its column {:.3g}; "
                             "|A - A^H| {:.3g}{}",
                             before.row_margin, before.column_margin, before.asymmetry,
                             before.dominant() ? "; diagonally dominant" : ""));
  int deepest = -1;
  for (const RecursionNode& node : t.nodes) deepest = std::max(deepest, node.depth);
  for (int depth = 0; depth <= deepest; ++depth) {
    Index count = 0;
    double b = 0, ratio = 0;
    for (const RecursionNode& node : t.nodes) {
      if (node.depth != depth) continue;
      ++count;
      b = std::max(b, node.norm_b);
      ratio = std::max(ratio, node.schur_ratio());
    }
    line(depth == 0 ? "nodes" : "",
         fmt::format("depth {}: {:>4}, |B| up to {:.3g}, |S|/|A22| up to {:.3g}", depth, count, b, ratio));
  }
  line("leaves", fmt::format("{} of at most {} rows; largest entry of their inverses {:.3g}; {}",
                             t.leaves.size(), t.leaf, t.largest_leaf(), span_text(t.leaf_seconds)));
  for (const RecursionTransport& use : t.transports) {
    line("panels", fmt::format("{}: {}-{} collectives, {} received by a rank at the most", use.name,
                               use.collectives.min, use.collectives.max, in_bytes(use.bytes.max)));
  }
  for (const std::string& gather : t.gathers) line("", gather);
  std::string seconds;
  for (const auto& [name, figure] : seconds_of(t))
    if (figure.max > 0)
      seconds += fmt::format("{}{} {}", seconds.empty() ? "" : ", ", name, span_text(figure));
  line("work", seconds + " (least and most busy rank)");
  const CallStatistics& calls = t.calls_max;
  line("products",
       fmt::format("{} calls; p50 {:.3g} s, p90 {:.3g} s, p99 {:.3g} s, most {:.3g} s; {:.3g} s in "
                   "calls over four times the median",
                   calls.calls, calls.p50, calls.p90, calls.p99, calls.max, calls.tail));
  return text;
}

}  // namespace cyclade::app
