// The panel of one Gauss-Jordan step: P S = L U with partial pivoting, over the ranks of a process column.
//
//   S holds the columns of the step, rows that have not been pivots yet. It is a compact copy, and no row of
//   it moves: a row that becomes a pivot is copied to the factors and its place in S set to zero, so it is
//   never chosen again and no update changes it. The factors F = L\U (b x b, rows in pivot order) end up on
//   every rank of the process column.
//
// Recursive over columns (Toledo 1997): both halves of a range, with one triangular solve and one product
// between them; leaves of `leaf` columns go column by column, with one exchange a column that finds the pivot
// and delivers its row.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "cyclade/certify/certificate.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// How far a panel, or a sweep, came.
struct PivotOutcome {
  Status status = Status::ok;  ///< ok, singular (a zero pivot), or growth_too_large (a pivot that overflowed)
  Index column = -1;           ///< of the pivot that failed, counted from the first one of the panel
};

template <Scalar T>
class PivotPanel {
 public:
  /// Columns that go one by one. Small enough that a leaf stays in cache.
  static constexpr Index leaf = 16;

  /// Room for panels of up to `width` columns. Local.
  PivotPanel(Device& device, Index width);

  /// Factors S in place: afterwards it holds L21, the multipliers of the rows that were not chosen, and zeros
  /// in those that were. `ids` are the global rows of S, ascending. Collective over `column`, which is null
  /// where one rank has all rows; about b(b - leaf)/2 words of rows and ceil(log2 p) (leaf + 3) b words of
  /// pivot exchange a rank.
  PivotOutcome factor(MatrixView<T> s, std::span<const Index> ids, const Communicator* column);

  /// L\U, b x b, rows in pivot order.
  MatrixView<T> factors() const { return f_; }
  /// max |re| + |im| over U: with the entries of S on entry, all that growth is measured by.
  Real<T> largest() const;
  /// Global rows chosen, in pivot order.
  std::span<const Index> rows() const { return rows_; }

 private:
  struct Choice {  // what travels with a candidate
    double magnitude;
    Index row;
    Index owner;
  };
  PivotOutcome factor_range(Index c0, Index c1);
  PivotOutcome factor_leaf(Index c0, Index c1);
  Choice choose(Index c0, Index c1, Index c, const Candidate<T>& mine);
  void share_rows(Index c0, Index c1);

  Device& device_;
  const Kernels<T>& kernels_;
  Buffer<T> storage_;          // of F
  Buffer<T> message_, reply_;  // a candidate and its row of the leaf
  Buffer<T> shared_;           // rows of F on their way
  MatrixView<T> f_;
  MatrixView<T> s_;
  std::span<const Index> ids_;
  const Communicator* column_ = nullptr;  // null: alone
  int me_ = 0;                            // in it
  std::vector<Index> rows_;
  std::vector<int> owners_;
};

}  // namespace cyclade
