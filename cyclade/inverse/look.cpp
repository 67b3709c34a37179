// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/look.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "cyclade/certify/norm.hpp"

namespace cyclade {
namespace {

/// Largest over smallest, zeros left out; 1 if there is nothing to compare.
double spread(const std::vector<double>& sizes) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const double size : sizes) {
    if (size > 0) least = std::min(least, size);
    most = std::max(most, size);
  }
  return most > 0 ? most / least : 1;
}

/// For results that are not as good as people hope: what could be said to them.
template <Dealt M>
void diagnose(const M& x, const std::vector<double>& magnitudes, Report& r) {
  if (r.status == Status::ok && r.certificate.digits >= 6) return;
  r.cond_skeel = skeel_condition(x, magnitudes);
  if (r.status == Status::numerically_singular) r.dependence = near_dependence(x);
}

/// The determinant, where an elimination that stopped still tells it: a pivoted one that met a zero pivot.
LogDeterminant determinant_of(const SweepResult& result, Method method) {
  if (result.status == Status::ok) return result.log_determinant;
  if (method == Method::gauss_jordan && result.status == Status::singular)
    return LogDeterminant::of_singular();
  return LogDeterminant::unknown();
}

}  // namespace

template <Dealt M>
bool first_look(const M& a, const InvertOptions& options, Known<typename M::Element>& known, Report& r) {
  const MatrixSize size = size_of(a);
  r.norm1_a = size.norm1;
  known.largest = size.largest;
  if (!std::isfinite(r.norm1_a)) {
    if (const auto bad = first_non_finite(a)) {
      r.status = Status::non_finite_input;
      std::tie(r.bad_row, r.bad_col) = *bad;
      return false;
    }
  }
  if (options.certificate) {
    known.sketch = take_sketch(a, certificate_vectors<typename M::Element>, options.seed);
    known.magnitudes = row_magnitudes(a);
    r.row_scale = spread(known.magnitudes);
  }
  return true;
}

void require_sweep_options(const InvertOptions& options) {
  require(options.panel_width >= 0, "invert: the panel width must be 0 (automatic) or more, got " +
                                        std::to_string(options.panel_width));
  require(options.permutation_budget >= 0, "invert: the permutation's budget must be 0 or more bytes, got " +
                                               std::to_string(options.permutation_budget));
}

void take_result(const SweepResult& result, double largest_a, Report& r) {
  r.status = result.status;
  r.zero_pivot = result.zero_pivot;
  r.growth = largest_a > 0 ? std::max(1.0, result.largest / largest_a) : 1;
  r.log_determinant = determinant_of(result, r.method);
}

template <Dealt M>
void last_look(const M& x, const Known<typename M::Element>& known, Report& r) {
  r.norm1_x = norm1(x);
  r.cond1 = r.norm1_a * r.norm1_x;
  if (known.sketch) {
    r.certificate = certify(*known.sketch, x, r.cond1, r.growth);
    r.status = decide<typename M::Element>(r.certificate, r.n, r.cond1, r.growth);
    diagnose(x, known.magnitudes, r);
  } else if (!std::isfinite(r.norm1_x)) {
    r.status = Status::numerically_singular;
  }
}

void start_again(Report& r, Method method) {
  r.fallback_from = r.method;
  r.fallback_status = r.status;
  r.method = method;
  r.norm1_x = r.cond1 = 0;
  r.certificate = {};
  r.cond_skeel = 0;
  r.dependence = {};
}

void make_equal(Report& r, const Communicator& all, const Meter& meter) {
  std::vector<double> seconds{r.seconds};
  std::vector<Index> counts{r.traffic.words_received, r.traffic.messages_received, r.matrix_bytes,
                            r.peak_bytes};
  for (const PhaseUse& use : meter.phases()) {
    seconds.push_back(use.seconds);
    counts.push_back(use.traffic.words_received);
    counts.push_back(use.traffic.messages_received);
  }
  all.all_reduce_max(std::span(seconds));
  all.all_reduce_max(std::span(counts));
  r.seconds = seconds[0];
  r.traffic = {counts[0], counts[1]};
  r.matrix_bytes = counts[2];
  r.peak_bytes = counts[3];
  r.phases.clear();
  for (std::size_t i = 0; i < meter.phases().size(); ++i)
    r.phases.push_back({meter.phases()[i].name, seconds[i + 1], {counts[2 * i + 4], counts[2 * i + 5]}});
}

#define CYCLADE_LOOK(T)                                                                    \
  template bool first_look(const Matrix<T>&, const InvertOptions&, Known<T>&, Report&);    \
  template bool first_look(const BlockRows<T>&, const InvertOptions&, Known<T>&, Report&); \
  template void last_look(const Matrix<T>&, const Known<T>&, Report&);                     \
  template void last_look(const BlockRows<T>&, const Known<T>&, Report&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_LOOK)

}  // namespace cyclade
