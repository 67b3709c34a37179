// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/matrix.hpp"

#include <string>

namespace cyclade {
namespace {

void require_fits(const Layout& layout, const Grid& grid) {
  require_valid(layout);
  const auto axis = [&](const Axis& a, const char* name, int ranks) {
    require(a.ranks == ranks || a.source == replicated,
            std::string("matrix: the layout deals ") + name + " to " + std::to_string(a.ranks) +
                " processes, the grid has " + std::to_string(ranks));
  };
  axis(layout.rows, "rows", grid.p());
  axis(layout.cols, "columns", grid.q());
}

Index local_rows(const Layout& layout, const Grid& grid) {
  return grid.inside() ? layout.rows.local_size(grid.my_row()) : 0;
}
Index local_cols(const Layout& layout, const Grid& grid) {
  return grid.inside() ? layout.cols.local_size(grid.my_col()) : 0;
}

/// Our own leading dimension: whole cache lines, and never a power of two, which would map columns on the
/// same cache sets.
template <class T>
Index padded(Index rows) {
  const auto line = static_cast<Index>(64 / sizeof(T));
  Index ld = std::max<Index>(1, rows);
  if (ld <= line) return ld;
  ld = (ld + line - 1) / line * line;
  return ld % (4 * line) == 0 ? ld + line : ld;
}

}  // namespace

template <Scalar T>
Matrix<T>::Matrix(const Grid& grid, const Layout& layout, Device& device)
    : grid_(&grid), layout_(layout), device_(&device) {
  require_fits(layout, grid);
  const Index m = local_rows(layout, grid), n = local_cols(layout, grid), ld = padded<T>(m);
  require(n == 0 || ld <= INT64_MAX / static_cast<Index>(sizeof(T)) / n,
          "matrix: the local part of " + std::to_string(m) + " x " + std::to_string(n) +
              " entries has more bytes than 64 bits can count");
  storage_ = Buffer<T>(device, m == 0 ? 0 : ld * n);
  local_ = {storage_.data(), m, n, ld};
}

template <Scalar T>
Matrix<T>::Matrix(const Grid& grid, const Layout& layout, Device& device, T* data, Index ld)
    : grid_(&grid), layout_(layout), device_(&device) {
  require_fits(layout, grid);
  const Index m = local_rows(layout, grid), n = local_cols(layout, grid);
  require(ld >= std::max<Index>(1, m), "matrix: the leading dimension must be at least " +
                                           std::to_string(std::max<Index>(1, m)) + " (the local rows), got " +
                                           std::to_string(ld));
  require(data != nullptr || m == 0 || n == 0, "matrix: no memory (a null pointer) for a local part of " +
                                                   std::to_string(m) + " x " + std::to_string(n) +
                                                   " entries");
  local_ = {data, m, n, ld};
}

template <Scalar T>
Matrix<T> Matrix<T>::window(const Window& w) const {
  require_inside(w, layout_);
  const Layout part = layout_.sub(w);
  if (!grid_->inside()) return Matrix(*grid_, part, *device_, nullptr, 1);
  const Range rows = layout_.rows.to_local(w.i0, w.i1, grid_->my_row());
  const Range cols = layout_.cols.to_local(w.j0, w.j1, grid_->my_col());
  const MatrixView<T> loc = local_.sub(rows.begin, rows.end, cols.begin, cols.end);
  return Matrix(*grid_, part, *device_, loc.data, loc.ld);
}

#define CYCLADE_MATRIX(T) template class Matrix<T>;
CYCLADE_FOR_EACH_SCALAR(CYCLADE_MATRIX)

}  // namespace cyclade
