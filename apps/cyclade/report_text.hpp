// The report of an inversion or a check, for people: what was done, how good it is, what it cost, and what to
// do about it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cyclade/inverse/report.hpp"

namespace cyclade::app {

/// What the report cannot know by itself.
struct ReportContext {
  std::string input;               ///< file, or name in the gallery
  std::string output;              ///< file written; empty: none
  int threads = 1;                 ///< BLAS threads a rank
  int ranks = 1;                   ///< all that were started
  double gemm_gflops = 0;          ///< rate of a product on the same cores; 0: not measured
  std::vector<std::string> notes;  ///< what was assumed, warnings
};

/// How it ended, in a few words.
std::string status_words(const Report& report);
/// Several lines, each "  label   text", aligned.
std::string report_text(const Report& report, const ReportContext& context);
/// What the status means and what to do about it, in plain words; empty if all is well.
std::vector<std::string> advice(const Report& report);
/// The JSON object of docs/command-line.md, one line a key, ending with a newline.
std::string report_json(const Report& report, const ReportContext& context);

}  // namespace cyclade::app
