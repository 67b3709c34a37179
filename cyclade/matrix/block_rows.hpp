// A matrix whose rows are dealt out as contiguous slabs, uneven or empty: this rank's slab, column-major,
// owned or a view of the caller's memory. It does not compute, and communicates only in the factories, which
// learn the slabs of the others. A window of columns is again BlockRows, on the same storage.
//
//   rank 0   [ rows 0..2 ]      rank 1   (no rows)      rank 2   [ rows 3..4 ]       each with all n columns
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/device/buffer.hpp"
#include "cyclade/layout/row_partition.hpp"
#include "cyclade/layout/window.hpp"
#include "cyclade/mpi/communicator.hpp"

namespace cyclade {

/// The row counts of all ranks, from each its own. Collective: one all_gather of one word a rank. A count
/// that is wrong on any rank throws the same ArgumentError on all.
RowPartition gather_partition(const Communicator& comm, Index my_rows);

template <Scalar T>
class BlockRows {
 public:
  using Element = T;

  /// Allocates this rank's slab, rows.count(rank) x cols, not initialised. Local. The partition must have as
  /// many ranks as `comm`, which must outlive this. Throws ArgumentError, or MemoryError on this rank alone:
  /// see agree.
  BlockRows(const Communicator& comm, RowPartition rows, Index cols, Device& device);
  /// A view of the caller's memory: entry (i_loc, j) is data[i_loc + j*ld], ld >= max(1, local rows). Local;
  /// what this rank alone knows (pointer, ld) throws here alone: see agree, or use from_counts.
  BlockRows(const Communicator& comm, RowPartition rows, Index cols, Device& device, T* data, Index ld);

  /// The same two from this rank's own number of rows. Collective over `comm`: gather_partition and an
  /// agreement; what is wrong on one rank throws on all. `cols` is the same on all ranks.
  static BlockRows from_counts(const Communicator& comm, Index my_rows, Index cols, Device& device);
  static BlockRows from_counts(const Communicator& comm, Index my_rows, Index cols, Device& device, T* data,
                               Index ld);

  const Communicator& comm() const { return *comm_; }
  const RowPartition& partition() const { return partition_; }
  Device& device() const { return *device_; }
  const Kernels<T>& kernels() const { return device_->template kernels<T>(); }
  /// Global extents.
  Index rows() const { return partition_.size(); }
  Index cols() const { return local_.cols; }
  /// Global rows of this rank.
  Range my_rows() const { return partition_.range(comm_->rank()); }
  /// Global row (column) of a local one, on this rank.
  Index global_row(Index i_loc) const { return my_rows().begin + i_loc; }
  Index global_col(Index j_loc) const { return j_loc; }

  /// This rank's slab.
  MatrixView<T> local() const { return local_; }
  /// This rank's part of a window, all in global indices. Throws ArgumentError unless it lies inside.
  MatrixView<T> local(const Window& w) const;

  /// Columns [j0,j1) of all rows, on the same storage, which must outlive the result. Throws ArgumentError.
  BlockRows columns(Index j0, Index j1) const;

 private:
  const Communicator* comm_;
  RowPartition partition_;
  Device* device_;
  Buffer<T> storage_;  // empty in a view
  MatrixView<T> local_;
};

}  // namespace cyclade
