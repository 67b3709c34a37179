// Grids for C.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/api/c_handles.hpp"

using namespace cyclade;
using namespace cyclade::c;

namespace {

/// p or q or both of 0 chosen for that many ranks.
GridShape complete(int p, int q, int ranks) {
  if (p == 0 && q == 0) return nearest_square(ranks);
  if (p == 0 && q > 0) return {ranks / q, q};
  if (q == 0 && p > 0) return {p, ranks / p};
  return {p, q};
}

}  // namespace

cyclade_status cyclade_grid_create(MPI_Comm comm, int p, int q, int order, cyclade_grid** grid) {
  constexpr const char* function = "cyclade_grid_create";
  if (grid) *grid = nullptr;
  return guarded([&] {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    require(initialized && !finalized, std::string(function) + ": call it between MPI_Init and MPI_Finalize");
    require(comm != MPI_COMM_NULL, std::string(function) + ": `comm` is MPI_COMM_NULL");
    const Communicator everyone = Communicator::duplicate(comm);
    std::unique_ptr<cyclade_grid> made;
    in_agreement(everyone, function, [&] {
      require_pointer(grid, function, "grid");
      require(order == CYCLADE_ROW_ORDER || order == CYCLADE_COLUMN_ORDER,
              std::string(function) + ": the order must be CYCLADE_ROW_ORDER or CYCLADE_COLUMN_ORDER, got " +
                  std::to_string(order));
      made = std::make_unique<cyclade_grid>();
      return std::vector<Alike>{{"p", p}, {"q", q}, {"order", order}};
    });
    made->grid =
        std::make_shared<const Grid>(comm, complete(p, q, everyone.size()), static_cast<GridOrder>(order));
    *grid = made.release();
    return CYCLADE_OK;
  });
}

void cyclade_grid_free(cyclade_grid** grid) {
  if (!grid) return;
  guarded([&] {
    if (*grid) delete &checked(*grid, "cyclade_grid_free");
    return CYCLADE_OK;
  });
  *grid = nullptr;
}

cyclade_status cyclade_grid_get(const cyclade_grid* grid, int* p, int* q, int* my_row, int* my_col) {
  return guarded([&] {
    const Grid& g = *checked(grid, "cyclade_grid_get").grid;
    if (p) *p = g.p();
    if (q) *q = g.q();
    if (my_row) *my_row = g.my_row();
    if (my_col) *my_col = g.my_col();
    return CYCLADE_OK;
  });
}

cyclade_status cyclade_grid_rank_of(const cyclade_grid* grid, int row, int col, int* rank) {
  constexpr const char* function = "cyclade_grid_rank_of";
  return guarded([&] {
    const Grid& g = *checked(grid, function).grid;
    require_pointer(rank, function, "rank");
    require(0 <= row && row < g.p() && 0 <= col && col < g.q(),
            std::string(function) + ": a grid of " + std::to_string(g.p()) + "x" + std::to_string(g.q()) +
                " has no process (" + std::to_string(row) + "," + std::to_string(col) + ")");
    *rank = g.rank_of(row, col);
    return CYCLADE_OK;
  });
}

cyclade_status cyclade_cheapest_shape(int ranks, int64_t n, int* p, int* q) {
  constexpr const char* function = "cyclade_cheapest_shape";
  return guarded([&] {
    require_pointer(p, function, "p");
    require_pointer(q, function, "q");
    require(n >= 0, std::string(function) + ": `n` must not be negative, got " + std::to_string(n));
    const GridShape shape = cheapest_shape(ranks, n);
    *p = shape.p;
    *q = shape.q;
    return CYCLADE_OK;
  });
}
