// A matrix dealt out over a grid: layout + grid + the local part of this rank, column-major. It does not
// communicate and does not compute. Either it owns its storage (from a Device), or it is a view of the
// caller's memory: how ScaLAPACK, C, Fortran and NumPy data come in without a copy. A window of a matrix is
// again a matrix.
//
//   global A (m x n)  --layout-->  on process (r,c): local(), rows.local_size(r) x cols.local_size(c)
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/device/buffer.hpp"
#include "cyclade/layout/layout.hpp"
#include "cyclade/mpi/grid.hpp"

namespace cyclade {

template <Scalar T>
class Matrix {
 public:
  using Element = T;

  /// Allocates the local part, not initialised. Local: no rank waits for another. The layout must fit the
  /// grid. Throws ArgumentError (equal on all ranks) or MemoryError (this rank alone: see agree).
  Matrix(const Grid& grid, const Layout& layout, Device& device);
  /// A view of the caller's memory: entry (i_loc, j_loc) is data[i_loc + j_loc*ld], ld >= max(1, local rows).
  /// What one rank alone knows (its pointer, its ld) is checked on that rank alone: see agree.
  Matrix(const Grid& grid, const Layout& layout, Device& device, T* data, Index ld);

  const Grid& grid() const { return *grid_; }
  const Layout& layout() const { return layout_; }
  Device& device() const { return *device_; }
  const Kernels<T>& kernels() const { return device_->template kernels<T>(); }
  Index rows() const { return layout_.rows.size; }
  Index cols() const { return layout_.cols.size; }

  /// The local part; empty on ranks outside the grid.
  MatrixView<T> local() const { return local_; }

  /// A matrix on the same storage, which must outlive it. The window lies anywhere: no block need be whole.
  Matrix window(const Window& w) const;

  /// Global row (column) of a local one, on this rank.
  Index global_row(Index i_loc) const { return layout_.rows.to_global(i_loc, grid_->my_row()); }
  Index global_col(Index j_loc) const { return layout_.cols.to_global(j_loc, grid_->my_col()); }

 private:
  const Grid* grid_;
  Layout layout_;
  Device* device_;
  Buffer<T> storage_;  // empty in a view
  MatrixView<T> local_;
};

/// Sets every local entry of a Matrix or BlockRows to f(i, j), i and j global. Local; the same matrix on
/// every grid.
template <class M, class F>
void fill_entries(const M& a, F&& f) {
  const MatrixView<typename M::Element> loc = a.local();
  for (Index j = 0; j < loc.cols; ++j) {
    const Index j_global = a.global_col(j);
    for (Index i = 0; i < loc.rows; ++i) loc(i, j) = f(a.global_row(i), j_global);
  }
}

}  // namespace cyclade
