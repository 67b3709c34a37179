// The two panels of one elimination step, and how they reach the ranks that need them.
//
//   ColumnPanel   T, mloc x b: the multipliers of every local row; travels along the process rows, from the
//                 process column that owns the step's columns, in one message with the step's small
//                 triangles.
//   RowPanel      R, b x nloc: the pivot rows; gathered in each process column from wherever they lie.
//
// Buffers are allocated once and used again by every step, at the same addresses.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "cyclade/matrix/dealt.hpp"

namespace cyclade {

template <Scalar T>
class ColumnPanel {
 public:
  /// Room for mloc x width entries, the triangles and the pivots. Local.
  ColumnPanel(Device& device, Index rows, Index width);

  /// Sets the width of this step, at most the one that there is room for.
  void resize(Index width) { width_ = width; }
  /// The same where a step has multipliers for some of the local rows only.
  void resize(Index rows, Index width) {
    rows_ = rows;
    width_ = width;
  }
  Index width() const { return width_; }

  /// T, rows x width.
  MatrixView<T> multipliers() const { return buffer_.view(rows_, width_); }
  /// width x width: L^-1 below the diagonal (its unit diagonal is not stored), U^-1 on and above it.
  MatrixView<T> triangles() const { return {buffer_.data() + rows_ * width_, width_, width_}; }
  /// The pivots themselves, in order.
  std::span<T> pivots() const;

  /// Whole numbers that travel with it, width + 2 of them: the verdict of the step and its pivot rows.
  void write_header(std::span<const Index> header) const;
  void read_header(std::span<Index> header) const;

  /// All of it as one message: rows*width + width^2 + width words, and those that the header takes.
  std::span<T> contents() const {
    return buffer_.span().first(static_cast<std::size_t>(size(rows_, width_)));
  }

 private:
  static constexpr Index header_begin(Index rows, Index width) { return (rows + width + 1) * width; }
  static constexpr Index size(Index rows, Index width) {
    const auto bytes = (width + 2) * static_cast<Index>(sizeof(Index)), word = static_cast<Index>(sizeof(T));
    return header_begin(rows, width) + (bytes + word - 1) / word;
  }

  Index rows_;
  Index width_;
  Buffer<T> buffer_;
};

template <Scalar T>
class RowPanel {
 public:
  /// Room for `width` rows of up to `cols` entries, twice: as they arrive, and in order. Local.
  RowPanel(Device& device, Index cols, Index width);

  /// R[i,:] := A[ids[i],:] on every rank of the process column. Collective over it; a rank receives cols
  /// words for each row that it does not own; a rank that owns none of them sends nothing of its own.
  template <Dealt M>
  MatrixView<T> gather(const M& a, std::span<const Index> ids) {
    return collect(a, ids, false);
  }
  /// The same, and A[ids[i],:] := 0 on its owner.
  template <Dealt M>
  MatrixView<T> take(const M& a, std::span<const Index> ids) {
    return collect(a, ids, true);
  }

  /// Afterwards: which of the rows are this rank's (positions in `ids`), and where they lie locally.
  const std::vector<Index>& my_positions() const { return positions_; }
  const std::vector<Index>& my_slots() const { return slots_; }

 private:
  template <Dealt M>
  MatrixView<T> collect(const M& a, std::span<const Index> ids, bool zero);

  Index cols_;
  Buffer<T> arrived_;
  Buffer<T> ordered_;
  std::vector<Index> positions_, slots_;
};

}  // namespace cyclade
