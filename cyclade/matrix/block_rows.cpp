// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/block_rows.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace cyclade {
namespace {

void require_fits(const RowPartition& rows, Index cols, const Communicator& comm) {
  require(rows.ranks() == comm.size(), "block rows: the partition has slabs for " +
                                           std::to_string(rows.ranks()) + " ranks, the communicator has " +
                                           std::to_string(comm.size()));
  require(cols >= 0, "block rows: the number of columns must be 0 or more, got " + std::to_string(cols));
}

std::string shape(Index m, Index n) { return std::to_string(m) + " x " + std::to_string(n); }

}  // namespace

RowPartition gather_partition(const Communicator& comm, Index my_rows) {
  return RowPartition(comm.all_gather(std::span<const Index>(&my_rows, 1)));
}

template <Scalar T>
BlockRows<T>::BlockRows(const Communicator& comm, RowPartition rows, Index cols, Device& device)
    : comm_(&comm), partition_(std::move(rows)), device_(&device) {
  require_fits(partition_, cols, comm);
  const Index m = partition_.count(comm.rank());
  require(m == 0 || cols <= std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(T)) / m,
          "block rows: a slab of " + shape(m, cols) + " entries has more bytes than 64 bits can count");
  storage_ = Buffer<T>(device, m * cols);
  local_ = {storage_.data(), m, cols};
}

template <Scalar T>
BlockRows<T>::BlockRows(const Communicator& comm, RowPartition rows, Index cols, Device& device, T* data,
                        Index ld)
    : comm_(&comm), partition_(std::move(rows)), device_(&device) {
  require_fits(partition_, cols, comm);
  const Index m = partition_.count(comm.rank());
  require(ld >= std::max<Index>(1, m), "block rows: the leading dimension must be at least " +
                                           std::to_string(std::max<Index>(1, m)) + " (the local rows), got " +
                                           std::to_string(ld));
  require(data != nullptr || m == 0 || cols == 0,
          "block rows: no memory (a null pointer) for a slab of " + shape(m, cols) + " entries");
  local_ = {data, m, cols, ld};
}

template <Scalar T>
BlockRows<T> BlockRows<T>::from_counts(const Communicator& comm, Index my_rows, Index cols, Device& device) {
  RowPartition rows = gather_partition(comm, my_rows);
  std::optional<BlockRows> result;
  agree(comm, [&] { result.emplace(comm, std::move(rows), cols, device); });
  return std::move(*result);
}

template <Scalar T>
BlockRows<T> BlockRows<T>::from_counts(const Communicator& comm, Index my_rows, Index cols, Device& device,
                                       T* data, Index ld) {
  RowPartition rows = gather_partition(comm, my_rows);
  std::optional<BlockRows> result;
  agree(comm, [&] { result.emplace(comm, std::move(rows), cols, device, data, ld); });
  return std::move(*result);
}

template <Scalar T>
MatrixView<T> BlockRows<T>::local(const Window& w) const {
  const bool ordered = 0 <= w.i0 && w.i0 <= w.i1 && 0 <= w.j0 && w.j0 <= w.j1;
  require(ordered && w.i1 <= rows() && w.j1 <= cols(),
          "block rows: " + to_string(w) + " does not lie in a " + shape(rows(), cols()) + " matrix");
  const Range mine = partition_.to_local(w.i0, w.i1, comm_->rank());
  return local_.sub(mine.begin, mine.end, w.j0, w.j1);
}

template <Scalar T>
BlockRows<T> BlockRows<T>::columns(Index j0, Index j1) const {
  const MatrixView<T> part = local({0, rows(), j0, j1});
  return BlockRows(*comm_, partition_, j1 - j0, *device_, part.data, part.ld);
}

#define CYCLADE_BLOCK_ROWS(T) template class BlockRows<T>;
CYCLADE_FOR_EACH_SCALAR(CYCLADE_BLOCK_ROWS)

}  // namespace cyclade
