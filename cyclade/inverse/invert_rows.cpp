// The one call, on row slabs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "cyclade/inverse/look.hpp"
#include "cyclade/inverse/preflight.hpp"

namespace cyclade {
namespace {

template <Scalar T>
Report describe(const BlockRows<T>& a) {
  Report r;
  r.n = a.rows();
  r.type = scalar_type<T>;
  r.grid = {a.comm().size(), 1};
  for (int rank = 0; rank < a.comm().size(); ++rank)
    r.row_block = std::max(r.row_block, a.partition().count(rank));
  r.col_block = std::max<Index>(1, a.cols());
  const auto n = static_cast<double>(a.rows());
  r.flops = (is_complex<T> ? 8 : 2) * n * n * n;
  return r;
}

template <Scalar T>
SweepResult eliminate(const BlockRows<T>& a, const InvertOptions& options, double largest, Report& r,
                      Meter& meter) {
  r.panel_width = 0;
  if (r.method == Method::gauss_jordan) {
    const SweepOptions sweep{options.panel_width, options.permutation_budget, options.lookahead,
                             options.progress};
    r.panel_width =
        std::min(r.n, options.panel_width > 0 ? options.panel_width : default_panel_width<T>(r.n));
    return gauss_jordan(a, sweep, meter);
  }
  r.recursion.emplace();
  {
    const auto scope = meter.phase("preflight");
    r.recursion->preflight = preflight(a);
  }
  return schur_rows(a, options.gather, largest, options.progress, meter, *r.recursion);
}

/// The elimination, and what stands around it.
template <Scalar T>
void invert_slabs(const BlockRows<T>& a, const InvertOptions& options, Report& r, Meter& meter) {
  Known<T> known;
  {
    const auto scope = meter.phase("certificate");
    if (!first_look(a, options, known, r)) return;
  }
  with_fallback(a, options.fallback, r, [&] {
    take_result(eliminate(a, options, known.largest, r, meter), known.largest, r);
    if (r.status != Status::ok) return;
    const auto scope = meter.phase("certificate");
    last_look(a, known, r);
  });
}

/// Words that a rank must receive: panels of the recursion, or the rows that the rank with the fewest lacks.
template <Scalar T>
double words_of(const BlockRows<T>& a, const Report& r, const InvertOptions& options) {
  const double recursion = r.recursion ? schur_rows_words(a.partition(), options.gather.transport) : 0;
  if (r.method == Method::schur_rows) return recursion;
  Index least = r.n;
  for (int rank = 0; rank < a.comm().size(); ++rank) least = std::min(least, a.partition().count(rank));
  return static_cast<double>(r.n) * static_cast<double>(r.n - least) + recursion;
}

Method method_for(const InvertOptions& options) {
  const Method method = options.method == Method::automatic ? Method::gauss_jordan : options.method;
  require(
      method == Method::gauss_jordan || method == Method::schur_rows,
      "invert: on row slabs the method is gauss_jordan or schur_rows, got " + std::string(to_string(method)));
  return method;
}

}  // namespace

template <Scalar T>
Report invert(const BlockRows<T>& a, const InvertOptions& options) {
  require(a.rows() == a.cols(),
          "invert: needs a square matrix, got " + std::to_string(a.rows()) + "x" + std::to_string(a.cols()));
  const Method method = method_for(options);
  require(
      options.structure == Structure::general,
      "invert: on row slabs the structure must be general, got " + std::string(to_string(options.structure)));
  require_sweep_options(options);
  const GatherMultiply<T> checked(options.gather);  // refuses what it cannot serve, before any message
  Report r = describe(a);
  r.method = method;
  if (r.n == 0) return r;

  const Traffic none, *counter = a.comm().traffic();
  const Traffic& traffic = counter ? *counter : none;
  Meter meter(traffic);
  const Traffic before = traffic;
  const double start = now();
  invert_slabs(a, options, r, meter);
  r.seconds = now() - start;
  r.traffic = traffic - before;
  r.words_model = words_of(a, r, options);
  r.matrix_bytes = a.local().size() * static_cast<Index>(sizeof(T));
  r.peak_bytes = a.device().memory().peak;
  make_equal(r, a.comm(), meter);
  return r;
}

#define CYCLADE_INVERT_ROWS(T) template Report invert(const BlockRows<T>&, const InvertOptions&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_INVERT_ROWS)

}  // namespace cyclade
