// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/report_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cyclade/environment.hpp"
#include "apps/cyclade/program.hpp"

namespace cyclade::app {
namespace {

class Lines {
 public:
  void add(std::string_view label, const std::string& text) {
    text_ += fmt::format("  {:<12}{}\n", label, text);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string method_words(const Report& r) {
  switch (r.method) {
    case Method::gauss_jordan:
      return "Gauss-Jordan in place, partial pivoting";
    case Method::cholesky:
      return "symmetric sweep for positive definite matrices, half the work";
    case Method::schur:
      return "recursive Schur complement, no pivoting between blocks";
    case Method::schur_rows:
      return "recursive Schur complement on row slabs";
    case Method::automatic:
      break;
  }
  return "check of a given inverse";
}

/// Nothing moves between the blocks of such a method: what it cannot invert, the pivoted one may.
bool is_unpivoted(const Report& r) { return r.method == Method::schur || r.method == Method::schur_rows; }

constexpr const char* use_pivoting =
    "This method does not pivot between blocks, and this matrix needs it: --method gauss-jordan does, and "
    "--fallback tries it by itself.";

std::string determinant_words(const Report& r) {
  const LogDeterminant& d = r.log_determinant;
  if (std::isnan(d.log_abs())) return "not known: the elimination was broken off";
  if (!std::isfinite(d.log_abs())) return "-inf: the determinant is zero";
  if (std::abs(d.sign().imag()) < 1e-14 && (r.type == ScalarType::s || r.type == ScalarType::d))
    return fmt::format("{:.12g}, sign {}", d.log_abs(), d.sign().real() < 0 ? "-1" : "+1");
  return fmt::format("{:.12g}, phase {:.6g} {:+.6g}i", d.log_abs(), d.sign().real(), d.sign().imag());
}

bool is_file_phase(const PhaseUse& use) { return use.name == "read" || use.name == "write"; }

/// The inversion alone.
std::string time_words(const Report& r) {
  std::string parts;
  double named = 0;
  for (const PhaseUse& use : r.phases) named += is_file_phase(use) ? 0 : use.seconds;
  for (const PhaseUse& use : r.phases) {
    const double percent = named > 0 && !is_file_phase(use) ? 100 * use.seconds / named : 0;
    if (percent >= 0.5) parts += fmt::format("{}{} {:.0f} %", parts.empty() ? "" : ", ", use.name, percent);
  }
  return fmt::format("{:.3g} s{}", r.seconds, parts.empty() ? "" : " (" + parts + ")");
}

bool is_single(const Report& r) { return r.type == ScalarType::s || r.type == ScalarType::c; }

/// To three digits, never down: a shift that is enough must stay enough.
double round_up(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - 2);
  return std::ceil(x * 1.001 / unit) * unit;
}

/// What may help against a large condition number: scaling, if the rows are at fault; a longer type.
void advise_on_condition(const Report& r, std::vector<std::string>& words) {
  if (r.cond_skeel > 0 && r.row_scale > 1e3 && r.cond_skeel < 1e-3 * r.cond1) {
    words.push_back(
        fmt::format("The rows differ in size by a factor of {:.1g}. Divided by their largest entries they "
                    "would leave a condition "
                    "number of about {:.2g}; multiply the columns of that inverse by the same divisors' "
                    "reciprocals to get yours.",
                    r.row_scale, r.cond_skeel));
  }
  if (is_single(r) && r.cond1 < 1e14)
    words.push_back("Double precision has digits enough for this condition: --type d (or z).");
}

std::string file_words(const Report& r) {
  std::string text;
  for (const PhaseUse& use : r.phases)
    if (is_file_phase(use))
      text += fmt::format("{}{} in {:.3g} s", text.empty() ? "" : ", ",
                          use.name == "read" ? "read or generated" : "written", use.seconds);
  return text;
}

}  // namespace

std::string status_words(const Report& r) {
  const Certificate& c = r.certificate;
  switch (r.status) {
    case Status::ok:
      if (!c.taken) return r.n == 0 ? "ok (the empty matrix)" : "finished; no certificate was asked for";
      return fmt::format("ok: the inverse is right to {} digits", c.digits);
    case Status::singular:
      if (is_unpivoted(r))
        return fmt::format("stopped: a leading block is singular, the pivot of column {} is exactly zero",
                           r.zero_pivot);
      return fmt::format("singular: the pivot of column {} is exactly zero", r.zero_pivot);
    case Status::numerically_singular:
      return "numerically singular: no digit of an inverse can be certified";
    case Status::not_positive_definite:
      return fmt::format("not positive definite: the leading minor of order {} is not positive",
                         r.zero_pivot + 1);
    case Status::non_finite_input:
      return fmt::format("refused: entry ({},{}) is not a finite number", r.bad_row, r.bad_col);
    case Status::growth_too_large:
      return "growth too large: the elimination lost its accuracy";
    case Status::certificate_failed:
      return "certificate failed: this is not the inverse";
  }
  return "unknown";
}

std::vector<std::string> advice(const Report& r) {
  std::vector<std::string> words;
  if (is_unpivoted(r) && (r.status == Status::singular || r.status == Status::growth_too_large ||
                          r.status == Status::certificate_failed))
    return {use_pivoting};
  switch (r.status) {
    case Status::ok:
      if (!r.certificate.taken || r.certificate.digits >= 3 || r.n == 0) break;
      words.push_back(fmt::format("Only {} digits are certain: the condition number is {:.2g}.",
                                  r.certificate.digits, r.cond1));
      advise_on_condition(r, words);
      break;
    case Status::singular:
      words.push_back(
          "The matrix has no inverse: a column is an exact combination of those before it. Look for a zero "
          "or repeated row "
          "or column.");
      break;
    case Status::numerically_singular:
      words.push_back(fmt::format("The condition number, about {:.2g}, leaves no digit in {} precision.",
                                  r.cond1, is_single(r) ? "single" : "double"));
      if (!r.dependence.rows.empty()) {
        words.push_back(fmt::format("Nearly dependent on each other: rows {}; columns {}.",
                                    fmt::join(r.dependence.rows, ", "), fmt::join(r.dependence.cols, ", ")));
      }
      advise_on_condition(r, words);
      words.push_back(
          "If the matrix is meant to be regular, a small multiple of the identity makes it so: "
          "--add-diagonal S.");
      break;
    case Status::not_positive_definite:
      words.push_back("Leave --structure out: the general method does not need a positive definite matrix.");
      if (r.sufficient_shift > 0)
        words.push_back(
            fmt::format("Or shift it: --add-diagonal {:.3g} is enough to make it positive definite.",
                        round_up(r.sufficient_shift)));
      break;
    case Status::non_finite_input:
      words.push_back("Mend the input: it holds a NaN or an infinity.");
      break;
    case Status::growth_too_large:
      words.push_back(
          fmt::format("Intermediate entries grew by a factor of {:.2g}. Rescale the matrix, or change the "
                      "order of its columns.",
                      r.growth));
      advise_on_condition(r, words);
      break;
    case Status::certificate_failed:
      if (r.method == Method::automatic) {  // a check of somebody's inverse
        words.push_back(is_single(r)
                            ? "Look whether the two files belong together, and in this order."
                            : "Look whether the two files belong together, and in this order; an inverse "
                              "that was computed in single precision is checked with --type s (or c).");
        break;
      }
      words.push_back(
          "Neither the condition number nor growth explains the residual: wrong input, or a fault of memory "
          "or hardware. Run "
          "it again; if it stays, please report it.");
      break;
  }
  return words;
}

std::string report_text(const Report& r, const ReportContext& context) {
  Lines lines;
  lines.add("matrix", fmt::format("{}, {} x {}, {} ({})", context.input, r.n, r.n, type_name(r.type),
                                  in_bytes(static_cast<double>(r.n) * static_cast<double>(r.n) *
                                           static_cast<double>(size_of(r.type)))));
  const std::string structure = r.structure == Structure::general || r.method == Method::cholesky
                                    ? ""
                                    : fmt::format("; {}", to_string(r.structure));
  lines.add("method", method_words(r) + structure +
                          (r.panel_width > 0 ? fmt::format("; panels of {} columns", r.panel_width) : ""));
  const int used = r.grid.p * r.grid.q;
  lines.add("grid",
            fmt::format("{} x {} processes{}, blocks of {} x {}, {} BLAS thread{} each", r.grid.p, r.grid.q,
                        used < context.ranks
                            ? fmt::format(" ({} of {} ranks idle)", context.ranks - used, context.ranks)
                            : "",
                        r.row_block, r.col_block, context.threads, context.threads == 1 ? "" : "s"));
  const BlasInfo blas = blas_info();
  lines.add("BLAS",
            fmt::format("{}, {} kernels{}", blas.library, blas.core,
                        chosen_kernels().empty()
                            ? ""
                            : " (chosen by the processor's features: this release does not know it)"));
  lines.add("status", status_words(r));
  const Certificate& c = r.certificate;
  if (c.taken) {
    lines.add("certificate",
              fmt::format(
                  "|XA-I| <= {:.2g}, |AX-I| <= {:.2g} (2-norm; {:.2g} allowed), with probability 1 - {:.0e}",
                  c.left, c.right, c.tolerance, 1 - c.confidence));
  }
  if (r.cond1 > 0)
    lines.add("condition",
              fmt::format("{:.3g} = |A| {:.4g} * |X| {:.4g} (1-norm)", r.cond1, r.norm1_a, r.norm1_x));
  if (r.method != Method::automatic && r.status != Status::non_finite_input &&
      r.status != Status::not_positive_definite)
    lines.add("log|det A|", determinant_words(r));
  if ((r.method == Method::gauss_jordan || is_unpivoted(r)) && r.growth > 0)
    lines.add("growth", fmt::format("{:.3g}", r.growth));
  lines.add("time", time_words(r));
  if (const std::string files = file_words(r); !files.empty()) lines.add("files", files);
  const bool whole_sweep = r.status != Status::singular && r.status != Status::not_positive_definite &&
                           r.status != Status::non_finite_input && r.method != Method::automatic;
  if (whole_sweep && r.seconds > 0 && r.n > 0) {
    const std::string share = context.gemm_gflops > 0
                                  ? fmt::format(", {:.0f} % of the matrix product on the same cores ({:.3g})",
                                                100 * r.gflops() / context.gemm_gflops, context.gemm_gflops)
                                  : "";
    lines.add("speed", fmt::format("{:.3g} GFLOP/s{}", r.gflops(), share));
  }
  if (used > 1 && r.words_model > 0) {
    lines.add("traffic",
              fmt::format("{:.4g} words received by a rank at the most; {:.4g} by the formula of the method",
                          static_cast<double>(r.traffic.words_received), r.words_model));
  }
  if (r.peak_bytes > 0) {
    lines.add("memory", fmt::format("{} a rank at the most, {} of it the matrix",
                                    in_bytes(static_cast<double>(r.peak_bytes)),
                                    in_bytes(static_cast<double>(r.matrix_bytes))));
  }
  if (!context.output.empty()) lines.add("output", context.output);
  if (r.fallback_from) {
    lines.add("note", fmt::format("method {} came first and ended with {}: this is what the method with "
                                  "pivoting made of a copy of the matrix",
                                  to_string(*r.fallback_from), to_string(r.fallback_status)));
  }
  if (r.redistributed) lines.add("note", "inverted in a copy with wider column blocks, and brought back");
  for (const std::string& note : context.notes) lines.add("note", note);
  for (const std::string& word : advice(r)) lines.add("advice", word);
  return lines.take();
}

}  // namespace cyclade::app
