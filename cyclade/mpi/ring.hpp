// Two collectives on point-to-point messages around a ring, beside MPI_Bcast and MPI_Allgatherv.
//
//   ring_broadcast: root -> root+1 -> root+2 -> ...   in segments: while a rank passes on one, the next
//   arrives.
//                   time for n words on p ranks with segments of s: (p - 2 + n/s)(latency + s/bandwidth)
//   ring_allgather: in p-1 rounds every rank passes on the piece that it received last; pieces of any size,
//   and
//                   an empty piece sends nothing (zero counts in MPI_Allgatherv are a known trap).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "cyclade/mpi/communicator.hpp"

namespace cyclade {

/// Bytes of a segment of the pipelined broadcast: 1 MiB keeps two segments in a shared cache.
inline constexpr Index ring_segment_bytes = Index{1} << 20;

/// `data` of the root to all ranks. Collective; data.size() equal on all ranks. A rank receives data.size()
/// words (the root none) and sends as many (the last none).
template <class T>
void ring_broadcast(const Communicator& comm, std::span<T> data, int root,
                    Index segment_bytes = ring_segment_bytes);

/// Pieces lie in `data` in rank order, counts[r] elements from rank r; each rank has filled in its own.
/// Collective. A rank receives the sum of the others' counts.
template <class T>
void ring_allgather(const Communicator& comm, std::span<T> data, std::span<const Index> counts);

}  // namespace cyclade
