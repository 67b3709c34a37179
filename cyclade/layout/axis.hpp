// How one dimension of a matrix is dealt out to processes, block by block, like cards. Everything else in
// layout/ is a few lines on this. Pure arithmetic: constexpr, 64-bit, no memory, no MPI. Indices are 0-based.
//
//   size 16, block 3, ranks 2:   | 0 1 2 | 3 4 5 | 6 7 8 | 9 a b | c d e | f |
//   owner                            0       1       0       1       0     1
//
// The one formula needed is count_before(i, rank), how many indices < i live on `rank`: what a rank owns of
// ANY global range [i,k) is its contiguous local range [count_before(i), count_before(k)).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "cyclade/base/scalar.hpp"

namespace cyclade {

/// `Axis::source` of a replicated dimension: every process holds all of it.
inline constexpr int replicated = -1;

/// A half-open range [begin, end) of indices.
struct Range {
  Index begin = 0;
  Index end = 0;
  constexpr Index size() const { return end - begin; }
  constexpr bool empty() const { return begin == end; }
  constexpr bool operator==(const Range&) const = default;
};

/// One dimension, dealt block-cyclically: ScaLAPACK's (N, NB, RSRC, NPROCS) and PBLAS's first block size.
struct Axis {
  Index size = 0;         ///< global extent
  Index block = 1;        ///< entries per block
  int ranks = 1;          ///< processes along this dimension
  int source = 0;         ///< process that owns the first block; or `replicated`
  Index first_block = 0;  ///< size of the first block (PBLAS: IMB, INB), any size >= 1; 0 means `block`

  /// Everyone holds everything: the dimension is replicated, or there is one process.
  constexpr bool whole() const { return source == replicated || ranks == 1; }

  /// Size of the first block as dealt (not cut at `size`).
  constexpr Index first() const { return first_block == 0 ? block : first_block; }

  /// Process that owns global index i; `replicated` if all do. O(1).
  constexpr int owner(Index i) const {
    if (source == replicated) return replicated;
    return static_cast<int>((source + block_of(i) % ranks) % ranks);
  }

  /// Local index of global index i on its owner (ScaLAPACK: INDXG2L). O(1).
  constexpr Index to_local(Index i) const {
    if (whole()) return i;
    return count_before(i, owner(i));
  }

  /// Global index of local index `local` on `rank` (ScaLAPACK: INDXL2G). O(1).
  constexpr Index to_global(Index local, int rank) const {
    if (whole()) return local;
    const Index d = distance(rank);
    if (d == 0 && local < first()) return local;
    const Index rest = d == 0 ? local - first() : local;  // counted from this rank's first plain block
    const Index b = (rest / block + (d == 0 ? 1 : 0)) * ranks + d;  // its block, numbered from 0
    return first() + (b - 1) * block + rest % block;
  }

  /// How many global indices < i live on `rank` (PBLAS: infog2l's local index). 0 <= i <= size. O(1).
  constexpr Index count_before(Index i, int rank) const {
    if (whole()) return i;
    const Index d = distance(rank);
    if (i <= first()) return d == 0 ? i : 0;
    const Index full = (i - first()) / block;  // whole blocks after the first; they are numbered 1..full
    const Index mine = d == 0 ? full / ranks : (full >= d ? (full - d) / ranks + 1 : 0);
    const Index part = (full + 1) % ranks == d ? (i - first()) % block : 0;
    return (d == 0 ? first() : 0) + mine * block + part;
  }

  /// How many indices live on `rank` (ScaLAPACK: NUMROC). O(1).
  constexpr Index local_size(int rank) const { return count_before(size, rank); }

  /// What `rank` owns of the global range [i,k), as a contiguous local range: block-aligned or not.
  constexpr Range to_local(Index i, Index k, int rank) const {
    return {count_before(i, rank), count_before(k, rank)};
  }

  /// Number of the block that holds index i; the first block is 0.
  constexpr Index block_of(Index i) const { return i < first() ? 0 : 1 + (i - first()) / block; }

  /// End of the block that holds index i, cut at `size`.
  constexpr Index block_end(Index i) const { return std::min(size, first() + block_of(i) * block); }

  /// End of the indices from i on that the owner of i holds without a gap: its block's, or all where there is
  /// one rank.
  constexpr Index run_end(Index i) const { return ranks == 1 ? size : block_end(i); }

  /// Blocks that are not empty.
  constexpr Index blocks() const { return size == 0 ? 0 : block_of(size - 1) + 1; }

  /// The dealing of the range [i,k) alone: again an axis, with its own source and first block.
  /// Its local part on every rank is the sub-range to_local(i, k, rank) of this one's.
  constexpr Axis sub(Index i, Index k) const {
    Axis part = *this;
    part.size = k - i;
    if (i == k) return part;
    part.first_block = first() + block_of(i) * block - i;
    part.source = owner(i);
    return part;
  }

  /// The same dealing: `first_block` 0 is `block`; where one process holds all, its number is moot.
  constexpr bool operator==(const Axis& other) const {
    return size == other.size && block == other.block && ranks == other.ranks && first() == other.first() &&
           (source == other.source || ranks == 1);
  }

  /// Steps from the source process to `rank`, around the ring. (Not for a replicated axis.)
  constexpr int distance(int rank) const { return (rank - source + ranks) % ranks; }
};

}  // namespace cyclade
