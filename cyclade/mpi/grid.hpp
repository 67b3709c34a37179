// A p x q grid of processes over a communicator of the caller's: who sits where, and the communicators of its
// rows and columns. Ranks beyond p*q are outside: they take part in building the grid and then return early.
//
//   2 x 3, order row:      0 1 2        order column:   0 2 4
//                          3 4 5                        1 3 5
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "cyclade/mpi/communicator.hpp"

namespace cyclade {

enum class GridOrder : char { row = 'R', column = 'C' };

struct GridShape {
  int p = 1;  ///< process rows
  int q = 1;  ///< process columns
  constexpr bool operator==(const GridShape&) const = default;
};

/// The p x q = ranks closest to a square, p <= q (16 -> 4x4, 6 -> 2x3, 7 -> 1x7).
GridShape nearest_square(int ranks);

/// The shape over at most `ranks` processes that is cheapest for an inversion of order n: it minimises
/// (1/p + 1/q) words + 2n/(p q flops_per_word). May leave ranks idle where their number factors badly: of 287
/// it takes 13x22, or 15x19 where a word costs as much as 200,000 flops.
GridShape cheapest_shape(int ranks, Index n, double flops_per_word = 400);

class Grid {
 public:
  /// Collective over `parent`, which is duplicated. Throws ArgumentError unless p, q >= 1 and p*q <= its
  /// size.
  Grid(MPI_Comm parent, GridShape shape, GridOrder order = GridOrder::row);
  Grid(Grid&&) noexcept = default;
  Grid& operator=(Grid&&) noexcept = default;

  GridShape shape() const { return shape_; }
  GridOrder order() const { return order_; }
  int p() const { return shape_.p; }
  int q() const { return shape_.q; }
  /// This rank has a place in the grid. If not, only shape, order, rank_of and parent may be asked.
  bool inside() const { return all_.exists(); }
  int my_row() const { return my_row_; }
  int my_col() const { return my_col_; }
  /// Rank, in `all`, of the process in row r and column c.
  int rank_of(int r, int c) const { return order_ == GridOrder::row ? r * shape_.q + c : c * shape_.p + r; }

  const Communicator& all() const { return all_; }        ///< the p*q processes
  const Communicator& row() const { return row_; }        ///< my process row: q ranks, numbered by column
  const Communicator& column() const { return column_; }  ///< my process column: p ranks, numbered by row
  const Communicator& parent() const { return parent_; }  ///< the processes outside too
  /// What this rank has received through any of them.
  const Traffic& traffic() const { return *traffic_; }

 private:
  GridShape shape_;
  GridOrder order_;
  int my_row_ = -1;
  int my_col_ = -1;
  std::unique_ptr<Traffic> traffic_;  // on the heap: the communicators point to it
  Communicator parent_, all_, row_, column_;
};

}  // namespace cyclade
