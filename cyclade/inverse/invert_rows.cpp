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

/// The elimination, and what stands around it.
template <Scalar T>
void invert_slabs(const BlockRows<T>& a, const InvertOptions& options, Report& r, Meter& meter) {
  Known<T> known;
  {
    const auto scope = meter.phase("certificate");
    if (!first_look(a, options, known, r)) return;
  }
  r.recursion.emplace();
  {
    const auto scope = meter.phase("preflight");
    r.recursion->preflight = preflight(a);
  }
  take_result(schur_rows(a, options.gather, known.largest, options.progress, meter, *r.recursion),
              known.largest, r);
  if (r.status != Status::ok) return;
  const auto scope = meter.phase("certificate");
  last_look(a, known, r);
}

}  // namespace

template <Scalar T>
Report invert(const BlockRows<T>& a, const InvertOptions& options) {
  require(a.rows() == a.cols(),
          "invert: needs a square matrix, got " + std::to_string(a.rows()) + "x" + std::to_string(a.cols()));
  require(options.method == Method::schur_rows,
          "invert: on row slabs the method is schur_rows, got " + std::string(to_string(options.method)));
  require(
      options.structure == Structure::general,
      "invert: on row slabs the structure must be general, got " + std::string(to_string(options.structure)));
  require(!options.fallback, "invert: on row slabs there is no method to fall back on");
  const GatherMultiply<T> checked(options.gather);  // refuses what it cannot serve, before any message
  Report r = describe(a);
  r.method = options.method;
  if (r.n == 0) return r;

  const Traffic none, *counter = a.comm().traffic();
  const Traffic& traffic = counter ? *counter : none;
  Meter meter(traffic);
  const Traffic before = traffic;
  const double start = now();
  invert_slabs(a, options, r, meter);
  r.seconds = now() - start;
  r.traffic = traffic - before;
  r.words_model = schur_rows_words(a.partition(), options.gather.transport);
  r.matrix_bytes = a.local().size() * static_cast<Index>(sizeof(T));
  r.peak_bytes = a.device().memory().peak;
  make_equal(r, a.comm(), meter);
  return r;
}

#define CYCLADE_INVERT_ROWS(T) template Report invert(const BlockRows<T>&, const InvertOptions&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_INVERT_ROWS)

}  // namespace cyclade
