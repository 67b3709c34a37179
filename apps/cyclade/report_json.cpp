// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <nlohmann/json.hpp>

#include "apps/cyclade/recursion_report.hpp"
#include "apps/cyclade/report_text.hpp"

namespace cyclade::app {
namespace {

using Json = nlohmann::ordered_json;

/// What JSON cannot say is null.
Json number(double x) { return std::isfinite(x) ? Json(x + 0.0) : Json(nullptr); }  // never -0
Json number_if(bool known, double x) { return known ? number(x) : Json(nullptr); }

}  // namespace

std::string report_json(const Report& r, const ReportContext& context) {
  const Certificate& c = r.certificate;
  const bool determinant = r.status != Status::non_finite_input &&
                           r.status != Status::not_positive_definite && r.method != Method::automatic;
  Json phases = Json::object();
  for (const PhaseUse& use : r.phases) phases[use.name] = number(use.seconds);
  const Json json = {
      {"n", r.n},
      {"type", std::string(1, static_cast<char>(static_cast<char>(r.type) + 32))},
      {"method", r.method == Method::automatic ? "verify" : to_string(r.method)},
      {"structure", to_string(r.structure)},
      {"grid", {{"p", r.grid.p}, {"q", r.grid.q}, {"order", r.order == GridOrder::row ? "row" : "column"}}},
      {"nb", r.col_block},
      {"mb", r.row_block},
      {"ranks", context.ranks},
      {"threads", context.threads},
      {"input", context.input},
      {"output", context.output.empty() ? Json(nullptr) : Json(context.output)},
      {"status", to_string(r.status)},
      {"zero_pivot", r.zero_pivot < 0 ? Json(nullptr) : Json(r.zero_pivot)},
      {"bad_entry", r.bad_row < 0 ? Json(nullptr) : Json({r.bad_row, r.bad_col})},
      {"seconds", number(r.seconds)},
      {"phases", phases},
      {"gflops", number(r.gflops())},
      {"gemm_gflops", number_if(context.gemm_gflops > 0, context.gemm_gflops)},
      {"residual",
       {{"left", number_if(c.taken, c.left)},
        {"right", number_if(c.taken, c.right)},
        {"scaled_left", number_if(c.taken, r.scaled_left())},
        {"scaled_right", number_if(c.taken, r.scaled_right())},
        {"bound", number_if(c.taken, c.tolerance)},
        {"confidence", number_if(c.taken, c.confidence)}}},
      {"norm1_a", number(r.norm1_a)},
      {"norm1_x", number(r.norm1_x)},
      {"cond1", number(r.cond1)},
      {"digits", c.taken ? Json(c.digits) : Json(nullptr)},
      {"logabsdet", number_if(determinant, r.log_determinant.log_abs())},
      {"sign",
       {{"re", number_if(determinant, r.log_determinant.sign().real())},
        {"im", number_if(determinant, r.log_determinant.sign().imag())}}},
      {"growth", number(r.growth)},
      {"traffic",
       {{"words_received_max", r.traffic.words_received},
        {"messages_max", r.traffic.messages_received},
        {"words_model", number(r.words_model)}}},
      {"memory", {{"matrix", r.matrix_bytes}, {"peak", r.peak_bytes}}},
      {"row_scale", number(r.row_scale)},
      {"cond_skeel", number_if(r.cond_skeel > 0, r.cond_skeel)},
      {"sufficient_shift", number_if(r.status == Status::not_positive_definite, r.sufficient_shift)},
      {"dependent", {{"rows", r.dependence.rows}, {"columns", r.dependence.cols}}},
      {"fallback_from", r.fallback_from ? Json(to_string(*r.fallback_from)) : Json(nullptr)},
      {"redistributed", r.redistributed},
      {"recursion", r.recursion ? recursion_json(*r.recursion) : Json(nullptr)},
      {"notes", context.notes},
      {"advice", advice(r)},
      {"version", CYCLADE_VERSION},
  };
  return json.dump(2) + "\n";
}

}  // namespace cyclade::app
