// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/cholesky.hpp"

#include <algorithm>
#include <optional>

#include "cyclade/inverse/triangular.hpp"
#include "cyclade/mpi/ring.hpp"

namespace cyclade {
namespace {

/// One step: K = [begin,end) lies in one row block and one column block, so on one process.
struct Step {
  Index begin;
  Index end;
  int owner_row;
  int owner_col;
  Index width() const { return end - begin; }
};

/// Which of the three updates of a step are done, and what is found in the array.
enum class Part {
  inverse,     // all: A becomes A^-1
  factor,      // after K only: A becomes its Cholesky factor
  from_factor  // the other two: the factor, found in the array, becomes A^-1
};

/// Where parts of V go: local positions to take from (or put to), by the rank on the other side.
using Lists = std::vector<std::vector<Index>>;

template <Scalar T>
class SymmetricSweep {
 public:
  SymmetricSweep(const Matrix<T>& a, Uplo uplo, Part part, Index width, Meter& meter)
      : a_(a),
        part_(part),
        loc_(a.local()),
        kernels_(a.kernels()),
        meter_(meter),
        lower_(uplo == Uplo::lower),
        width_(std::min(width, a.cols())),
        by_rows_(a.device(), width_ * loc_.rows),
        by_cols_(a.device(), width_ * loc_.cols),
        packed_(a.device(), width_ * std::max(loc_.rows, loc_.cols)),
        arrived_(a.device(), width_ * std::max(loc_.rows, loc_.cols)),
        inverse_(a.device(), width_ * width_),
        block_(a.device(), width_ * width_) {}

  SweepResult run(const Progress& progress) {
    const Index n = a_.cols();
    for (Step k = next(0); k.begin < n; k = next(k.end)) {
      if (progress) progress("sweep", static_cast<double>(k.begin) / static_cast<double>(n));
      if (!factor(k)) return result_;
      {
        const auto scope = meter_.phase("panel");
        own_parts(k);
      }
      {
        const auto scope = meter_.phase("exchange");
        mirror_parts(k);
        const Index first = part_ == Part::factor ? k.end : 0;
        ring_broadcast(a_.grid().row(), span(by_rows_, k, local_rows(first, n)), k.owner_col);
        ring_broadcast(a_.grid().column(), span(by_cols_, k, local_cols(first, n)), k.owner_row);
      }
      const auto scope = meter_.phase("update");
      update(k);
      finish_block(k);
      a_.device().synchronise();
    }
    return result_;
  }

 private:
  Step next(Index begin) const {
    const auto& [rows, cols] = a_.layout();
    if (begin == a_.cols()) return {begin, begin, 0, 0};
    const Index end = std::min({begin + width_, rows.run_end(begin), cols.run_end(begin)});
    return {begin, end, rows.owner(begin), cols.owner(begin)};
  }
  Uplo uplo() const { return lower_ ? Uplo::lower : Uplo::upper; }
  bool in_row(const Step& k) const { return k.owner_row == a_.grid().my_row(); }
  bool in_col(const Step& k) const { return k.owner_col == a_.grid().my_col(); }
  Range local_rows(Index i0, Index i1) const { return a_.layout().rows.to_local(i0, i1, a_.grid().my_row()); }
  Range local_cols(Index j0, Index j1) const { return a_.layout().cols.to_local(j0, j1, a_.grid().my_col()); }

  /// The parts of block row K on both sides of K; what is before it takes no part in a factorisation.
  Range before(const Step& k) const { return {0, part_ == Part::factor ? 0 : k.begin}; }
  Range after(const Step& k) const { return {k.end, a_.cols()}; }
  /// The part that the stored triangle holds as a row, and the part that it holds as a column.
  Range stored_as_row(const Step& k) const { return lower_ ? before(k) : after(k); }
  Range stored_as_col(const Step& k) const { return lower_ ? after(k) : before(k); }

  MatrixView<T> v_rows(const Step& k) const { return by_rows_.view(k.width(), loc_.rows); }
  MatrixView<T> v_cols(const Step& k) const { return by_cols_.view(k.width(), loc_.cols); }
  MatrixView<T> l_inverse(const Step& k) const { return inverse_.view(k.width(), k.width()); }
  static std::span<T> span(const Buffer<T>& buffer, const Step& k, Range part) {
    return buffer.span().subspan(static_cast<std::size_t>(k.width() * part.begin),
                                 static_cast<std::size_t>(k.width() * part.size()));
  }

  bool factor(const Step& k);
  void own_parts(const Step& k);
  void mirror_parts(const Step& k);
  void update(const Step& k);
  void update_triangle(const Step& k, Index begin, Index end, T alpha);
  void update_window(const Step& k, const Window& w, T alpha);
  void finish_block(const Step& k);
  void finish_diagonal(const Step& k);
  bool on_one_process(Index begin, Index end) const;

  const Matrix<T>& a_;
  Part part_;
  MatrixView<T> loc_;
  const Kernels<T>& kernels_;
  Meter& meter_;
  bool lower_;
  Index width_;
  Buffer<T> by_rows_,
      by_cols_;  // V, b x mloc and b x nloc: columns in local order of the rows, of the columns
  Buffer<T> packed_, arrived_;  // parts of V on their way between the process row and the process column
  Buffer<T> inverse_;           // L^-1, lower; in a factorisation L itself
  Buffer<T> block_;             // scratch, b x b
  SweepResult result_;
};

/// D = L L^H on its owner; L^-1 and the verdict to those who need them. False, on all ranks, if D is not
/// positive definite.
template <Scalar T>
bool SymmetricSweep<T>::factor(const Step& k) {
  const auto scope = meter_.phase("panel");
  const MatrixView<T> inverse = l_inverse(k);
  Index failed = -1;
  std::vector<double> diagonal(static_cast<std::size_t>(k.width()));
  if (in_row(k) && in_col(k)) {
    const Range rows = local_rows(k.begin, k.end), cols = local_cols(k.begin, k.end);
    const MatrixView<T> d = loc_.sub(rows.begin, rows.end, cols.begin, cols.end);
    if (lower_) {
      kernels_.copy(d, inverse);
    } else {
      kernels_.transpose(Op::conjugate, d, inverse);
    }
    if (part_ != Part::from_factor) failed = kernels_.cholesky(inverse);
    a_.device().synchronise();
    for (Index i = 0; i < k.width(); ++i) diagonal[static_cast<std::size_t>(i)] = std::real(inverse(i, i));
    if (failed < 0 && part_ != Part::factor) kernels_.invert_triangle(Uplo::lower, Diag::non_unit, inverse);
    a_.device().synchronise();
  }
  // First down the owner's process column, then along every process row: all learn the verdict.
  if (in_col(k)) a_.grid().column().broadcast(std::span(&failed, 1), k.owner_row);
  a_.grid().row().broadcast(std::span(&failed, 1), k.owner_col);
  if (failed >= 0) {
    result_.status = Status::not_positive_definite;
    result_.zero_pivot = k.begin + failed;
    return false;
  }
  const Range whole{0, k.width()};
  if (in_col(k)) a_.grid().column().broadcast(span(inverse_, k, whole), k.owner_row);
  if (in_row(k)) a_.grid().row().broadcast(span(inverse_, k, whole), k.owner_col);
  if (in_col(k)) a_.grid().column().broadcast(std::span(diagonal), k.owner_row);
  a_.grid().row().broadcast(std::span(diagonal), k.owner_col);
  for (const double l : diagonal) {  // det D = prod l^2
    result_.log_determinant.multiply(l);
    result_.log_determinant.multiply(l);
  }
  return true;
}

/// V = L^-1 R where this rank holds R: in the process row that holds K's rows, in the process column that
/// holds its columns.
template <Scalar T>
void SymmetricSweep<T>::own_parts(const Step& k) {
  const auto apply = [&](MatrixView<T> v, bool is_after) {
    if (part_ == Part::factor) {
      kernels_.trsm(Side::left, Uplo::lower, Op::none, Diag::non_unit, T(1), l_inverse(k), v);
    } else if (part_ == Part::inverse || !is_after) {  // from a factor: after K, V is what is stored
      kernels_.trmm(Side::left, Uplo::lower, Op::none, Diag::non_unit, T(1), l_inverse(k), v);
    }
  };
  if (in_row(k)) {
    const Range rows = local_rows(k.begin, k.end),
                cols = local_cols(stored_as_row(k).begin, stored_as_row(k).end);
    const MatrixView<T> v = v_cols(k).column_range(cols.begin, cols.end);
    kernels_.copy(loc_.sub(rows.begin, rows.end, cols.begin, cols.end), v);
    apply(v, !lower_);
  }
  if (in_col(k)) {
    const Range rows = local_rows(stored_as_col(k).begin, stored_as_col(k).end),
                cols = local_cols(k.begin, k.end);
    const MatrixView<T> v = v_rows(k).column_range(rows.begin, rows.end);
    kernels_.transpose(Op::conjugate, loc_.sub(rows.begin, rows.end, cols.begin, cols.end), v);
    apply(v, lower_);
  }
}

/// What the process row holds of V by columns goes to the process column by rows, and the reverse: then the
/// process column holds all of V by rows and the process row all of it by columns. Columns of V cross between
/// two ranks in ascending order.
template <Scalar T>
void SymmetricSweep<T>::mirror_parts(const Step& k) {
  if (!in_row(k) && !in_col(k)) return;
  const Grid& grid = a_.grid();
  const auto& [rows, cols] = a_.layout();
  const auto ranks = static_cast<std::size_t>(grid.all().size());
  Lists out_rows(ranks), out_cols(ranks), in_rows(ranks), in_cols(ranks);
  const Range as_row = stored_as_row(k), as_col = stored_as_col(k);
  const auto list = [&](Lists& lists, int rank, Index local) {
    lists[static_cast<std::size_t>(rank)].push_back(local);
  };
  if (in_row(k)) {
    const Range mine = local_cols(as_row.begin, as_row.end), wanted = local_cols(as_col.begin, as_col.end);
    for (Index l = mine.begin; l < mine.end; ++l)
      list(out_cols, grid.rank_of(rows.owner(a_.global_col(l)), k.owner_col), l);
    for (Index l = wanted.begin; l < wanted.end; ++l)
      list(in_cols, grid.rank_of(rows.owner(a_.global_col(l)), k.owner_col), l);
  }
  if (in_col(k)) {
    const Range mine = local_rows(as_col.begin, as_col.end), wanted = local_rows(as_row.begin, as_row.end);
    for (Index l = mine.begin; l < mine.end; ++l)
      list(out_rows, grid.rank_of(k.owner_row, cols.owner(a_.global_row(l))), l);
    for (Index l = wanted.begin; l < wanted.end; ++l)
      list(in_rows, grid.rank_of(k.owner_row, cols.owner(a_.global_row(l))), l);
  }
  // One direction after the other: a rank in both the row and the column has two conversations.
  const auto move = [&](MatrixView<T> from, const Lists& out, MatrixView<T> to, const Lists& in) {
    std::vector<Piece<const T>> sent;
    std::vector<Piece<T>> received;
    T* next_out = packed_.data();
    T* next_in = arrived_.data();
    const auto me = static_cast<std::size_t>(grid.all().rank());
    std::vector<MatrixView<T>> arrivals(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      const MatrixView<T> piece{next_out, k.width(), static_cast<Index>(out[r].size())};
      kernels_.gather_columns(from, out[r], piece);
      arrivals[r] = {r == me ? next_out : next_in, k.width(), static_cast<Index>(in[r].size())};
      next_out += piece.size();
      if (r == me) continue;
      next_in += arrivals[r].size();
      if (!piece.empty())
        sent.push_back({static_cast<int>(r), {piece.data, static_cast<std::size_t>(piece.size())}});
      if (!arrivals[r].empty())
        received.push_back(
            {static_cast<int>(r), {arrivals[r].data, static_cast<std::size_t>(arrivals[r].size())}});
    }
    a_.device().synchronise();
    grid.all().exchange<T>(sent, received);
    for (std::size_t r = 0; r < ranks; ++r) kernels_.scatter_columns(arrivals[r], in[r], to);
  };
  move(v_cols(k), out_cols, v_rows(k), in_rows);
  move(v_rows(k), out_rows, v_cols(k), in_cols);
  a_.device().synchronise();
}

template <Scalar T>
void SymmetricSweep<T>::update(const Step& k) {
  const Index n = a_.cols();
  if (part_ != Part::from_factor) update_triangle(k, k.end, n, T(-1));  // after K:  -= V^H V
  if (part_ == Part::factor) return;
  update_triangle(k, 0, k.begin, T(1));  // before K: += V^H V
  update_window(k, lower_ ? Window{k.end, n, 0, k.begin} : Window{0, k.begin, k.end, n}, T(-1));
}

/// The stored triangle of A[begin:end, begin:end], by halves: two triangles and the square between them. Down
/// to what one process holds; where the other triangle is nobody's, small triangles are updated as squares
/// before that.
template <Scalar T>
void SymmetricSweep<T>::update_triangle(const Step& k, Index begin, Index end, T alpha) {
  const Index small = 64 * std::max(a_.grid().p(), a_.grid().q());
  if (part_ == Part::inverse && end - begin <= small)
    return update_window(k, {begin, end, begin, end}, alpha);
  if (on_one_process(begin, end)) {
    const Range rows = local_rows(begin, end), cols = local_cols(begin, end);
    kernels_.herk(uplo(), std::real(alpha), v_cols(k).column_range(cols.begin, cols.end), 1,
                  loc_.sub(rows.begin, rows.end, cols.begin, cols.end));
    return;
  }
  const Index middle = begin + (end - begin) / 2;
  update_triangle(k, begin, middle, alpha);
  update_triangle(k, middle, end, alpha);
  update_window(k, lower_ ? Window{middle, end, begin, middle} : Window{begin, middle, middle, end}, alpha);
}

/// A[begin:end, begin:end] lies within one block.
template <Scalar T>
bool SymmetricSweep<T>::on_one_process(Index begin, Index end) const {
  const auto& [rows, cols] = a_.layout();
  return begin == end || end <= std::min(rows.run_end(begin), cols.run_end(begin));
}

/// A[w] += alpha V_rows^H V_cols
template <Scalar T>
void SymmetricSweep<T>::update_window(const Step& k, const Window& w, T alpha) {
  const Range rows = local_rows(w.i0, w.i1), cols = local_cols(w.j0, w.j1);
  kernels_.gemm(Op::conjugate, Op::none, alpha, v_rows(k).column_range(rows.begin, rows.end),
                v_cols(k).column_range(cols.begin, cols.end), T(1),
                loc_.sub(rows.begin, rows.end, cols.begin, cols.end));
}

/// Block row and block column K take their final values: L^-H V before K, -V^H L^-1 after it, L^-H L^-1 on
/// the diagonal. In the upper triangle the two parts change places, and so do the forms. Of a factorisation:
/// V and L.
template <Scalar T>
void SymmetricSweep<T>::finish_block(const Step& k) {
  const Range rows = local_rows(k.begin, k.end), cols = local_cols(k.begin, k.end);
  const T row_sign(lower_ ? 1 : -1), col_sign(lower_ ? -1 : 1);
  const auto apply = [&](Side side, Op op, T sign, MatrixView<T> target) {
    if (part_ == Part::factor) return;
    kernels_.trmm(side, Uplo::lower, op, Diag::non_unit, sign, l_inverse(k), target);
  };
  if (in_row(k)) {
    const Range part = local_cols(stored_as_row(k).begin, stored_as_row(k).end);
    const MatrixView<T> target = loc_.sub(rows.begin, rows.end, part.begin, part.end);
    kernels_.copy(v_cols(k).column_range(part.begin, part.end), target);
    apply(Side::left, Op::conjugate, row_sign, target);
  }
  if (in_col(k)) {
    const Range part = local_rows(stored_as_col(k).begin, stored_as_col(k).end);
    const MatrixView<T> target = loc_.sub(part.begin, part.end, cols.begin, cols.end);
    kernels_.transpose(Op::conjugate, v_rows(k).column_range(part.begin, part.end), target);
    apply(Side::right, Op::none, col_sign, target);
  }
  if (in_row(k) && in_col(k)) finish_diagonal(k);
}

/// On the process that owns the block; its other triangle is not touched.
template <Scalar T>
void SymmetricSweep<T>::finish_diagonal(const Step& k) {
  const Range rows = local_rows(k.begin, k.end), cols = local_cols(k.begin, k.end);
  const MatrixView<T> d = loc_.sub(rows.begin, rows.end, cols.begin, cols.end);
  const MatrixView<T> block = block_.view(k.width(), k.width());
  if (part_ != Part::factor) {
    kernels_.set_identity(block);
    kernels_.trmm(Side::left, Uplo::lower, Op::none, Diag::non_unit, T(1), l_inverse(k), block);
    kernels_.herk(uplo(), 1, block, 0, d);
    return;
  }
  if (lower_) {
    kernels_.copy(l_inverse(k), block);
  } else {
    kernels_.transpose(Op::conjugate, l_inverse(k), block);
  }
  for (Index j = 0; j < k.width(); ++j) {
    const Index i0 = lower_ ? j : 0, i1 = lower_ ? k.width() : j + 1;
    kernels_.copy(block.sub(i0, i1, j, j + 1), d.sub(i0, i1, j, j + 1));
  }
}

}  // namespace

template <Scalar T>
SweepResult cholesky_sweep(const Matrix<T>& a, Uplo uplo, const SweepOptions& options, Meter& meter) {
  const Index width = options.panel_width > 0 ? options.panel_width : default_panel_width<T>(a.cols());
  std::optional<SymmetricSweep<T>> sweep;
  agree(a.grid().all(), [&] { sweep.emplace(a, uplo, Part::inverse, width, meter); });
  return sweep->run(options.progress);
}

namespace {

/// Room is made on all ranks, or the same error thrown on all.
template <Scalar T>
Index sweep_part(const Matrix<T>& a, Uplo uplo, Part part, Index width) {
  Meter meter(a.grid().traffic());
  std::optional<SymmetricSweep<T>> sweep;
  agree(a.grid().all(),
        [&] { sweep.emplace(a, uplo, part, width > 0 ? width : default_panel_width<T>(a.cols()), meter); });
  return sweep->run({}).zero_pivot;
}

}  // namespace

template <Scalar T>
Index cholesky_factor(const Matrix<T>& a, Uplo uplo, Index width) {
  if (!a.grid().inside() || a.cols() == 0) return -1;
  return sweep_part(a, uplo, Part::factor, width);
}

template <Scalar T>
Index cholesky_invert(const Matrix<T>& a, Uplo uplo, Index width) {
  if (!a.grid().inside() || a.cols() == 0) return -1;
  if (const Index zero = first_zero_diagonal(a); zero >= 0) return zero;
  return sweep_part(a, uplo, Part::from_factor, width);
}

#define CYCLADE_CHOLESKY(T)                                                                    \
  template SweepResult cholesky_sweep<T>(const Matrix<T>&, Uplo, const SweepOptions&, Meter&); \
  template Index cholesky_factor<T>(const Matrix<T>&, Uplo, Index);                            \
  template Index cholesky_invert<T>(const Matrix<T>&, Uplo, Index);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_CHOLESKY)

}  // namespace cyclade
