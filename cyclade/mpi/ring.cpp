// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/ring.hpp"

#include <algorithm>
#include <numeric>

namespace cyclade {

template <class T>
void ring_broadcast(const Communicator& comm, std::span<T> data, int root, Index segment_bytes) {
  const int p = comm.size();
  if (p == 1 || data.empty()) return;
  const int place = (comm.rank() - root + p) % p;  // distance from the root
  const int previous = (comm.rank() - 1 + p) % p, next = (comm.rank() + 1) % p;
  const bool receives = place > 0, sends = place + 1 < p;
  const auto segment = static_cast<std::size_t>(
      std::clamp<Index>(segment_bytes / static_cast<Index>(sizeof(T)), 1, largest_message));
  const auto part = [&](std::size_t s) {
    const std::size_t begin = s * segment;
    return data.subspan(begin, std::min(segment, data.size() - begin));
  };
  // In round s a rank takes segment s and passes on segment s-1: both are under way at once.
  const std::size_t segments = (data.size() + segment - 1) / segment;
  for (std::size_t s = 0; s <= segments; ++s) {
    Piece<T> in{previous, {}};
    Piece<const T> out{next, {}};
    if (receives && s < segments) in.data = part(s);
    if (sends && s > 0) out.data = part(s - 1);
    comm.exchange<T>(std::span(&out, 1), std::span(&in, 1));
  }
}

template <class T>
void ring_allgather(const Communicator& comm, std::span<T> data, std::span<const Index> counts) {
  const int p = comm.size();
  if (p == 1) return;
  const auto piece = [&](int r) {
    const auto before = counts.first(static_cast<std::size_t>(r));
    const auto offset = std::accumulate(before.begin(), before.end(), Index{0});
    return data.subspan(static_cast<std::size_t>(offset),
                        static_cast<std::size_t>(counts[static_cast<std::size_t>(r)]));
  };
  const int previous = (comm.rank() - 1 + p) % p, next = (comm.rank() + 1) % p;
  for (int round = 0; round + 1 < p; ++round) {
    const std::span<const T> out = piece((comm.rank() - round + p) % p);
    comm.send_receive<T>(out, next, piece((comm.rank() - round - 1 + p) % p), previous);
  }
}

#define CYCLADE_RING(T)                                                           \
  template void ring_broadcast<T>(const Communicator&, std::span<T>, int, Index); \
  template void ring_allgather<T>(const Communicator&, std::span<T>, std::span<const Index>);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_RING)
CYCLADE_RING(Index)

}  // namespace cyclade
