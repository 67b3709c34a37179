// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/grid.hpp"

#include <string>

namespace cyclade {

GridShape nearest_square(int ranks) {
  require(ranks >= 1, "grid: the number of ranks must be 1 or more, got " + std::to_string(ranks));
  int p = 1;
  for (int d = 1; d * d <= ranks; ++d)
    if (ranks % d == 0) p = d;
  return {p, ranks / p};
}

GridShape cheapest_shape(int ranks, Index n, double flops_per_word) {
  require(ranks >= 1, "grid: the number of ranks must be 1 or more, got " + std::to_string(ranks));
  const auto cost = [&](GridShape s) {
    return 1.0 / s.p + 1.0 / s.q + 2.0 * static_cast<double>(n) / (flops_per_word * s.p * s.q);
  };
  GridShape best = nearest_square(ranks);
  for (int p = 1; p * p <= ranks; ++p) {
    const GridShape shape{p, ranks / p};
    if (cost(shape) < cost(best)) best = shape;
  }
  return best;
}

Grid::Grid(MPI_Comm parent, GridShape shape, GridOrder order)
    : shape_(shape), order_(order), traffic_(std::make_unique<Traffic>()) {
  const std::string asked = std::to_string(shape.p) + "x" + std::to_string(shape.q);
  require(shape.p >= 1 && shape.q >= 1, "grid: needs at least 1x1 processes, got " + asked);
  require(parent != MPI_COMM_NULL, "grid: the communicator is MPI_COMM_NULL");
  int ranks = 0;
  check(MPI_Comm_size(parent, &ranks), "MPI_Comm_size");
  require(Index{shape.p} * shape.q <= ranks, "grid: " + asked + " needs " +
                                                 std::to_string(Index{shape.p} * shape.q) +
                                                 " ranks, there are " + std::to_string(ranks));
  parent_ = Communicator::duplicate(parent, traffic_.get());
  const int rank = parent_.rank();
  const bool in = rank < shape.p * shape.q;
  all_ = parent_.split(in ? 0 : MPI_UNDEFINED, rank);
  if (!in) return;
  my_row_ = order == GridOrder::row ? rank / shape.q : rank % shape.p;
  my_col_ = order == GridOrder::row ? rank % shape.q : rank / shape.p;
  row_ = all_.split(my_row_, my_col_);
  column_ = all_.split(my_col_, my_row_);
}

}  // namespace cyclade
