// Every p x q = P grid of a communicator, in both rank orders, and a layout that is as awkward as can be:
// what the tests of collective code loop over.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "cyclade/mpi/grid.hpp"

namespace cyclade::test {

/// All p x q = ranks, p from 1.
inline std::vector<GridShape> shapes_of(int ranks) {
  std::vector<GridShape> shapes;
  for (int p = 1; p <= ranks; ++p)
    if (ranks % p == 0) shapes.push_back({p, ranks / p});
  return shapes;
}

/// Calls f(grid) for every shape and order over all ranks of the world.
template <class F>
void for_each_grid(F&& f) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const GridShape shape : shapes_of(ranks)) {
    for (const GridOrder order : {GridOrder::row, GridOrder::column}) {
      const Grid grid(MPI_COMM_WORLD, shape, order);
      f(grid);
    }
  }
}

}  // namespace cyclade::test
