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
#include <vector>

#include "cyclade/mpi/communicator.hpp"

namespace cyclade {

/// Bytes of a segment of the pipelined broadcast: 1 MiB keeps two segments in a shared cache.
inline constexpr Index ring_segment_bytes = Index{1} << 20;

/// A ring broadcast that goes on while the caller works: start it, poll now and then, finish it. Receives are
/// posted at the start; polling passes on what has arrived. MPI need not make progress by itself. One at a
/// time; the data stay put meanwhile.
template <class T>
class PipelinedBroadcast {
 public:
  PipelinedBroadcast() = default;
  PipelinedBroadcast(const PipelinedBroadcast&) = delete;
  PipelinedBroadcast& operator=(const PipelinedBroadcast&) = delete;
  ~PipelinedBroadcast();

  /// `data` of the root to all ranks. Collective; data.size() equal on all ranks. A rank receives data.size()
  /// words (the root none) and sends as many (the last none).
  void start(const Communicator& comm, std::span<T> data, int root, Index segment_bytes = ring_segment_bytes);
  /// Passes on the segments that have arrived. Local: never waits.
  void poll();
  /// Waits until all of `data` is here and what this rank must pass on has left.
  void finish();

 private:
  void pass_on(std::size_t segment);
  std::span<T> part(std::size_t segment) const;

  const Communicator* comm_ = nullptr;
  std::span<T> data_;
  std::size_t segment_ = 0;  // entries
  bool sends_ = false;
  std::vector<MPI_Request> arriving_;  // one for each segment, in order; none on the root
  std::vector<MPI_Request> leaving_;
  std::size_t passed_ = 0;  // segments that have arrived and been passed on
};

/// The same, all at once.
template <class T>
void ring_broadcast(const Communicator& comm, std::span<T> data, int root,
                    Index segment_bytes = ring_segment_bytes);

/// Pieces lie in `data` in rank order, counts[r] elements from rank r; each rank has filled in its own.
/// Collective. A rank receives the sum of the others' counts.
template <class T>
void ring_allgather(const Communicator& comm, std::span<T> data, std::span<const Index> counts);

/// The same among some ranks of `comm`, in the order of `members`, with any number of pieces, anywhere in
/// memory: held[m] are those that member m begins with, in this rank's own memory; a member has filled in its
/// own. Collective over the members; other ranks may call, and return at once. A member receives all pieces
/// but its own.
template <class T>
void ring_allgather_among(const Communicator& comm, std::span<const int> members,
                          std::span<const std::vector<std::span<T>>> held);

}  // namespace cyclade
