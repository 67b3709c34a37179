/* Inverts a matrix whose inverse is known, from C: A(i,j) = min(i,j) + 1 has the inverse with 2 (the last: 1)
 * on the diagonal and -1 beside it.
 *
 *   mpirun -n 4 invert_c
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cyclade/api/cyclade.h"

/* Ends the program if a call went wrong: all ranks get the same status. */
static void check(cyclade_status status) {
  if (status == CYCLADE_OK) return;
  fprintf(stderr, "invert: %s\n", cyclade_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  const int64_t n = 500, nb = 32;
  MPI_Init(&argc, &argv);

  /* A grid of processes, as near to a square as their number allows, and the part of the matrix that lives
   * here. */
  cyclade_grid* grid = NULL;
  check(cyclade_grid_create(MPI_COMM_WORLD, 0, 0, CYCLADE_ROW_ORDER, &grid));
  int row = 0, col = 0;
  check(cyclade_grid_get(grid, NULL, NULL, &row, &col));
  cyclade_layout layout;
  check(cyclade_layout_init(&layout, grid, n, n, nb, nb));
  const int64_t rows = cyclade_local_size(&layout.rows, row), cols = cyclade_local_size(&layout.cols, col);
  const int64_t ld = rows > 0 ? rows : 1;
  double* a = malloc((size_t)(ld * cols + 1) * sizeof *a);
  if (!a) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int64_t j = 0; j < cols; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t i_global = cyclade_to_global(&layout.rows, i, row);
      const int64_t j_global = cyclade_to_global(&layout.cols, j, col);
      a[i + j * ld] = (double)(i_global < j_global ? i_global : j_global) + 1;
    }
  }

  /* A matrix on that array, without a copy; invert it. */
  cyclade_matrix* matrix = NULL;
  cyclade_report report;
  cyclade_report_init(&report);
  check(cyclade_matrix_create(grid, &layout, CYCLADE_D, a, ld, &matrix));
  check(cyclade_invert(matrix, NULL, &report));

  /* The array holds the inverse now. */
  double error = 0;
  for (int64_t j = 0; j < cols; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t i_global = cyclade_to_global(&layout.rows, i, row);
      const int64_t j_global = cyclade_to_global(&layout.cols, j, col);
      const int64_t distance = llabs(i_global - j_global);
      const double exact = distance == 0 ? (i_global == n - 1 ? 1 : 2) : (distance == 1 ? -1 : 0);
      error = fmax(error, fabs(a[i + j * ld] - exact));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (row == 0 && col == 0) {
    printf("order %d: %d digits certified, log|det A| = %.1e, largest error %.1e\n", (int)n, report.digits,
           report.logabsdet, error);
  }

  cyclade_matrix_free(&matrix);
  cyclade_grid_free(&grid);
  free(a);
  MPI_Finalize();
  return error < 1e-9 ? 0 : 1;
}
