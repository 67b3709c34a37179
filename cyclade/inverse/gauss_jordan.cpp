// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/gauss_jordan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "cyclade/inverse/permutation.hpp"
#include "cyclade/matrix/panel.hpp"

namespace cyclade {
namespace {

/// One step: the global columns K = [begin,end), and the process column that owns them.
struct Step {
  Index begin;
  Index end;
  int owner;
  Index width() const { return end - begin; }
};

/// What the owner of a step tells the other process columns.
template <Scalar T>
struct Announcement {
  Announcement(Device& device, Index rows, Index width) : panel(device, rows, width) {}
  ColumnPanel<T> panel;       // T, L^-1, U^-1, the pivots
  std::vector<Index> header;  // status, failed column, pivot rows
};

template <Dealt M>
class Sweep {
  using T = typename M::Element;

 public:
  Sweep(const M& a, const SweepOptions& options, Index width, Meter& meter)
      : a_(a),
        cols_(column_dealing(a)),
        loc_(a.local()),
        kernels_(a.kernels()),
        options_(options),
        meter_(meter),
        width_(std::min(width, a.cols())),
        current_(a.device(), a.local().rows, width_),
        following_(a.device(), a.local().rows, width_),
        rows_(a.device(), a.local().cols, width_),
        pivots_(a.device(), width_),
        upper_(a.device(), width_ * width_),
        selected_(a.device(), width_ * width_),
        unused_(static_cast<std::size_t>(a.local().rows)) {
    for (std::size_t slot = 0; slot < unused_.size(); ++slot) unused_[slot] = static_cast<Index>(slot);
  }

  SweepResult run() {
    Step step = next(0);
    announce(step);
    while (!done(step)) {
      report_progress(step);
      std::swap(current_, following_);
      if (!exchange()) return result_;
      const Step ahead = next(step.end);
      prepare(step);
      // The columns of the next panel first: its owner factors and sends it while everyone is still busy with
      // the rest.
      const Range first = local_columns(ahead);
      if (options_.lookahead) {
        update_columns(first);
        announce(ahead);
        update_rest(step, first);
      } else {
        update_rest(step, first);
        update_columns(first);
        announce(ahead);
      }
      finish_panel(step);
      step = ahead;
    }
    permute();
    return result_;
  }

 private:
  /// Steps end at column block edges, so that one process column owns each. Past the end: an empty step.
  Step next(Index begin) const {
    if (begin == a_.cols()) return {begin, begin, 0};
    return {begin, std::min(begin + width_, cols_.run_end(begin)), cols_.owner(begin)};
  }
  bool done(const Step& step) const { return step.begin == a_.cols(); }
  bool owns(const Step& step) const { return step.owner == process_column(a_); }
  /// The local columns of a step: empty, but in the right place, on the ranks that own none of it.
  Range local_columns(const Step& step) const {
    return cols_.to_local(step.begin, step.end, process_column(a_));
  }
  void report_progress(const Step& step) const {
    if (options_.progress)
      options_.progress("sweep", static_cast<double>(step.begin) / static_cast<double>(a_.cols()));
  }

  /// Columns updated between two looks at the messages: tens of milliseconds of a core's work, and no fewer
  /// than a product needs to run at its best.
  Index strip_width() const {
    return std::max(Index{1024}, (Index{1} << 31) / std::max<Index>(1, loc_.rows * width_));
  }

  void announce(const Step& step);
  void factor(const Step& step);
  bool exchange();
  void prepare(const Step& step);
  void update_columns(Range columns);
  void update_rest(const Step& step, Range first);
  void finish_panel(const Step& step);
  void permute();

  const M& a_;
  Axis cols_;
  MatrixView<T> loc_;
  const Kernels<T>& kernels_;
  const SweepOptions& options_;
  Meter& meter_;
  Index width_;
  Announcement<T> current_, following_;
  PipelinedBroadcast<T> broadcast_;  // of following_.panel
  RowPanel<T> rows_;
  PivotPanel<T> pivots_;
  Buffer<T> upper_;            // U^-1 alone, zeros below
  Buffer<T> selected_;         // some rows of it
  std::vector<Index> used_;    // local rows that have been pivots
  std::vector<Index> unused_;  // the others, ascending
  MatrixView<T> y_;            // L^-1 R of this step
  std::vector<Index> sigma_;   // sigma[k]: the row that served as pivot of column k
  SweepResult result_;
};

/// The owner factors the panel of a step; it begins to travel along the process rows.
template <Dealt M>
void Sweep<M>::announce(const Step& step) {
  if (done(step)) return;
  following_.panel.resize(step.width());
  following_.header.assign(static_cast<std::size_t>(step.width() + 2), 0);
  {
    const auto scope = meter_.phase("panel");
    if (owns(step)) factor(step);
  }
  const auto scope = meter_.phase("exchange");
  following_.panel.write_header(following_.header);
  if (const Communicator* peers = row_peers(a_))
    broadcast_.start(*peers, following_.panel.contents(), step.owner);
}

/// On the process column that owns the step: P S = L U, the inverted triangles, and T, which also takes the
/// place of the panel in A.
template <Dealt M>
void Sweep<M>::factor(const Step& step) {
  auto& [panel, header] = following_;
  const Range cols = local_columns(step);
  const MatrixView<T> columns = loc_.column_range(cols.begin, cols.end), t = panel.multipliers();
  // Rows that were pivots first, in a compact copy; the others are S.
  std::vector<Index> order = used_;
  order.insert(order.end(), unused_.begin(), unused_.end());
  const auto pivots_before = static_cast<Index>(used_.size());
  kernels_.gather_rows(columns, order, t);
  const MatrixView<T> s = t.row_range(pivots_before, t.rows);
  std::vector<Index> ids;
  for (const Index slot : unused_) ids.push_back(a_.global_row(slot));
  result_.largest = std::max(result_.largest, static_cast<double>(kernels_.max_abs1(s)));
  const PivotOutcome outcome = pivots_.factor(s, ids, column_peers(a_));
  header[0] = static_cast<Index>(outcome.status);
  if (outcome.status != Status::ok) {
    header[1] = step.begin + outcome.column;
    return;
  }
  std::ranges::copy(pivots_.rows(), header.begin() + 2);
  result_.largest = std::max(result_.largest, static_cast<double>(pivots_.largest()));

  const MatrixView<T> triangles = panel.triangles();
  kernels_.copy(pivots_.factors(), triangles);
  for (Index i = 0; i < step.width(); ++i) panel.pivots()[static_cast<std::size_t>(i)] = triangles(i, i);
  kernels_.invert_triangle(Uplo::lower, Diag::unit, triangles);
  kernels_.invert_triangle(Uplo::upper, Diag::non_unit, triangles);
  // T = [A01 U^-1; L21; 0], every row back in its own slot
  kernels_.trmm(Side::right, Uplo::upper, Op::none, Diag::non_unit, T(1), triangles,
                t.row_range(0, pivots_before));
  // A few columns at a time: what has just been put in its place is still in the cache when it is copied.
  for (Index j = 0; j < t.cols; j += 8) {
    const Range strip{j, std::min(j + 8, t.cols)};
    kernels_.scatter_rows(t.column_range(strip.begin, strip.end), order,
                          columns.column_range(strip.begin, strip.end));
    kernels_.copy(columns.column_range(strip.begin, strip.end), t.column_range(strip.begin, strip.end));
  }
  a_.device().synchronise();
}

/// T has arrived along the process row; R is taken out of A and gathered in the process column. False if the
/// step found no pivot: all ranks leave.
template <Dealt M>
bool Sweep<M>::exchange() {
  const auto scope = meter_.phase("exchange");
  auto& [panel, header] = current_;
  broadcast_.finish();  // the verdict comes with it: nobody waits for a rank that is still busy
  panel.read_header(header);
  result_.status = static_cast<Status>(header[0]);
  if (result_.status != Status::ok) {
    result_.zero_pivot = result_.status == Status::singular ? header[1] : -1;
    return false;
  }
  const std::span<const Index> ids = std::span(header).subspan(2);
  y_ = rows_.take(a_, ids);
  sigma_.insert(sigma_.end(), ids.begin(), ids.end());
  std::vector<Index> slots = rows_.my_slots(), rest;
  used_.insert(used_.end(), slots.begin(), slots.end());
  std::ranges::sort(slots);
  std::ranges::set_difference(unused_, slots, std::back_inserter(rest));
  unused_ = std::move(rest);
  for (const T pivot : panel.pivots()) result_.log_determinant.multiply(pivot);
  return true;
}

/// Y = L^-1 R. The pivot rows of A are zero by now, and those of T become -U^-1: then A - T Y is U^-1 Y
/// there, too.
template <Dealt M>
void Sweep<M>::prepare(const Step& step) {
  const auto scope = meter_.phase("update");
  const MatrixView<T> triangles = current_.panel.triangles();
  kernels_.trmm(Side::left, Uplo::lower, Op::none, Diag::unit, T(1), triangles, y_);
  const Index after = local_columns(step).end;
  result_.largest =
      std::max(result_.largest, static_cast<double>(kernels_.max_abs1(y_.column_range(after, y_.cols))));
  const MatrixView<T> upper = upper_.view(step.width(), step.width());
  kernels_.set_identity(upper);
  kernels_.trmm(Side::left, Uplo::upper, Op::none, Diag::non_unit, T(-1), triangles, upper);
  const MatrixView<T> mine = selected_.view(static_cast<Index>(rows_.my_positions().size()), step.width());
  kernels_.gather_rows(upper, rows_.my_positions(), mine);
  kernels_.scatter_rows(mine, rows_.my_slots(), current_.panel.multipliers());
  if (!owns(step)) return;
  const Range k = local_columns(step);
  kernels_.scatter_rows(mine, rows_.my_slots(), loc_.column_range(k.begin, k.end));
}

/// A[:, J] -= T Y[:, J]. Every column by itself: ranges may be cut anywhere.
template <Dealt M>
void Sweep<M>::update_columns(Range columns) {
  if (columns.empty()) return;
  const auto scope = meter_.phase("update");
  kernels_.gemm(Op::none, Op::none, T(-1), current_.panel.multipliers(),
                y_.column_range(columns.begin, columns.end), T(1),
                loc_.column_range(columns.begin, columns.end));
  a_.device().synchronise();
}

/// All columns but the panel's and `first`, in strips, between which the next panel is passed on.
template <Dealt M>
void Sweep<M>::update_rest(const Step& step, Range first) {
  const Index strip = row_peers(a_) ? strip_width() : std::max<Index>(1, loc_.cols);
  const Range panel = local_columns(step);
  Index begin = 0;
  const auto update_until = [&](Index end) {
    while (begin < end) {
      const Index cut = end - begin < 2 * strip ? end : begin + strip;
      update_columns({begin, cut});
      begin = cut;
      const auto scope = meter_.phase("exchange");
      if (options_.lookahead) broadcast_.poll();
    }
  };
  // The two ranges to leave out, in local order
  for (const Range& gap : {panel, first}) {
    if (gap.empty()) continue;
    update_until(gap.begin);
    begin = std::max(begin, gap.end);
  }
  update_until(loc_.cols);
}

/// A[:, K] = -T L^-1. T lies there already.
template <Dealt M>
void Sweep<M>::finish_panel(const Step& step) {
  if (!owns(step)) return;
  const auto scope = meter_.phase("update");
  const Range k = local_columns(step);
  kernels_.trmm(Side::right, Uplo::lower, Op::none, Diag::unit, T(-1), current_.panel.triangles(),
                loc_.column_range(k.begin, k.end));
  a_.device().synchronise();
}

/// X(k, i) = M(sigma(k), sigma^-1(i)).
template <Dealt M>
void Sweep<M>::permute() {
  const auto scope = meter_.phase("permutation");
  permute_rows(a_, inverse_permutation(sigma_), options_.permutation_budget);
  permute_columns(a_, sigma_, options_.permutation_budget);
  result_.log_determinant.flip_sign(parity(sigma_));
}

}  // namespace

template <Scalar T>
Index default_panel_width(Index n) {
  return n < 1500 ? 64 : 128;
}

template <Dealt M>
SweepResult gauss_jordan(const M& a, const SweepOptions& options, Meter& meter) {
  using T = typename M::Element;
  const Index width = options.panel_width > 0 ? options.panel_width : default_panel_width<T>(a.cols());
  std::optional<Sweep<M>> sweep;
  agree(everyone(a), [&] { sweep.emplace(a, options, width, meter); });
  SweepResult result = sweep->run();
  result.largest = everyone(a).max(result.largest);
  return result;
}

#define CYCLADE_GAUSS_JORDAN(T)                                                     \
  template Index default_panel_width<T>(Index);                                     \
  template SweepResult gauss_jordan(const Matrix<T>&, const SweepOptions&, Meter&); \
  template SweepResult gauss_jordan(const BlockRows<T>&, const SweepOptions&, Meter&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_GAUSS_JORDAN)

}  // namespace cyclade
