// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/lu.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>

#include "cyclade/inverse/gauss_jordan.hpp"
#include "cyclade/inverse/permutation.hpp"
#include "cyclade/inverse/triangular.hpp"
#include "cyclade/matrix/panel.hpp"

namespace cyclade {
namespace {

/// Bytes for rows and columns that move.
constexpr Index moving_budget = Index{64} << 20;

/// One step: the global columns K = [begin,end), and the process column that owns them.
struct Step {
  Index begin;
  Index end;
  int owner;
  Index width() const { return end - begin; }
};

template <Scalar T>
class RightLooking {
 public:
  RightLooking(const Matrix<T>& a, Index width)
      : a_(a),
        loc_(a.local()),
        kernels_(a.kernels()),
        pivots_wanted_(std::min(a.rows(), a.cols())),
        width_(std::min(width, pivots_wanted_)),
        copy_(a.device(), a.local().rows * width_),
        panel_(a.device(), a.local().rows, width_),
        rows_(a.device(), a.local().cols, width_),
        pivots_(a.device(), width_) {}

  LuResult run() {
    for (Index k = 0; k < pivots_wanted_;) {
      Step step = next(k);
      std::vector<Index> header(static_cast<std::size_t>(step.width()) + 2);
      if (owns(step)) factor(step, header);
      a_.grid().row().broadcast(std::span(header), step.owner);
      step.end = header[0];  // the panel may have turned out shorter
      if (result_.zero_pivot < 0) result_.zero_pivot = header[1];
      exchange_rows(step, {header.begin() + 2, header.begin() + 2 + step.width()});
      update(step);
      k = step.end;
    }
    return std::move(result_);
  }

 private:
  /// Steps end at column block edges, so that one process column owns each.
  Step next(Index begin) const {
    const Axis& cols = a_.layout().cols;
    return {begin, std::min({begin + width_, cols.run_end(begin), pivots_wanted_}), cols.owner(begin)};
  }
  bool owns(const Step& k) const { return k.owner == a_.grid().my_col(); }
  Range local_columns(Index j0, Index j1) const {
    return a_.layout().cols.to_local(j0, j1, a_.grid().my_col());
  }
  Index rows_before(Index i) const { return a_.layout().rows.count_before(i, a_.grid().my_row()); }

  void factor(const Step& step, std::vector<Index>& header);
  bool factor_columns(const Step& step, std::vector<Index>& header);
  void pass_over(const Step& step, std::vector<Index>& header);
  void exchange_rows(const Step& step, const std::vector<Index>& pivot_rows);
  void update(const Step& step);

  const Matrix<T>& a_;
  MatrixView<T> loc_;
  const Kernels<T>& kernels_;
  Index pivots_wanted_;
  Index width_;
  Buffer<T> copy_;  // S: the rows that are left of the panel's columns
  ColumnPanel<T> panel_;
  RowPanel<T> rows_;
  PivotPanel<T> pivots_;
  LuResult result_;
};

/// On the process column that owns the step. header: where the step ends, the zero pivot met, the pivot rows.
/// A panel that runs into a column without a usable pivot is made to end there; a step that begins with one
/// passes over it alone. All ranks of the process column see the same outcome.
template <Scalar T>
void RightLooking<T>::factor(const Step& step, std::vector<Index>& header) {
  Step part = step;
  while (!factor_columns(part, header)) {
    part.end = header[0];
    if (part.width() == 0) return pass_over({step.begin, step.begin + 1, step.owner}, header);
  }
}

/// P S = L U; L21 and the rows L\U go back to where the rows came from. False if a pivot is zero or not
/// finite: nothing is changed, and header[0] is its column.
template <Scalar T>
bool RightLooking<T>::factor_columns(const Step& step, std::vector<Index>& header) {
  const Range cols = local_columns(step.begin, step.end);
  const Index top = rows_before(step.begin);
  const MatrixView<T> left = loc_.sub(top, loc_.rows, cols.begin, cols.end);
  const MatrixView<T> s = copy_.view(left.rows, left.cols);
  kernels_.copy(left, s);
  std::vector<Index> ids;
  for (Index l = top; l < loc_.rows; ++l) ids.push_back(a_.global_row(l));
  const PivotOutcome outcome = pivots_.factor(s, ids, column_peers(a_));
  header[0] = outcome.status == Status::ok ? step.end : step.begin + outcome.column;
  header[1] = -1;
  if (outcome.status != Status::ok) return false;
  std::ranges::copy(pivots_.rows(), header.begin() + 2);
  for (Index i = 0; i < step.width(); ++i) {
    const Index id = pivots_.rows()[static_cast<std::size_t>(i)];
    if (a_.layout().rows.owner(id) != a_.grid().my_row()) continue;
    const Index l = a_.layout().rows.to_local(id) - top;
    kernels_.copy(pivots_.factors().row_range(i, i + 1), s.row_range(l, l + 1));
  }
  kernels_.copy(s, left);
  a_.device().synchronise();
  return true;
}

/// One column whose largest entry is zero, or not a finite number: the row stays, as LAPACK leaves it, and
/// what is below it is divided only if there is something to divide.
template <Scalar T>
void RightLooking<T>::pass_over(const Step& step, std::vector<Index>& header) {
  const Index k = step.begin;
  const Axis& rows = a_.layout().rows;
  const MatrixView<T> column = loc_.column_range(local_columns(k, k + 1).begin, local_columns(k, k + 1).end);
  std::vector<T> pivot{T(0)};
  if (rows.owner(k) == a_.grid().my_row()) pivot[0] = column(rows.to_local(k), 0);
  a_.grid().column().broadcast(std::span(pivot), rows.owner(k));
  const MatrixView<T> below = column.row_range(rows_before(k + 1), column.rows);
  if (pivot[0] != T(0)) kernels_.divide(below, pivot[0]);
  a_.device().synchronise();
  header[0] = k + 1;
  header[1] = pivot[0] == T(0) ? k : -1;
  header[2] = k;
}

/// The rows that were chosen, in pivot order, come to the top of what is left by the exchanges that LAPACK
/// would make; each exchange moves the row that was in the way.
template <Scalar T>
void RightLooking<T>::exchange_rows(const Step& step, const std::vector<Index>& pivot_rows) {
  std::unordered_map<Index, Index> row_at, place_of;  // of the rows that have moved
  const auto now = [](const std::unordered_map<Index, Index>& map, Index i) {
    const auto found = map.find(i);
    return found == map.end() ? i : found->second;
  };
  for (Index k = step.begin; k < step.end; ++k) {
    const Index chosen = pivot_rows[static_cast<std::size_t>(k - step.begin)];
    const Index place = now(place_of, chosen), displaced = now(row_at, k);
    result_.interchanges.push_back(place);
    row_at[k] = chosen;
    place_of[chosen] = k;
    if (place == k) continue;
    row_at[place] = displaced;
    place_of[displaced] = place;
  }
  std::vector<Index> target(static_cast<std::size_t>(a_.rows()));
  std::iota(target.begin(), target.end(), Index{0});
  for (const auto& [row, place] : place_of) target[static_cast<std::size_t>(row)] = place;
  permute_rows(a_, target, moving_budget);
}

/// U12 := L11^-1 A12, A22 -= L21 U12
template <Scalar T>
void RightLooking<T>::update(const Step& step) {
  if (step.end == a_.cols()) return;
  const Range cols = local_columns(step.begin, step.end);
  const Index top = rows_before(step.end);
  std::vector<Index> ids(static_cast<std::size_t>(step.width()));
  std::iota(ids.begin(), ids.end(), step.begin);
  panel_.resize(loc_.rows - top, step.width());
  if (owns(step)) {
    kernels_.copy(loc_.sub(top, loc_.rows, cols.begin, cols.end), panel_.multipliers());
    kernels_.copy(pivots_.factors(), panel_.triangles());
    a_.device().synchronise();
  }
  const auto words = static_cast<std::size_t>((loc_.rows - top + step.width()) * step.width());
  ring_broadcast(a_.grid().row(), panel_.contents().first(words), step.owner);

  const Matrix<T> rest = a_.window({0, a_.rows(), step.end, a_.cols()});
  const MatrixView<T> u12 = rows_.gather(rest, ids);
  kernels_.trsm(Side::left, Uplo::lower, Op::none, Diag::unit, T(1), panel_.triangles(), u12);
  const Index before = rows_before(step.begin);
  kernels_.gather_rows(u12, rows_.my_positions(), rest.local().row_range(before, top));
  kernels_.gemm(Op::none, Op::none, T(-1), panel_.multipliers(), u12, T(1),
                rest.local().row_range(top, loc_.rows));
  a_.device().synchronise();
}

/// Where the columns of a product go when the exchanges are undone in reverse: column j to target[j].
std::vector<Index> undone(const std::vector<Index>& interchanges) {
  std::vector<Index> held(interchanges.size());  // held[place]: the column there now
  std::iota(held.begin(), held.end(), Index{0});
  for (std::size_t k = interchanges.size(); k-- > 0;)
    std::swap(held[k], held[static_cast<std::size_t>(interchanges[k])]);
  return inverse_permutation(held);
}

}  // namespace

template <Scalar T>
LuResult lu_factor(const Matrix<T>& a, Index width) {
  if (!a.grid().inside() || a.rows() == 0 || a.cols() == 0) return {};
  std::optional<RightLooking<T>> factorisation;
  agree(a.grid().all(),
        [&] { factorisation.emplace(a, width > 0 ? width : default_panel_width<T>(a.cols())); });
  return factorisation->run();
}

template <Scalar T>
Index lu_invert(const Matrix<T>& a, const std::vector<Index>& interchanges, Index width) {
  const Index n = a.rows();
  require(n == a.cols(),
          "lu_invert: needs a square matrix, got " + std::to_string(n) + "x" + std::to_string(a.cols()));
  require(
      static_cast<Index>(interchanges.size()) == n,
      "lu_invert: needs " + std::to_string(n) + " row exchanges, got " + std::to_string(interchanges.size()));
  for (Index k = 0; k < n; ++k) {
    const Index with = interchanges[static_cast<std::size_t>(k)];
    require(with >= k && with < n, "lu_invert: row " + std::to_string(k) +
                                       " cannot have been exchanged with row " + std::to_string(with) +
                                       "; are these the pivots of this matrix?");
  }
  if (!a.grid().inside() || n == 0) return -1;
  if (const Index zero = first_zero_diagonal(a); zero >= 0) return zero;
  factors_invert(a, width);
  permute_columns(a, undone(interchanges), moving_budget);
  return -1;
}

#define CYCLADE_LU(T)                                      \
  template LuResult lu_factor<T>(const Matrix<T>&, Index); \
  template Index lu_invert<T>(const Matrix<T>&, const std::vector<Index>&, Index);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_LU)

}  // namespace cyclade
