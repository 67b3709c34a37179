// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/cholesky.hpp"

#include <algorithm>

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

/// Where parts of V go: local positions to take from (or put to), by the rank on the other side.
using Lists = std::vector<std::vector<Index>>;

template <Scalar T>
class SymmetricSweep {
 public:
  SymmetricSweep(const Matrix<T>& a, Uplo uplo, Index width, Meter& meter)
      : a_(a),
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
        ring_broadcast(a_.grid().row(), span(by_rows_, k, loc_.rows), k.owner_col);
        ring_broadcast(a_.grid().column(), span(by_cols_, k, loc_.cols), k.owner_row);
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
    const Index end = std::min({begin + width_, rows.block_end(begin), cols.block_end(begin)});
    return {begin, end, rows.owner(begin), cols.owner(begin)};
  }
  bool in_row(const Step& k) const { return k.owner_row == a_.grid().my_row(); }
  bool in_col(const Step& k) const { return k.owner_col == a_.grid().my_col(); }
  Range local_rows(Index i0, Index i1) const { return a_.layout().rows.to_local(i0, i1, a_.grid().my_row()); }
  Range local_cols(Index j0, Index j1) const { return a_.layout().cols.to_local(j0, j1, a_.grid().my_col()); }

  /// The part of block row K that the stored triangle holds as a row, and the part that it holds as a column.
  Range stored_as_row(const Step& k) const { return lower_ ? Range{0, k.begin} : Range{k.end, a_.cols()}; }
  Range stored_as_col(const Step& k) const { return lower_ ? Range{k.end, a_.cols()} : Range{0, k.begin}; }

  MatrixView<T> v_rows(const Step& k) const { return by_rows_.view(k.width(), loc_.rows); }
  MatrixView<T> v_cols(const Step& k) const { return by_cols_.view(k.width(), loc_.cols); }
  MatrixView<T> l_inverse(const Step& k) const { return inverse_.view(k.width(), k.width()); }
  static std::span<T> span(const Buffer<T>& buffer, const Step& k, Index count) {
    return buffer.span().first(static_cast<std::size_t>(k.width() * count));
  }

  bool factor(const Step& k);
  void own_parts(const Step& k);
  void mirror_parts(const Step& k);
  void update(const Step& k);
  void update_triangle(const Step& k, Index begin, Index end, T alpha);
  void update_window(const Step& k, const Window& w, T alpha);
  void finish_block(const Step& k);

  const Matrix<T>& a_;
  MatrixView<T> loc_;
  const Kernels<T>& kernels_;
  Meter& meter_;
  bool lower_;
  Index width_;
  Buffer<T> by_rows_,
      by_cols_;  // V, b x mloc and b x nloc: columns in local order of the rows, of the columns
  Buffer<T> packed_, arrived_;  // parts of V on their way between the process row and the process column
  Buffer<T> inverse_;           // L^-1, lower
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
    failed = kernels_.cholesky(inverse);
    a_.device().synchronise();
    for (Index i = 0; i < k.width(); ++i) diagonal[static_cast<std::size_t>(i)] = std::real(inverse(i, i));
    if (failed < 0) kernels_.invert_triangle(Uplo::lower, Diag::non_unit, inverse);
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
  if (in_col(k)) a_.grid().column().broadcast(span(inverse_, k, k.width()), k.owner_row);
  if (in_row(k)) a_.grid().row().broadcast(span(inverse_, k, k.width()), k.owner_col);
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
  const auto apply = [&](MatrixView<T> v) {
    kernels_.trmm(Side::left, Uplo::lower, Op::none, Diag::non_unit, T(1), l_inverse(k), v);
  };
  if (in_row(k)) {
    const Range rows = local_rows(k.begin, k.end),
                cols = local_cols(stored_as_row(k).begin, stored_as_row(k).end);
    const MatrixView<T> v = v_cols(k).column_range(cols.begin, cols.end);
    kernels_.copy(loc_.sub(rows.begin, rows.end, cols.begin, cols.end), v);
    apply(v);
  }
  if (in_col(k)) {
    const Range rows = local_rows(stored_as_col(k).begin, stored_as_col(k).end),
                cols = local_cols(k.begin, k.end);
    const MatrixView<T> v = v_rows(k).column_range(rows.begin, rows.end);
    kernels_.transpose(Op::conjugate, loc_.sub(rows.begin, rows.end, cols.begin, cols.end), v);
    apply(v);
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
  update_triangle(k, 0, k.begin, T(1));  // before K: += V^H V
  update_triangle(k, k.end, n, T(-1));   // after K:  -= V^H V
  update_window(k, lower_ ? Window{k.end, n, 0, k.begin} : Window{0, k.begin, k.end, n}, T(-1));
}

/// The stored triangle of A[begin:end, begin:end], by halves: two triangles and the square between them.
/// Small triangles are updated as squares: what is written beyond the diagonal is never read.
template <Scalar T>
void SymmetricSweep<T>::update_triangle(const Step& k, Index begin, Index end, T alpha) {
  const Index small = 64 * std::max(a_.grid().p(), a_.grid().q());
  if (end - begin <= small) return update_window(k, {begin, end, begin, end}, alpha);
  const Index middle = begin + (end - begin) / 2;
  update_triangle(k, begin, middle, alpha);
  update_triangle(k, middle, end, alpha);
  update_window(k, lower_ ? Window{middle, end, begin, middle} : Window{begin, middle, middle, end}, alpha);
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
/// the diagonal. In the upper triangle the two parts change places, and so do the forms.
template <Scalar T>
void SymmetricSweep<T>::finish_block(const Step& k) {
  const Range rows = local_rows(k.begin, k.end), cols = local_cols(k.begin, k.end);
  const MatrixView<T> inverse = l_inverse(k);
  const T row_sign(lower_ ? 1 : -1), col_sign(lower_ ? -1 : 1);
  if (in_row(k)) {
    const Range part = local_cols(stored_as_row(k).begin, stored_as_row(k).end);
    const MatrixView<T> target = loc_.sub(rows.begin, rows.end, part.begin, part.end);
    kernels_.copy(v_cols(k).column_range(part.begin, part.end), target);
    kernels_.trmm(Side::left, Uplo::lower, Op::conjugate, Diag::non_unit, row_sign, inverse, target);
  }
  if (in_col(k)) {
    const Range part = local_rows(stored_as_col(k).begin, stored_as_col(k).end);
    const MatrixView<T> target = loc_.sub(part.begin, part.end, cols.begin, cols.end);
    kernels_.transpose(Op::conjugate, v_rows(k).column_range(part.begin, part.end), target);
    kernels_.trmm(Side::right, Uplo::lower, Op::none, Diag::non_unit, col_sign, inverse, target);
  }
  if (in_row(k) && in_col(k)) {
    const MatrixView<T> d = block_.view(k.width(), k.width());
    kernels_.set_identity(d);
    kernels_.trmm(Side::left, Uplo::lower, Op::none, Diag::non_unit, T(1), inverse, d);
    kernels_.trmm(Side::left, Uplo::lower, Op::conjugate, Diag::non_unit, T(1), inverse, d);
    kernels_.copy(d, loc_.sub(rows.begin, rows.end, cols.begin, cols.end));
  }
}

}  // namespace

template <Scalar T>
SweepResult cholesky_sweep(const Matrix<T>& a, Uplo uplo, const SweepOptions& options, Meter& meter) {
  const Index width = options.panel_width > 0 ? options.panel_width : default_panel_width<T>(a.cols());
  return SymmetricSweep<T>(a, uplo, width, meter).run(options.progress);
}

#define CYCLADE_CHOLESKY(T) \
  template SweepResult cholesky_sweep<T>(const Matrix<T>&, Uplo, const SweepOptions&, Meter&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_CHOLESKY)

}  // namespace cyclade
