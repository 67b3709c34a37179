/* The C interface from C: every function on every grid, all four types, and every wrong use: refused with the
 * same status on all ranks and the matrix untouched. Run under mpirun.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/api/c_api_test.h"

int failures = 0;
int my_rank = 0, ranks = 1;

static const int types[4] = {CYCLADE_S, CYCLADE_D, CYCLADE_C, CYCLADE_Z};

static int last_rank(void) { return my_rank == ranks - 1; }

static void test_words(void) {
  EXPECT(strlen(cyclade_version()) >= 5);
  EXPECT(strcmp(cyclade_status_name(CYCLADE_OK), "ok") == 0);
  EXPECT(strcmp(cyclade_status_name(CYCLADE_CERTIFICATE_FAILED), "certificate_failed") == 0);
  EXPECT(strcmp(cyclade_status_name(CYCLADE_ERROR_FILE), "file error") == 0);
  EXPECT(strcmp(cyclade_status_name(7), "unknown status") == 0);
  EXPECT(strcmp(cyclade_status_name(-6), "unknown status") == 0);
}

/* Known answers: ScaLAPACK's NUMROC of (5, 2, p, 1, 3), and a first block of its own, 10 = 3 + 2 + 2 + 2 + 1.
 */
static void test_axes(void) {
  const cyclade_axis five = {5, 2, 0, 3, 1}, ten = {10, 2, 3, 2, 1},
                     shared = {4, 2, 0, 3, CYCLADE_REPLICATED};
  const cyclade_axis broken = {5, 0, 0, 3, 0};
  const int owner[10] = {1, 1, 1, 0, 0, 1, 1, 0, 0, 1};
  const int64_t local[10] = {0, 1, 2, 0, 1, 3, 4, 2, 3, 5};
  EXPECT(cyclade_local_size(&five, 0) == 1);
  EXPECT(cyclade_local_size(&five, 1) == 2);
  EXPECT(cyclade_local_size(&five, 2) == 2);
  for (int64_t i = 0; i < 10; ++i) {
    EXPECT(cyclade_owner(&ten, i) == owner[i]);
    EXPECT(cyclade_to_local(&ten, i) == local[i]);
    EXPECT(cyclade_to_global(&ten, local[i], owner[i]) == i);
    EXPECT(cyclade_count_before(&ten, i, owner[i]) == local[i]);
  }
  EXPECT(cyclade_count_before(&ten, 10, 0) == 4);
  EXPECT(cyclade_local_size(&ten, 1) == 6);
  EXPECT(cyclade_owner(&shared, 3) == CYCLADE_REPLICATED);
  EXPECT(cyclade_local_size(&shared, 2) == 4);

  EXPECT(cyclade_owner(&ten, 10) == CYCLADE_NOWHERE);
  EXPECT(strstr(cyclade_last_error(), "cyclade_owner: `i` must be in [0,10), got 10") != NULL);
  EXPECT(cyclade_owner(&ten, -1) == CYCLADE_NOWHERE);
  EXPECT(cyclade_to_local(&ten, 10) == CYCLADE_NOWHERE);
  EXPECT(cyclade_to_global(&ten, 4, 0) == CYCLADE_NOWHERE);
  EXPECT(cyclade_to_global(&ten, 0, 2) == CYCLADE_NOWHERE);
  EXPECT(cyclade_count_before(&ten, 11, 0) == CYCLADE_NOWHERE);
  EXPECT(cyclade_local_size(&ten, -1) == CYCLADE_NOWHERE);
  EXPECT(cyclade_local_size(NULL, 0) == CYCLADE_NOWHERE);
  EXPECT(cyclade_local_size(&broken, 0) == CYCLADE_NOWHERE);
  EXPECT(strstr(cyclade_last_error(), "block") != NULL);
}

static void test_grids(void) {
  cyclade_grid* grid = NULL;
  cyclade_layout layout;
  int p = 0, q = 0, rank = -1;
  EXPECT_STATUS(cyclade_cheapest_shape(7, 10, &p, &q), CYCLADE_OK);
  EXPECT(p == 2 && q == 3); /* little work: better one idle rank than a long row */
  EXPECT_STATUS(cyclade_cheapest_shape(7, 1000000, &p, &q), CYCLADE_OK);
  EXPECT(p == 1 && q == 7);
  EXPECT_REFUSED(cyclade_cheapest_shape(0, 10, &p, &q), "ranks");
  EXPECT_REFUSED(cyclade_cheapest_shape(4, -1, &p, &q), "`n`");

  EXPECT_STATUS(cyclade_grid_create(MPI_COMM_WORLD, 0, 0, CYCLADE_COLUMN_ORDER, &grid), CYCLADE_OK);
  EXPECT_STATUS(cyclade_grid_get(grid, &p, &q, NULL, NULL), CYCLADE_OK);
  EXPECT(p * q == ranks && p <= q);
  EXPECT_STATUS(cyclade_grid_rank_of(grid, p - 1, q - 1, &rank), CYCLADE_OK);
  EXPECT(rank == ranks - 1);
  EXPECT_REFUSED(cyclade_grid_rank_of(grid, p, 0, &rank), "no process");
  EXPECT_REFUSED(cyclade_grid_rank_of(grid, 0, 0, NULL), "`rank`");
  EXPECT_REFUSED(cyclade_layout_init(&layout, grid, 4, 4, 0, 2), "block");
  EXPECT_REFUSED(cyclade_layout_init(&layout, grid, -1, 4, 2, 2), "-1");
  EXPECT_REFUSED(cyclade_layout_init(NULL, grid, 4, 4, 2, 2), "`layout`");
  cyclade_grid_free(&grid);
  EXPECT(grid == NULL);
  cyclade_grid_free(&grid);
  cyclade_grid_free(NULL);

  /* (2,0) in blocks of 2 on 2 x 3: on the second row of processes. */
  if (ranks == 6) {
    for (int column = 0; column < 2; ++column) {
      EXPECT_STATUS(
          cyclade_grid_create(MPI_COMM_WORLD, 2, 0, column ? CYCLADE_COLUMN_ORDER : CYCLADE_ROW_ORDER, &grid),
          CYCLADE_OK);
      EXPECT_STATUS(cyclade_layout_init(&layout, grid, 7, 7, 2, 2), CYCLADE_OK);
      EXPECT_STATUS(
          cyclade_grid_rank_of(grid, cyclade_owner(&layout.rows, 2), cyclade_owner(&layout.cols, 0), &rank),
          CYCLADE_OK);
      EXPECT(rank == (column ? 1 : 3));
      cyclade_grid_free(&grid);
    }
  }

  EXPECT_REFUSED(cyclade_grid_create(MPI_COMM_NULL, 1, 1, CYCLADE_ROW_ORDER, &grid), "MPI_COMM_NULL");
  EXPECT_REFUSED(cyclade_grid_create(MPI_COMM_WORLD, ranks + 1, 1, CYCLADE_ROW_ORDER, &grid), "ranks");
  EXPECT_REFUSED(cyclade_grid_create(MPI_COMM_WORLD, -1, 1, CYCLADE_ROW_ORDER, &grid), "1x1");
  EXPECT_REFUSED(cyclade_grid_create(MPI_COMM_WORLD, ranks, 1, last_rank() ? 0 : CYCLADE_ROW_ORDER, &grid),
                 "order");
  EXPECT_REFUSED(cyclade_grid_create(MPI_COMM_WORLD, ranks, 1, CYCLADE_ROW_ORDER, last_rank() ? NULL : &grid),
                 "`grid`");
  if (ranks > 1)
    EXPECT_REFUSED(cyclade_grid_create(MPI_COMM_WORLD, 1, last_rank() ? 1 : 2, CYCLADE_ROW_ORDER, &grid),
                   "`q`");
  EXPECT(grid == NULL);
  EXPECT_REFUSED(cyclade_grid_get(NULL, &p, &q, NULL, NULL), "NULL");
}

/* n x n, blocks, first blocks and sources as awkward as can be. */
static cyclade_layout awkward(const cyclade_grid* grid, int64_t m, int64_t n) {
  cyclade_layout layout;
  EXPECT_STATUS(cyclade_layout_init(&layout, grid, m, n, 3, 4), CYCLADE_OK);
  layout.rows.source = layout.rows.ranks - 1;
  layout.cols.source = layout.cols.ranks / 2;
  layout.rows.first_block = 2;
  layout.cols.first_block = 5;
  return layout;
}

static void count_progress(void* context, const char* phase, double fraction) {
  EXPECT(phase != NULL && fraction >= 0 && fraction <= 1);
  ++*(int*)context;
}

static void check_report(const cyclade_report* r, const part* p, int64_t n, int in_grid) {
  EXPECT(r->status == CYCLADE_OK);
  EXPECT(r->in_grid == in_grid);
  if (!in_grid) return;
  EXPECT(r->n == n && r->type == p->type && r->method == CYCLADE_GAUSS_JORDAN);
  EXPECT(r->zero_pivot == -1 && r->bad_row == -1 && r->bad_col == -1);
  const double factor = is_complex(p->type) ? sqrt(5) : 1;
  EXPECT(fabs(r->logabsdet - (double)n * log(factor)) < tolerance(p->type));
  EXPECT(fabs(hypot(r->sign_re, r->sign_im) - 1) < 1e-12);
  EXPECT(fabs(r->norm1_a - factor * (double)(n * (n + 1)) / 2) < 1e-3);
  EXPECT(fabs(r->norm1_x - 4 / factor) < 1e-2);
  EXPECT(fabs(r->cond1 - r->norm1_a * r->norm1_x) < 1e-3);
  EXPECT(r->certified && r->digits >= 1);
  EXPECT(r->residual_left > 0 && r->residual_left < r->tolerance);
  EXPECT(r->residual_right > 0 && r->residual_right < r->tolerance);
  EXPECT(r->confidence > 0.999 && r->confidence < 1);
  EXPECT(r->seconds > 0 && r->gflops > 0 && r->growth >= 1);
  EXPECT(r->matrix_bytes > 0 && r->peak_bytes > 0);
  EXPECT((r->words_received > 0) == (ranks > 1));
}

/* Create, invert, verify, multiply: one grid, one type. */
static void test_inverse(const cyclade_grid* grid, int type) {
  const int64_t n = 23;
  const cyclade_layout layout = awkward(grid, n, n);
  part a = make_part(grid, layout, type), x = make_part(grid, layout, type),
       c = make_part(grid, layout, type);
  fill_part(&a, minij);
  fill_part(&x, minij);
  cyclade_matrix *on_a = NULL, *on_x = NULL, *on_c = NULL;
  EXPECT_STATUS(cyclade_matrix_create(grid, &layout, type, a.data, a.ld, &on_a), CYCLADE_OK);
  EXPECT_STATUS(cyclade_matrix_create(grid, &layout, type, x.data, x.ld, &on_x), CYCLADE_OK);
  EXPECT_STATUS(cyclade_matrix_create(grid, &layout, type, c.data, c.ld, &on_c), CYCLADE_OK);

  int calls = 0;
  cyclade_invert_options options;
  cyclade_invert_options_init(&options);
  EXPECT(options.method == CYCLADE_AUTOMATIC && options.certificate == 1 && options.uplo == CYCLADE_LOWER);
  options.progress = count_progress;
  options.progress_context = &calls;
  cyclade_report report;
  cyclade_report_init(&report);
  EXPECT_STATUS(cyclade_invert(on_x, &options, &report), CYCLADE_OK);
  EXPECT(distance(&x, minij_inverse) < tolerance(type));
  EXPECT(padding_is_intact(&x));
  EXPECT(calls > 0);
  check_report(&report, &x, n, 1);

  EXPECT_STATUS(cyclade_verify(on_a, on_x, &report), CYCLADE_OK);
  EXPECT(report.certified && report.digits >= 1 && report.method == CYCLADE_AUTOMATIC);
  EXPECT_STATUS(cyclade_verify(on_x, on_x, NULL), CYCLADE_CERTIFICATE_FAILED);
  EXPECT(strstr(cyclade_last_error(), "certificate_failed") != NULL);

  EXPECT_STATUS(cyclade_multiply(NULL, on_a, on_x, NULL, on_c), CYCLADE_OK);
  EXPECT(distance(&c, identity) < 10 * tolerance(type));
  /* C := 2 C - A X = I again, with numbers of the type. */
  double alpha[2], beta[2];
  const number minus_one = {-1, 0}, two = {2, 0};
  put(type, alpha, 0, minus_one);
  put(type, beta, 0, two);
  EXPECT_STATUS(cyclade_multiply(alpha, on_a, on_x, beta, on_c), CYCLADE_OK);
  EXPECT(distance(&c, identity) < 30 * tolerance(type));
  EXPECT(padding_is_intact(&c) && padding_is_intact(&a));

  cyclade_matrix_free(&on_a);
  cyclade_matrix_free(&on_x);
  cyclade_matrix_free(&on_c);
  EXPECT(on_a == NULL);
  free_part(&a);
  free_part(&x);
  free_part(&c);
}

/* A window of a matrix that owns its memory; the rest stays as it was; handles outlive what they came from.
 */
static void test_window(cyclade_grid** grid, int type) {
  const int64_t n = 30, i0 = 5, j0 = 7, k = 17;
  cyclade_layout layout = awkward(*grid, n, n), found;
  cyclade_matrix *whole = NULL, *window = NULL;
  cyclade_local local;
  int row = 0, col = 0, found_type = 0;
  EXPECT_STATUS(cyclade_grid_get(*grid, NULL, NULL, &row, &col), CYCLADE_OK);
  EXPECT_STATUS(cyclade_matrix_allocate(*grid, &layout, type, &whole), CYCLADE_OK);
  EXPECT_STATUS(cyclade_matrix_get(whole, &found, &found_type), CYCLADE_OK);
  EXPECT(found_type == type && memcmp(&found.cols.n, &layout.cols.n, sizeof n) == 0 &&
         found.rows.source == layout.rows.source);
  EXPECT_STATUS(cyclade_matrix_local(whole, &local), CYCLADE_OK);
  for (int pass = 0; pass < 2; ++pass) {
    double worst = 0;
    for (int64_t j = 0; j < local.cols; ++j) {
      for (int64_t i = 0; i < local.rows; ++i) {
        const int64_t gi = cyclade_to_global(&layout.rows, i, row) - i0,
                      gj = cyclade_to_global(&layout.cols, j, col) - j0;
        const int inside = gi >= 0 && gi < k && gj >= 0 && gj < k;
        const number outside = {-9, 0};
        const number right = !inside     ? outside
                             : pass == 0 ? minij(type, gi, gj, k)
                                         : minij_inverse(type, gi, gj, k);
        if (pass == 0) put(type, local.data, i + j * local.ld, right);
        const number here = get(type, local.data, i + j * local.ld);
        worst = fmax(worst, hypot(here.re - right.re, here.im - right.im));
      }
    }
    EXPECT(worst < tolerance(type));
    if (pass == 1) break;
    EXPECT_REFUSED(cyclade_matrix_window(whole, 0, n + 1, 0, n, &window), "31");
    EXPECT(window == NULL);
    EXPECT_STATUS(cyclade_matrix_window(whole, i0, i0 + k, j0, j0 + k, &window), CYCLADE_OK);
    EXPECT_STATUS(cyclade_invert(window, NULL, NULL), CYCLADE_OK);
  }
  cyclade_grid_free(grid);
  cyclade_matrix_free(&whole);
  EXPECT_STATUS(cyclade_invert(window, NULL, NULL), CYCLADE_OK); /* the storage lives on */
  cyclade_matrix_free(&window);
}

/* Between two grids, transposed, with a budget of a few numbers. */
static void test_redistribute(const cyclade_grid* from_grid, int type) {
  cyclade_grid* to_grid = NULL;
  EXPECT_STATUS(cyclade_grid_create(MPI_COMM_WORLD, ranks, 1, CYCLADE_ROW_ORDER, &to_grid), CYCLADE_OK);
  cyclade_layout to_layout;
  EXPECT_STATUS(cyclade_layout_init(&to_layout, to_grid, 19, 31, 2, 7), CYCLADE_OK);
  part a = make_part(from_grid, awkward(from_grid, 31, 19), type), b = make_part(to_grid, to_layout, type);
  fill_part(&a, position);
  cyclade_matrix *from = NULL, *to = NULL, *other = NULL;
  EXPECT_STATUS(cyclade_matrix_create(from_grid, &a.layout, type, a.data, a.ld, &from), CYCLADE_OK);
  EXPECT_STATUS(cyclade_matrix_create(to_grid, &b.layout, type, b.data, b.ld, &to), CYCLADE_OK);
  EXPECT_STATUS(cyclade_redistribute(MPI_COMM_WORLD, from, to, CYCLADE_TRANSPOSE, 100), CYCLADE_OK);
  EXPECT(distance(&b, position_transposed) == 0);
  EXPECT(padding_is_intact(&b));

  EXPECT_REFUSED(cyclade_redistribute(MPI_COMM_WORLD, from, to, CYCLADE_NO_TRANSPOSE, 0), "31");
  EXPECT_REFUSED(cyclade_redistribute(MPI_COMM_WORLD, from, to, 'X', 0), "op");
  EXPECT_REFUSED(cyclade_redistribute(MPI_COMM_WORLD, from, to, CYCLADE_TRANSPOSE, -1), "budget");
  EXPECT_REFUSED(cyclade_redistribute(MPI_COMM_WORLD, NULL, NULL, CYCLADE_TRANSPOSE, 0), "no rank");
  EXPECT_REFUSED(cyclade_redistribute(MPI_COMM_NULL, from, to, CYCLADE_TRANSPOSE, 0), "MPI_COMM_NULL");
  EXPECT_REFUSED(cyclade_redistribute(MPI_COMM_WORLD, last_rank() ? NULL : from, to, CYCLADE_TRANSPOSE, 0),
                 ranks == 1 ? "no rank" : "from");
  EXPECT_STATUS(
      cyclade_matrix_allocate(to_grid, &to_layout, type == CYCLADE_D ? CYCLADE_S : CYCLADE_D, &other),
      CYCLADE_OK);
  EXPECT_REFUSED(cyclade_redistribute(MPI_COMM_WORLD, from, other, CYCLADE_TRANSPOSE, 0), "type");
  EXPECT(distance(&b, position_transposed) == 0);

  cyclade_matrix_free(&from);
  cyclade_matrix_free(&to);
  cyclade_matrix_free(&other);
  cyclade_grid_free(&to_grid);
  free_part(&a);
  free_part(&b);
}

/* A grid of rank 0 alone, which the others have no handle of; and a grid with idle ranks. */
static void test_few_ranks(void) {
  const int64_t n = 11;
  MPI_Comm mine = MPI_COMM_NULL;
  cyclade_grid *one = NULL, *all = NULL, *idle = NULL;
  cyclade_matrix *from = NULL, *to = NULL, *matrix = NULL;
  cyclade_layout layout;
  part a = {CYCLADE_D, {{0, 1, 0, 1, 0}, {0, 1, 0, 1, 0}}, -1, -1, 0, 0, 0, NULL};
  MPI_Comm_split(MPI_COMM_WORLD, my_rank == 0 ? 0 : MPI_UNDEFINED, 0, &mine);
  if (my_rank == 0) {
    EXPECT_STATUS(cyclade_grid_create(mine, 1, 1, CYCLADE_ROW_ORDER, &one), CYCLADE_OK);
    EXPECT_STATUS(cyclade_layout_init(&layout, one, n, n, n, n), CYCLADE_OK);
    a = make_part(one, layout, CYCLADE_D);
    fill_part(&a, position);
    EXPECT_STATUS(cyclade_matrix_create(one, &layout, CYCLADE_D, a.data, a.ld, &from), CYCLADE_OK);
  }
  EXPECT_STATUS(cyclade_grid_create(MPI_COMM_WORLD, 0, 0, CYCLADE_ROW_ORDER, &all), CYCLADE_OK);
  part b = make_part(all, awkward(all, n, n), CYCLADE_D);
  EXPECT_STATUS(cyclade_matrix_create(all, &b.layout, CYCLADE_D, b.data, b.ld, &to), CYCLADE_OK);
  EXPECT_STATUS(cyclade_redistribute(MPI_COMM_WORLD, from, to, CYCLADE_NO_TRANSPOSE, 0), CYCLADE_OK);
  EXPECT(distance(&b, position) == 0);
  cyclade_matrix_free(&from);
  cyclade_matrix_free(&to);
  cyclade_grid_free(&one);
  cyclade_grid_free(&all);
  free_part(&a);
  free_part(&b);
  if (mine != MPI_COMM_NULL) MPI_Comm_free(&mine);

  EXPECT_STATUS(cyclade_grid_create(MPI_COMM_WORLD, 1, 1, CYCLADE_ROW_ORDER, &idle), CYCLADE_OK);
  part x = make_part(idle, awkward(idle, n, n), CYCLADE_D);
  cyclade_report report;
  cyclade_report_init(&report);
  fill_part(&x, minij);
  EXPECT_STATUS(cyclade_matrix_create(idle, &x.layout, CYCLADE_D, x.data, x.ld, &matrix), CYCLADE_OK);
  EXPECT_STATUS(cyclade_invert(matrix, NULL, &report), CYCLADE_OK);
  EXPECT(report.in_grid == (my_rank == 0));
  EXPECT((x.rows == n) == (my_rank == 0));
  EXPECT(distance(&x, minij_inverse) < 1e-10);
  cyclade_matrix_free(&matrix);
  cyclade_grid_free(&idle);
  free_part(&x);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  test_words();
  test_axes();
  test_grids();
  test_few_ranks();
  for (int p = 1; p <= ranks; ++p) {
    if (ranks % p != 0) continue;
    for (int order = 0; order < 2; ++order) {
      for (int t = order; t < 4; t += 2) { /* each type in one of the orders */
        cyclade_grid* grid = NULL;
        EXPECT_STATUS(cyclade_grid_create(MPI_COMM_WORLD, p, ranks / p,
                                          order ? CYCLADE_COLUMN_ORDER : CYCLADE_ROW_ORDER, &grid),
                      CYCLADE_OK);
        test_inverse(grid, types[t]);
        test_redistribute(grid, types[t]);
        test_window(&grid, types[t]);
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (my_rank == 0) printf("%d failures on %d ranks\n", failures, ranks);
  MPI_Finalize();
  return failures != 0;
}
