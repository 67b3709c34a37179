// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/invert.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cyclade/certify/norm.hpp"
#include "cyclade/inverse/cholesky.hpp"
#include "cyclade/inverse/gauss_jordan.hpp"
#include "cyclade/inverse/look.hpp"
#include "cyclade/inverse/preflight.hpp"
#include "cyclade/matrix/redistribute.hpp"
#include "cyclade/matrix/symmetry.hpp"
#include "cyclade/mpi/session.hpp"

namespace cyclade {
namespace {

void require_invertible_shape(const Layout& layout, const char* who) {
  const std::string name = who;
  require(layout.rows.size == layout.cols.size, name + ": needs a square matrix, got " +
                                                    std::to_string(layout.rows.size) + "x" +
                                                    std::to_string(layout.cols.size));
  require(layout.rows.source != replicated,
          name + ": the rows are replicated; deal them out first (redistribute)");
  require(layout.cols.source != replicated,
          name + ": the columns are replicated; deal them out first (redistribute)");
}

template <Scalar T>
Report describe(const Matrix<T>& a) {
  Report r;
  r.in_grid = a.grid().inside();
  r.n = a.rows();
  r.type = scalar_type<T>;
  r.grid = a.grid().shape();
  r.order = a.grid().order();
  r.row_block = a.layout().rows.block;
  r.col_block = a.layout().cols.block;
  const auto n = static_cast<double>(a.rows());
  r.flops = (is_complex<T> ? 8 : 2) * n * n * n;
  return r;
}

/// mloc (n - nloc) + nloc (n - mloc): what a sweep must deliver to a rank; the largest over the grid. The
/// recursion brings panels of half the matrix in five products of each node: 2.5 times as much, less what its
/// leaves spare it.
template <Scalar T>
double sweep_words(const Matrix<T>& a, const Report& r) {
  const Index n = a.rows(), m_loc = a.local().rows, n_loc = a.local().cols;
  const double sweep = a.grid().all().max(static_cast<double>(m_loc * (n - n_loc) + n_loc * (n - m_loc)));
  if (!r.recursion) return (r.fallback_from ? 2 : 1) * sweep;
  double in_leaves = 0;  // of the entries
  for (const RecursionLeaf& leaf : r.recursion->leaves)
    in_leaves += std::pow(static_cast<double>(leaf.range.size()) / static_cast<double>(n), 2);
  return 2.5 * (1 - in_leaves) * sweep + (r.fallback_from ? sweep : 0);
}

bool is_symmetric(Structure s) { return s == Structure::symmetric || s == Structure::hermitian; }
Symmetry symmetry_of(Structure s) {
  return s == Structure::symmetric ? Symmetry::symmetric : Symmetry::hermitian;
}

/// Refuses by (i,j) a matrix that is not what the caller says. Rounding may explain 100 u max|A|.
template <Scalar T>
void require_structure(const Matrix<T>& a, Structure structure, double largest) {
  if (!is_symmetric(structure)) return;
  const double tolerance = 100 * static_cast<double>(unit_roundoff<T>) * largest;
  const auto bad = first_asymmetry(a, symmetry_of(structure), tolerance);
  if (!bad) return;
  const std::string i = std::to_string(bad->first), j = std::to_string(bad->second);
  const std::string fault = i == j ? "the diagonal entry (" + i + "," + j + ") is not real"
                                   : "entries (" + i + "," + j + ") and (" + j + "," + i + ") do not match";
  throw ArgumentError("invert: the matrix is stated to be " + std::string(to_string(structure)) + ", but " +
                      fault + "; mend it, or leave the structure out");
}

/// A positive definite matrix has one triangle that counts and a real diagonal.
template <Scalar T>
void complete_triangle(const Matrix<T>& a, const InvertOptions& options) {
  if (const auto bad = first_imaginary_diagonal(a)) {
    const std::string i = std::to_string(*bad);
    throw ArgumentError("invert: the matrix is stated to be positive definite, but the diagonal entry (" + i +
                        "," + i + ") is not real");
  }
  mirror_triangle(a, options.uplo, Symmetry::hermitian);
}

/// False if A cannot be inverted as it is.
template <Scalar T>
bool look_at(const Matrix<T>& a, const InvertOptions& options, Known<T>& known, Report& r, Meter& meter) {
  const bool one_triangle = options.structure == Structure::positive_definite;
  if (one_triangle) {
    const auto scope = meter.phase("mirror");
    complete_triangle(a, options);
  }
  const auto scope = meter.phase("certificate");
  if (!first_look(a, options, known, r)) return false;
  require_structure(a, options.structure, known.largest);
  if (known.sketch && one_triangle) r.sufficient_shift = -gershgorin_bound(a, known.magnitudes);
  return true;
}

/// A := A^-1 by the method of the report.
template <Scalar T>
SweepResult eliminate(const Matrix<T>& a, const InvertOptions& options, double largest_a, Report& r,
                      Meter& meter) {
  if (r.method == Method::schur) {
    r.recursion.emplace();
    {
      const auto scope = meter.phase("preflight");
      r.recursion->preflight = preflight(a);
    }
    return schur(a, options.schur, largest_a, options.progress, meter, *r.recursion);
  }
  const Index wanted = options.panel_width > 0 ? options.panel_width : default_panel_width<T>(r.n);
  r.panel_width = std::min({wanted, a.grid().q() > 1 ? r.col_block : r.n, r.n});
  const SweepOptions sweep{options.panel_width, options.permutation_budget, options.lookahead,
                           options.progress};
  return r.method == Method::cholesky ? cholesky_sweep(a, options.uplo, sweep, meter)
                                      : gauss_jordan(a, sweep, meter);
}

/// The inverse and the verdict on it.
template <Scalar T>
void invert_as_known(const Matrix<T>& a, const InvertOptions& options, const Known<T>& known, Report& r,
                     Meter& meter) {
  take_result(eliminate(a, options, known.largest, r, meter), known.largest, r);
  if (r.status == Status::ok && options.structure != Structure::general) {
    const auto scope = meter.phase("mirror");
    if (r.method == Method::cholesky) {
      mirror_triangle(a, options.uplo, Symmetry::hermitian);
    } else {
      symmetrise(a, symmetry_of(options.structure));
    }
  }
  if (r.status != Status::ok) return;

  const auto scope = meter.phase("certificate");
  last_look(a, known, r);
}

/// Everything between the first look at A and the verdict on X.
template <Scalar T>
void invert_in_grid(const Matrix<T>& a, const InvertOptions& options, Report& r, Meter& meter) {
  Known<T> known;
  if (!look_at(a, options, known, r, meter)) return;
  with_fallback(a, options.fallback, r, [&] { invert_as_known(a, options, known, r, meter); });
}

/// `automatic` chooses; what the method cannot serve is refused.
Method method_for(const InvertOptions& options) {
  const bool definite = options.structure == Structure::positive_definite;
  const Method method = options.method != Method::automatic ? options.method
                        : definite                          ? Method::cholesky
                                                            : Method::gauss_jordan;
  require(method != Method::schur_rows,
          "invert: method schur_rows needs row slabs (BlockRows); on this layout it is called schur");
  require(method != Method::cholesky || definite,
          "invert: method cholesky needs structure positive_definite");
  return method;
}

/// The layout in which the caller's matrix would be inverted faster, if its own has blocks so narrow that
/// every step eliminates only a few columns, and the budget allows for the copy.
template <Scalar T>
std::optional<Layout> faster_layout(const Matrix<T>& a, Index budget_bytes) {
  constexpr Index narrow = 32, good = 64;
  const Axis& cols = a.layout().cols;
  if (a.grid().q() == 1 || cols.block >= narrow || a.cols() <= narrow) return std::nullopt;
  const Layout wide = square_layout(a.rows(), good, a.grid().p(), a.grid().q());
  const Index largest = wide.rows.local_size(0) * wide.cols.local_size(0) * static_cast<Index>(sizeof(T));
  return largest <= budget_bytes ? std::optional(wide) : std::nullopt;
}

/// A := A^-1 by way of a copy in another layout. The report is the caller's matrix's.
template <Scalar T>
Report invert_elsewhere(const Matrix<T>& a, const Layout& layout, InvertOptions options) {
  const Communicator& all = a.grid().all();
  const Traffic before = a.grid().traffic();
  const double start = now();
  std::optional<Matrix<T>> copy;
  agree(all, [&] { copy.emplace(a.grid(), layout, a.device()); });
  redistribute(all, a, *copy);
  options.copy_budget = 0;
  const double there = now();
  Report r = invert(*copy, options);
  const double done = now();
  redistribute(all, *copy, a);
  const double moving = all.max(now() - done + (there - start));
  r.redistributed = true;
  r.row_block = a.layout().rows.block;
  r.col_block = a.layout().cols.block;
  r.seconds += moving;
  const Traffic moved = a.grid().traffic() - before;
  std::vector<Index> counts{moved.words_received, moved.messages_received,
                            a.local().size() * static_cast<Index>(sizeof(T)), a.device().memory().peak};
  all.all_reduce_max(std::span(counts));
  r.phases.push_back({"redistribute", moving, {}});
  r.traffic = {counts[0], counts[1]};
  r.matrix_bytes = counts[2];
  r.peak_bytes = counts[3];
  return r;
}

}  // namespace

template <Scalar T>
Report invert(const Matrix<T>& a, const InvertOptions& options) {
  require_invertible_shape(a.layout(), "invert");
  const Method method = method_for(options);
  require_sweep_options(options);
  require(options.schur.panel_bytes >= 0, "invert: the panels' budget must be 0 or more bytes, got " +
                                              std::to_string(options.schur.panel_bytes));
  require(options.schur.leaf >= 0,
          "invert: the leaf must be 0 (automatic) or more, got " + std::to_string(options.schur.leaf));
  Report r = describe(a);
  r.method = method;
  r.structure = options.structure;
  if (!r.in_grid || r.n == 0) return r;
  if (const auto better = faster_layout(a, options.copy_budget)) return invert_elsewhere(a, *better, options);

  Meter meter(a.grid().traffic());
  const Traffic before = a.grid().traffic();
  const double start = now();
  invert_in_grid(a, options, r, meter);
  r.seconds = now() - start;
  r.traffic = a.grid().traffic() - before;
  r.words_model = sweep_words(a, r);
  r.matrix_bytes = a.local().size() * static_cast<Index>(sizeof(T));
  r.peak_bytes = a.device().memory().peak;
  make_equal(r, a.grid().all(), meter);
  return r;
}

template <Scalar T>
Report verify(const Matrix<T>& a, const Matrix<T>& x, std::uint64_t seed) {
  require_invertible_shape(a.layout(), "verify");
  require(a.layout() == x.layout() && &a.grid() == &x.grid(),
          "verify: the matrix and its inverse must have one layout on one grid; redistribute one of them");
  Report r = describe(a);
  r.method = Method::automatic;
  if (!r.in_grid || r.n == 0) return r;
  Meter meter(a.grid().traffic());
  const double start = now();
  {
    const auto scope = meter.phase("certificate");
    r.norm1_a = norm1(a);
    r.norm1_x = norm1(x);
    r.cond1 = r.norm1_a * r.norm1_x;
    for (const Matrix<T>* m : {&a, &x}) {
      const auto bad = std::isfinite(m == &a ? r.norm1_a : r.norm1_x) ? std::nullopt : first_non_finite(*m);
      if (!bad || r.status != Status::ok) continue;
      r.status = Status::non_finite_input;
      std::tie(r.bad_row, r.bad_col) = *bad;
    }
    if (r.status == Status::ok) {
      r.certificate = certify(take_sketch(a, certificate_vectors<T>, seed), x, r.cond1, 1);
      r.status = decide<T>(r.certificate, r.n, r.cond1, 1);
    }
  }
  r.seconds = now() - start;
  make_equal(r, a.grid().all(), meter);
  return r;
}

#define CYCLADE_INVERT(T)                                            \
  template Report invert<T>(const Matrix<T>&, const InvertOptions&); \
  template Report verify<T>(const Matrix<T>&, const Matrix<T>&, std::uint64_t);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_INVERT)

}  // namespace cyclade
