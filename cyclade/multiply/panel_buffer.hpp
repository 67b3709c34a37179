// A message buffer that only grows, so that panels are always sent from the same addresses: an interconnect
// registers memory, and does it once. All ranks grow together, so that a rank without memory stops them all,
// and none hangs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "cyclade/device/buffer.hpp"
#include "cyclade/mpi/communicator.hpp"

namespace cyclade {

template <Scalar T>
class PanelBuffer {
 public:
  /// Room for `words` elements, equal on all ranks. Collective over `comm`: one agreement if it grows,
  /// nothing otherwise. The content is lost when it grows. Throws MemoryError, equal on all ranks.
  void reserve(const Communicator& comm, Device& device, Index words) {
    if (words <= buffer_.size()) return;
    buffer_ = Buffer<T>();  // first give back, then take: the peak is one buffer
    Buffer<T> larger;
    agree(comm, [&] { larger = Buffer<T>(device, words); });
    buffer_ = std::move(larger);  // on all ranks or, if that threw, on none: they still agree on the size
  }
  T* data() const { return buffer_.data(); }

 private:
  Buffer<T> buffer_;
};

}  // namespace cyclade
