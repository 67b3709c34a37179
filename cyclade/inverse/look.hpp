// What every inversion does around its elimination, on a grid or in row slabs: the first look at A, before it
// is overwritten, the last look at X, and figures that are the same for everyone.
//
//   first_look(A): norms, a NaN, the sketch      elimination      last_look(X): certificate, verdict, advice
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "cyclade/inverse/gauss_jordan.hpp"
#include "cyclade/inverse/invert.hpp"

namespace cyclade {

/// What is known of A once it is overwritten.
template <Scalar T>
struct Known {
  std::optional<Sketch<T>> sketch;
  std::vector<double> magnitudes;  // of the rows
  double largest = 0;              // |re|+|im|
};

/// Throws ArgumentError for options of the sweep that no layout can serve. Local.
void require_sweep_options(const InvertOptions& options);

/// Norms and, where a certificate is wanted, the sketch. False, with the status in the report, if A holds a
/// NaN or an infinity. Collective; 4 n^2 k/P flops (x4 complex).
template <Dealt M>
bool first_look(const M& a, const InvertOptions& options, Known<typename M::Element>& known, Report& r);

/// What the elimination tells, in the report: status, zero pivot, growth, determinant. Local.
void take_result(const SweepResult& result, double largest_a, Report& r);

/// Of an elimination that came to its end: norms, certificate, verdict, advice. Collective.
template <Dealt M>
void last_look(const M& x, const Known<typename M::Element>& known, Report& r);

/// What the first method said of its own result is forgotten; that it was tried is not. Local.
void start_again(Report& r, Method method);

/// Runs `attempt`, which inverts `a` by r.method and fills in the report; where `wanted` and the result is
/// not ok, a second time on a copy of A kept meanwhile, by gauss_jordan. Collective.
template <Dealt M, class Attempt>
void with_fallback(const M& a, bool wanted, Report& r, Attempt&& attempt) {
  using T = typename M::Element;
  const MatrixView<T> loc = a.local();
  Buffer<T> kept;
  wanted = wanted && r.method != Method::gauss_jordan;
  if (wanted) {
    agree(everyone(a), [&] { kept = Buffer<T>(a.device(), loc.size()); });
    a.kernels().copy(loc, kept.view(loc.rows, loc.cols));
  }
  attempt();
  if (!wanted || r.status == Status::ok) return;
  a.kernels().copy(kept.view(loc.rows, loc.cols), loc);
  a.device().synchronise();
  kept = {};
  start_again(r, Method::gauss_jordan);
  attempt();
}

/// The slowest, the most, the largest over the ranks: the same figures for everyone. Collective.
void make_equal(Report& r, const Communicator& all, const Meter& meter);

}  // namespace cyclade
