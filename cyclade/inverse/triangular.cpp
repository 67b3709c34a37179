// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/triangular.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "cyclade/inverse/gauss_jordan.hpp"
#include "cyclade/matrix/panel.hpp"

namespace cyclade {
namespace {

/// Which factors the array holds.
struct Factors {
  bool lower;
  bool upper;
  Diag lower_diagonal;  // at least one of the two factors has a unit diagonal
  Diag upper_diagonal;
};

/// One step: the global columns K = [begin,end), the process column that owns them, and the local rows and
/// columns of K: empty, but in the right place, on the ranks that hold none.
struct Step {
  Index begin;
  Index end;
  int owner;
  Range rows;
  Range cols;
  Index width() const { return end - begin; }
};

template <Scalar T>
class FactorSweep {
 public:
  FactorSweep(const Matrix<T>& a, const Factors& factors, Index width)
      : a_(a),
        loc_(a.local()),
        kernels_(a.kernels()),
        f_(factors),
        width_(std::min(width, a.cols())),
        panel_(a.device(), a.local().rows, width_),
        rows_(a.device(), a.local().cols, width_),
        block_(a.device(), width_ * width_) {}

  void run() {
    for (Step k = next(0); k.begin < a_.cols(); k = next(k.end)) {
      exchange(k);
      update(k);
      finish_rows(k);
      finish_panel(k);
      a_.device().synchronise();
    }
  }

 private:
  /// Steps end at column block edges, so that one process column owns each.
  Step next(Index begin) const {
    const auto& [rows, cols] = a_.layout();
    if (begin == a_.cols()) return {begin, begin, 0, {}, {}};
    const Index end = std::min(begin + width_, cols.run_end(begin));
    return {begin, end, cols.owner(begin), rows.to_local(begin, end, a_.grid().my_row()),
            cols.to_local(begin, end, a_.grid().my_col())};
  }
  bool owns(const Step& k) const { return k.owner == a_.grid().my_col(); }
  /// The local rows that have multipliers: above K for U, below K for L; with both, those of K too, as zeros.
  Range active(const Step& k) const {
    return {f_.upper ? 0 : k.rows.end, f_.lower ? loc_.rows : k.rows.begin};
  }
  MatrixView<T> triangles() const { return panel_.triangles(); }
  MatrixView<T> gathered(Range cols) const {
    return r_.column_range(cols.begin - r_begin_, cols.end - r_begin_);
  }

  void exchange(const Step& k);
  void make_panel(const Step& k);
  void update(const Step& k);
  void finish_rows(const Step& k);
  void finish_panel(const Step& k);

  const Matrix<T>& a_;
  MatrixView<T> loc_;
  const Kernels<T>& kernels_;
  Factors f_;
  Index width_;
  ColumnPanel<T> panel_;  // T, and the diagonal block: L and U, not inverted
  RowPanel<T> rows_;
  Buffer<T> block_;  // its inverse
  MatrixView<T> r_;  // the rows of K, as far as they are needed: local columns from r_begin_ on
  Index r_begin_ = 0;
};

/// The rows of K to the ranks of each process column, which brings the diagonal block to those that own the
/// columns of K; from there T and the block along the process rows.
template <Scalar T>
void FactorSweep<T>::exchange(const Step& k) {
  std::vector<Index> ids(static_cast<std::size_t>(k.width()));
  std::iota(ids.begin(), ids.end(), k.begin);
  const Index n = a_.cols();
  const Window needed{0, n, f_.lower ? 0 : k.begin, f_.upper ? n : k.end};
  r_ = rows_.gather(a_.window(needed), ids);
  r_begin_ = f_.lower ? 0 : k.cols.begin;
  panel_.resize(active(k).size(), k.width());
  if (owns(k)) make_panel(k);
  const auto words = static_cast<std::size_t>((panel_.multipliers().rows + k.width()) * k.width());
  ring_broadcast(a_.grid().row(), panel_.contents().first(words), k.owner);
}

/// T = [A01 U^-1; 0; L21]
template <Scalar T>
void FactorSweep<T>::make_panel(const Step& k) {
  kernels_.copy(gathered(k.cols), triangles());
  const MatrixView<T> t = panel_.multipliers();
  const Range rows = active(k);
  kernels_.copy(loc_.sub(rows.begin, rows.end, k.cols.begin, k.cols.end), t);
  if (f_.upper)
    kernels_.trsm(Side::right, Uplo::upper, Op::none, f_.upper_diagonal, T(1), triangles(),
                  t.row_range(0, k.rows.begin));
  if (f_.lower && f_.upper) kernels_.fill(t.row_range(k.rows.begin, k.rows.end), T(0));
  a_.device().synchronise();
}

/// Y = L^-1 A10, then one product on each side of K.
template <Scalar T>
void FactorSweep<T>::update(const Step& k) {
  const MatrixView<T> t = panel_.multipliers();
  if (f_.lower) {
    const MatrixView<T> y = gathered({0, k.cols.begin});
    kernels_.trsm(Side::left, Uplo::lower, Op::none, f_.lower_diagonal, T(1), triangles(), y);
    const Range rows = active(k);
    kernels_.gemm(Op::none, Op::none, T(-1), t, y, T(1), loc_.sub(rows.begin, rows.end, 0, k.cols.begin));
  }
  if (f_.upper)
    kernels_.gemm(Op::none, Op::none, T(-1), t.row_range(0, k.rows.begin), gathered({k.cols.end, loc_.cols}),
                  T(1), loc_.sub(0, k.rows.begin, k.cols.end, loc_.cols));
}

/// The rows of K left and right of it: U^-1 Y and U^-1 U12.
template <Scalar T>
void FactorSweep<T>::finish_rows(const Step& k) {
  if (k.rows.empty()) return;
  const auto finish = [&](Range cols) {
    const MatrixView<T> y = gathered(cols);
    if (f_.upper) kernels_.trsm(Side::left, Uplo::upper, Op::none, f_.upper_diagonal, T(1), triangles(), y);
    kernels_.gather_rows(y, rows_.my_positions(), loc_.sub(k.rows.begin, k.rows.end, cols.begin, cols.end));
  };
  if (f_.lower) finish({0, k.cols.begin});
  if (f_.upper) finish({k.cols.end, loc_.cols});
}

/// The columns of K: -T L^-1, and U^-1 L^-1 in the rows of K. Where the array holds one factor only, the
/// other triangle of the block keeps its entries.
template <Scalar T>
void FactorSweep<T>::finish_panel(const Step& k) {
  if (!owns(k)) return;
  const auto columns = [&](Index i0, Index i1) { return loc_.sub(i0, i1, k.cols.begin, k.cols.end); };
  MatrixView<T> t = panel_.multipliers();
  if (f_.lower) {
    kernels_.trsm(Side::right, Uplo::lower, Op::none, f_.lower_diagonal, T(-1), triangles(), t);
  } else {
    kernels_.scale(T(-1), t);
  }
  const MatrixView<T> block = block_.view(k.width(), k.width());
  if (f_.lower && f_.upper) {
    kernels_.copy(t.row_range(0, k.rows.begin), columns(0, k.rows.begin));
    t = t.row_range(k.rows.end, t.rows);
    kernels_.set_identity(block);
    kernels_.trsm(Side::left, Uplo::lower, Op::none, f_.lower_diagonal, T(1), triangles(), block);
    kernels_.trsm(Side::left, Uplo::upper, Op::none, f_.upper_diagonal, T(1), triangles(), block);
  } else {
    kernels_.copy(triangles(), block);
    kernels_.invert_triangle(f_.lower ? Uplo::lower : Uplo::upper,
                             f_.lower ? f_.lower_diagonal : f_.upper_diagonal, block);
  }
  kernels_.copy(t, f_.lower ? columns(k.rows.end, loc_.rows) : columns(0, k.rows.begin));
  kernels_.gather_rows(block, rows_.my_positions(), columns(k.rows.begin, k.rows.end));
}

/// Room is made on all ranks, or the same error thrown on all.
template <Scalar T>
void sweep(const Matrix<T>& a, const Factors& factors, Index width) {
  std::optional<FactorSweep<T>> sweep;
  agree(a.grid().all(),
        [&] { sweep.emplace(a, factors, width > 0 ? width : default_panel_width<T>(a.cols())); });
  sweep->run();
}

}  // namespace

template <Scalar T>
Index first_zero_diagonal(const Matrix<T>& a) {
  constexpr Index none = std::numeric_limits<Index>::max();
  const auto& [rows, cols] = a.layout();
  const MatrixView<T> loc = a.local();
  Index first = none;
  for (Index l = 0; l < loc.rows && first == none; ++l) {
    const Index k = a.global_row(l);
    if (cols.owner(k) == a.grid().my_col() && loc(l, cols.to_local(k)) == T(0)) first = k;
  }
  first = a.grid().all().min(first);
  return first == none ? -1 : first;
}

template <Scalar T>
Index triangle_invert(const Matrix<T>& a, Uplo uplo, Diag diag, Index width) {
  if (!a.grid().inside() || a.cols() == 0) return -1;
  if (diag == Diag::non_unit) {
    if (const Index zero = first_zero_diagonal(a); zero >= 0) return zero;
  }
  const bool lower = uplo == Uplo::lower;
  sweep(a, {lower, !lower, diag, diag}, width);
  return -1;
}

template <Scalar T>
void factors_invert(const Matrix<T>& a, Index width) {
  if (!a.grid().inside() || a.cols() == 0) return;
  sweep(a, {true, true, Diag::unit, Diag::non_unit}, width);
}

#define CYCLADE_TRIANGULAR(T)                                             \
  template Index first_zero_diagonal<T>(const Matrix<T>&);                \
  template Index triangle_invert<T>(const Matrix<T>&, Uplo, Diag, Index); \
  template void factors_invert<T>(const Matrix<T>&, Index);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_TRIANGULAR)

}  // namespace cyclade
