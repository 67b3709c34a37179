// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/panel.hpp"

#include <cstring>

#include "cyclade/mpi/ring.hpp"

namespace cyclade {

template <Scalar T>
ColumnPanel<T>::ColumnPanel(Device& device, Index rows, Index width)
    : rows_(rows), width_(width), buffer_(device, size(rows, width)) {}

template <Scalar T>
std::span<T> ColumnPanel<T>::pivots() const {
  return {buffer_.data() + (rows_ + width_) * width_, static_cast<std::size_t>(width_)};
}

template <Scalar T>
void ColumnPanel<T>::write_header(std::span<const Index> header) const {
  std::memcpy(static_cast<void*>(buffer_.data() + header_begin(rows_, width_)), header.data(),
              header.size_bytes());
}

template <Scalar T>
void ColumnPanel<T>::read_header(std::span<Index> header) const {
  std::memcpy(header.data(), buffer_.data() + header_begin(rows_, width_), header.size_bytes());
}

template <Scalar T>
RowPanel<T>::RowPanel(Device& device, Index cols, Index width)
    : cols_(cols), arrived_(device, cols * width), ordered_(device, cols * width) {}

template <Scalar T>
template <Dealt M>
MatrixView<T> RowPanel<T>::collect(const M& a, std::span<const Index> ids, bool zero) {
  cols_ = a.local().cols;
  const Communicator* column = column_peers(a);
  const auto& kernels = a.kernels();
  const auto ranks = static_cast<std::size_t>(column ? column->size() : 1);
  const int me = column ? column->rank() : 0;
  std::vector<std::vector<Index>> positions(ranks);  // by owner
  positions_.clear();
  slots_.clear();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const int owner = row_dealing(a).owner(ids[i]);
    positions[static_cast<std::size_t>(owner)].push_back(static_cast<Index>(i));
    if (owner != me) continue;
    positions_.push_back(static_cast<Index>(i));
    slots_.push_back(row_dealing(a).to_local(ids[i]));
  }
  const auto pick_mine = [&](MatrixView<T> to) {
    if (zero) kernels.take_rows(a.local(), slots_, to);
    if (!zero) kernels.gather_rows(a.local(), slots_, to);
  };
  const auto rows = static_cast<Index>(ids.size());
  const MatrixView<T> ordered = ordered_.view(rows, cols_);
  if (!column) {
    pick_mine(ordered);
    return ordered;
  }
  // Pieces lie one after the other, by owner, each a contiguous matrix; then every row goes to its place.
  std::vector<Index> counts(ranks);
  std::vector<MatrixView<T>> pieces(ranks);
  T* next = arrived_.data();
  for (std::size_t r = 0; r < ranks; ++r) {
    pieces[r] = {next, static_cast<Index>(positions[r].size()), cols_};
    counts[r] = pieces[r].size();
    next += counts[r];
  }
  pick_mine(pieces[static_cast<std::size_t>(me)]);
  a.device().synchronise();
  ring_allgather(*column, arrived_.span().first(static_cast<std::size_t>(rows * cols_)),
                 std::span<const Index>(counts));
  for (std::size_t r = 0; r < ranks; ++r) kernels.scatter_rows(pieces[r], positions[r], ordered);
  return ordered;
}

#define CYCLADE_PANEL(T)                                                                       \
  template class ColumnPanel<T>;                                                               \
  template class RowPanel<T>;                                                                  \
  template MatrixView<T> RowPanel<T>::collect(const Matrix<T>&, std::span<const Index>, bool); \
  template MatrixView<T> RowPanel<T>::collect(const BlockRows<T>&, std::span<const Index>, bool);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_PANEL)

}  // namespace cyclade
