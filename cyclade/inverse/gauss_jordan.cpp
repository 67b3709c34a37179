// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/gauss_jordan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cyclade/inverse/permutation.hpp"
#include "cyclade/matrix/panel.hpp"

namespace cyclade {
namespace {

/// One step: the global columns [begin,end), their width, and the process column that owns them.
struct Step {
  Index begin;
  Index end;
  int owner;
  Index width() const { return end - begin; }
};

template <Scalar T>
class Sweep {
 public:
  Sweep(const Matrix<T>& a, Index width, Meter& meter)
      : a_(a),
        kernels_(a.kernels()),
        meter_(meter),
        width_(std::min(width, a.cols())),
        panel_(a.device(), a.local().rows, width_),
        rows_(a.device(), a.local().cols, width_),
        pivots_(a.device(), owns_columns() ? width_ : 0),
        compact_(a.device(), owns_columns() ? a.local().rows * width_ : 0),
        upper_(a.device(), width_ * width_),
        selected_(a.device(), width_ * width_),
        unused_(static_cast<std::size_t>(a.local().rows)) {
    for (std::size_t slot = 0; slot < unused_.size(); ++slot) unused_[slot] = static_cast<Index>(slot);
  }

  SweepResult run(const SweepOptions& options) {
    for (Step step = next(0); step.begin < a_.cols(); step = next(step.end)) {
      if (options.progress)
        options.progress("sweep", static_cast<double>(step.begin) / static_cast<double>(a_.cols()));
      panel_.resize(step.width());
      factor(step);
      if (!exchange(step)) return result_;
      update(step);
    }
    finish(options);
    return result_;
  }

 private:
  bool owns_columns() const { return a_.local().cols > 0; }

  /// Steps end at column block edges, so that one process column owns each.
  Step next(Index begin) const {
    const Axis& cols = a_.layout().cols;
    if (begin == a_.cols()) return {begin, begin, 0};
    return {begin, std::min(begin + width_, cols.block_end(begin)), cols.owner(begin)};
  }
  bool owns(const Step& step) const { return step.owner == a_.grid().my_col(); }
  /// The local columns of a step: empty, but in the right place, on the ranks that own none of it.
  Range local_columns(const Step& step) const {
    return a_.layout().cols.to_local(step.begin, step.end, a_.grid().my_col());
  }

  void factor(const Step& step);
  bool exchange(const Step& step);
  void update(const Step& step);
  void finish(const SweepOptions& options);

  const Matrix<T>& a_;
  const Kernels<T>& kernels_;
  Meter& meter_;
  Index width_;
  ColumnPanel<T> panel_;
  RowPanel<T> rows_;
  PivotPanel<T> pivots_;
  Buffer<T> compact_;          // the panel with the rows that were pivots first
  Buffer<T> upper_;            // U^-1 alone, zeros below
  Buffer<T> selected_;         // some rows of it
  std::vector<Index> used_;    // local rows that have been pivots
  std::vector<Index> unused_;  // the others, ascending
  std::vector<Index> header_;  // status, column, pivot rows of this step
  MatrixView<T> r_;            // the pivot rows of this step
  std::vector<Index> sigma_;   // sigma[k]: the row that served as pivot of column k
  SweepResult result_;
};

/// On the process column that owns the step: P S = L U, T and the inverted triangles.
template <Scalar T>
void Sweep<T>::factor(const Step& step) {
  const auto scope = meter_.phase("panel");
  header_.assign(static_cast<std::size_t>(step.width() + 2), 0);
  if (!owns(step)) return;
  const Range cols = local_columns(step);
  std::vector<Index> order = used_;
  order.insert(order.end(), unused_.begin(), unused_.end());
  const auto done = static_cast<Index>(used_.size()), all = a_.local().rows;
  const MatrixView<T> c = compact_.view(all, step.width());
  kernels_.gather_rows(a_.local().column_range(cols.begin, cols.end), order, c);

  const MatrixView<T> s = c.row_range(done, all);
  result_.largest = std::max(result_.largest, static_cast<double>(kernels_.max_abs1(s)));
  std::vector<Index> ids;
  for (const Index slot : unused_) ids.push_back(a_.global_row(slot));
  const PivotOutcome outcome = pivots_.factor(s, ids, a_.grid().column());
  header_[0] = static_cast<Index>(outcome.status);
  header_[1] = outcome.status == Status::ok ? 0 : step.begin + outcome.column;
  if (outcome.status != Status::ok) return;
  std::ranges::copy(pivots_.rows(), header_.begin() + 2);
  result_.largest = std::max(result_.largest, static_cast<double>(pivots_.largest()));

  // L^-1 and U^-1 share a square; then T = [A01 U^-1; L21; 0], every row back in its own slot.
  const MatrixView<T> triangles = panel_.triangles();
  kernels_.copy(pivots_.factors(), triangles);
  for (Index i = 0; i < step.width(); ++i) panel_.pivots()[static_cast<std::size_t>(i)] = triangles(i, i);
  kernels_.invert_triangle(Uplo::lower, Diag::unit, triangles);
  kernels_.invert_triangle(Uplo::upper, Diag::non_unit, triangles);
  kernels_.trmm(Side::right, Uplo::upper, Op::none, Diag::non_unit, T(1), triangles, c.row_range(0, done));
  kernels_.scatter_rows(c, order, panel_.multipliers());
  a_.device().synchronise();
}

/// T along the process rows, R within the process columns. False if the step found no pivot: then all ranks
/// leave together.
template <Scalar T>
bool Sweep<T>::exchange(const Step& step) {
  const auto scope = meter_.phase("exchange");
  a_.grid().row().broadcast(std::span(header_), step.owner);
  result_.status = static_cast<Status>(header_[0]);
  if (result_.status != Status::ok) {
    result_.zero_pivot = result_.status == Status::singular ? header_[1] : -1;
    return false;
  }
  panel_.broadcast(a_.grid().row(), step.owner);
  const std::span<const Index> ids = std::span(header_).subspan(2);
  r_ = rows_.gather(a_, ids);
  sigma_.insert(sigma_.end(), ids.begin(), ids.end());
  std::vector<Index> slots = rows_.my_slots(), rest;
  used_.insert(used_.end(), slots.begin(), slots.end());
  std::ranges::sort(slots);
  std::ranges::set_difference(unused_, slots, std::back_inserter(rest));
  unused_ = std::move(rest);
  for (const T pivot : panel_.pivots()) result_.log_determinant.multiply(pivot);
  return true;
}

template <Scalar T>
void Sweep<T>::update(const Step& step) {
  const auto scope = meter_.phase("update");
  const MatrixView<T> loc = a_.local();
  const Range k = local_columns(step);
  const MatrixView<T> t = panel_.multipliers(), triangles = panel_.triangles(), y = r_;
  const auto& mine = rows_.my_positions();
  const auto& slots = rows_.my_slots();

  // Y = L^-1 R
  kernels_.trmm(Side::left, Uplo::lower, Op::none, Diag::unit, T(1), triangles, y);
  result_.largest =
      std::max(result_.largest, static_cast<double>(kernels_.max_abs1(y.column_range(k.end, y.cols))));
  // A[:, not K] -= T Y: one product, or two around the panel's columns
  const auto subtract_product = [&](Index j0, Index j1) {
    kernels_.gemm(Op::none, Op::none, T(-1), t, y.column_range(j0, j1), T(1), loc.column_range(j0, j1));
  };
  if (k.empty()) {
    subtract_product(0, loc.cols);
  } else {
    subtract_product(0, k.begin);
    subtract_product(k.end, loc.cols);
  }
  // pivot rows = U^-1 Y: those that lie here; all of them by a triangular product, a part by a plain one
  const MatrixView<T> upper = upper_.view(step.width(), step.width());
  kernels_.set_identity(upper);
  kernels_.trmm(Side::left, Uplo::upper, Op::none, Diag::non_unit, T(1), triangles, upper);
  const auto count = static_cast<Index>(mine.size());
  if (count == step.width()) {
    kernels_.trmm(Side::left, Uplo::upper, Op::none, Diag::non_unit, T(1), triangles, y);
    kernels_.scatter_rows(y, slots, loc);
  } else {
    const MatrixView<T> some = selected_.view(count, step.width()), product = rows_.scratch(count);
    kernels_.gather_rows(upper, mine, some);
    kernels_.gemm(Op::none, Op::none, T(1), some, y, T(0), product);
    kernels_.scatter_rows(product, slots, loc);
  }
  if (!k.empty()) {
    // A[:, K] = -T L^-1, pivot rows = U^-1 L^-1
    const MatrixView<T> columns = loc.column_range(k.begin, k.end);
    kernels_.copy(t, columns);
    kernels_.trmm(Side::right, Uplo::lower, Op::none, Diag::unit, T(-1), triangles, columns);
    kernels_.trmm(Side::right, Uplo::lower, Op::none, Diag::unit, T(1), triangles, upper);
    const MatrixView<T> some = selected_.view(count, step.width());
    kernels_.gather_rows(upper, mine, some);
    kernels_.scatter_rows(some, slots, columns);
  }
  a_.device().synchronise();
}

/// X(k, i) = M(sigma(k), sigma^-1(i)).
template <Scalar T>
void Sweep<T>::finish(const SweepOptions& options) {
  const auto scope = meter_.phase("permutation");
  permute_rows(a_, inverse_permutation(sigma_), options.permutation_budget);
  permute_columns(a_, sigma_, options.permutation_budget);
  result_.log_determinant.flip_sign(parity(sigma_));
}

}  // namespace

template <Scalar T>
Index default_panel_width(Index n) {
  return n < 1500 ? 64 : 128;
}

template <Scalar T>
SweepResult gauss_jordan(const Matrix<T>& a, const SweepOptions& options, Meter& meter) {
  const Index width = options.panel_width > 0 ? options.panel_width : default_panel_width<T>(a.cols());
  SweepResult result = Sweep<T>(a, width, meter).run(options);
  result.largest = a.grid().all().max(result.largest);
  return result;
}

#define CYCLADE_GAUSS_JORDAN(T)                 \
  template Index default_panel_width<T>(Index); \
  template SweepResult gauss_jordan<T>(const Matrix<T>&, const SweepOptions&, Meter&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_GAUSS_JORDAN)

}  // namespace cyclade
