// Rows dealt out as contiguous slabs, one a rank, of any size: how lattice codes and most row-wise programs
// keep a matrix. Slabs may be uneven and empty. Pure arithmetic over the offsets; who gathers the counts from
// the ranks is matrix/block_rows.
//
//   counts  3 0 2     rows  0 1 2 | | 3 4      owner(3) = 2: the empty slab of rank 1 owns nothing
//
// As for an Axis, the part of any range [i,k) that a rank owns is its local range
// [count_before(i), count_before(k)).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "cyclade/layout/axis.hpp"

namespace cyclade {

class RowPartition {
 public:
  /// No rows, on one rank.
  RowPartition() = default;
  /// Rank r holds counts[r] rows. Throws ArgumentError, naming the rank, unless there is at least one rank,
  /// every count is 0 or more and the sum fits 64 bits.
  explicit RowPartition(std::span<const Index> counts);
  /// n rows as evenly as they go: the first n mod ranks slabs have one more.
  static RowPartition even(Index n, int ranks);

  int ranks() const { return static_cast<int>(offsets_.size()) - 1; }
  /// Rows of all slabs together.
  Index size() const { return offsets_.back(); }
  /// First row of a rank's slab, one past its last, and their number.
  Index begin(int rank) const { return offsets_[static_cast<std::size_t>(rank)]; }
  Index end(int rank) const { return offsets_[static_cast<std::size_t>(rank) + 1]; }
  Index count(int rank) const { return end(rank) - begin(rank); }
  Index local_size(int rank) const { return count(rank); }  ///< by the name that an Axis has for it
  Range range(int rank) const { return {begin(rank), end(rank)}; }
  /// ranks + 1 numbers: where each slab starts, and the size.
  std::span<const Index> offsets() const { return offsets_; }

  /// The rank that holds row i, 0 <= i < size. Never one with an empty slab. O(log ranks).
  int owner(Index i) const;
  /// How many rows < i live on `rank`, 0 <= i <= size.
  Index count_before(Index i, int rank) const;
  /// Local row of global row i on its owner, and back.
  Index to_local(Index i) const { return i - begin(owner(i)); }
  Index to_global(Index local, int rank) const { return begin(rank) + local; }
  /// What `rank` holds of the global rows [i,k), as a range of its local rows.
  Range to_local(Index i, Index k, int rank) const { return {count_before(i, rank), count_before(k, rank)}; }
  /// What `rank` holds of the global rows [i,k), as global rows; empty ranges lie inside [i,k].
  Range overlap(Index i, Index k, int rank) const;

  bool operator==(const RowPartition&) const = default;

 private:
  std::vector<Index> offsets_{0, 0};
};

}  // namespace cyclade
