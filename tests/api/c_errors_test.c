/* Wrong use of the C interface, numerical outcomes and files: the same status on all ranks, nobody hangs, and
 * the matrix is untouched after an argument error.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/api/c_api_test.h"

int failures = 0;
int my_rank = 0, ranks = 1;

static int last_rank(void) { return my_rank == ranks - 1; }

static cyclade_layout plain(const cyclade_grid* grid, int64_t m, int64_t n) {
  cyclade_layout layout;
  EXPECT_STATUS(cyclade_layout_init(&layout, grid, m, n, 2, 3), CYCLADE_OK);
  return layout;
}

static cyclade_matrix* on(const cyclade_grid* grid, const part* p) {
  cyclade_matrix* matrix = NULL;
  EXPECT_STATUS(cyclade_matrix_create(grid, &p->layout, p->type, p->data, p->ld, &matrix), CYCLADE_OK);
  return matrix;
}

/* What only one rank gets wrong is an error on all. */
static void test_create(const cyclade_grid* grid) {
  const int bad = last_rank();
  part a = make_part(grid, plain(grid, 20, 20), CYCLADE_D);
  cyclade_layout layout = a.layout;
  cyclade_matrix* m = NULL;
  EXPECT_REFUSED(cyclade_matrix_create(NULL, &layout, CYCLADE_D, a.data, a.ld, &m), "`grid` is NULL");
  EXPECT_REFUSED(
      cyclade_matrix_create((const cyclade_grid*)(const void*)&layout, &layout, CYCLADE_D, a.data, a.ld, &m),
      "not a cyclade_grid");
  EXPECT_REFUSED(cyclade_matrix_create(grid, bad ? NULL : &layout, CYCLADE_D, a.data, a.ld, &m), "`layout`");
  EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, CYCLADE_D, a.data, a.ld, bad ? NULL : &m), "`matrix`");
  EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, CYCLADE_D, bad ? NULL : a.data, a.ld, &m),
                 "null pointer");
  EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, CYCLADE_D, a.data, bad ? a.rows - 1 : a.ld, &m),
                 "leading dimension");
  EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, bad ? 'X' : CYCLADE_D, a.data, a.ld, &m), "type");
  if (ranks > 1) {
    EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, bad ? CYCLADE_S : CYCLADE_D, a.data, a.ld, &m),
                   "`type`");
    layout.rows.n -= bad;
    EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, CYCLADE_D, a.data, a.ld, &m), "`layout->rows.n`");
    layout = a.layout;
    layout.cols.source = bad ? 0 : layout.cols.ranks - 1;
    if (layout.cols.ranks > 1)
      EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, CYCLADE_D, a.data, a.ld, &m),
                     "`layout->cols.source`");
    layout = a.layout;
  }
  if (bad) layout.cols.block = 0;
  EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, CYCLADE_D, a.data, a.ld, &m), "block");
  EXPECT_REFUSED(cyclade_matrix_allocate(grid, &layout, CYCLADE_D, &m), "block");
  layout = a.layout;
  if (bad) layout.rows.ranks += 1;
  EXPECT_REFUSED(cyclade_matrix_create(grid, &layout, CYCLADE_D, a.data, a.ld, &m), "processes");
  layout = a.layout;
  layout.rows.n = layout.cols.n = INT64_C(1) << 40;
  EXPECT_STATUS(cyclade_matrix_allocate(grid, &layout, CYCLADE_Z, &m), CYCLADE_ERROR_ARGUMENT);
  layout.rows.n = layout.cols.n = INT64_C(1) << 27;
  EXPECT_STATUS(cyclade_matrix_allocate(grid, &layout, CYCLADE_Z, &m), CYCLADE_ERROR_MEMORY);
  EXPECT(m == NULL);
  free_part(&a);
}

static void test_handles(const cyclade_grid* grid) {
  cyclade_report report;
  cyclade_local local;
  cyclade_matrix *m = NULL, *w = NULL;
  cyclade_report_init(&report);
  cyclade_matrix* wrong = (cyclade_matrix*)(void*)&report;
  EXPECT_REFUSED(cyclade_invert(NULL, NULL, &report), "`a` is NULL");
  EXPECT_REFUSED(cyclade_invert(wrong, NULL, &report), "not a cyclade_matrix");
  EXPECT_REFUSED(cyclade_verify(NULL, NULL, NULL), "`a`");
  EXPECT_REFUSED(cyclade_multiply(NULL, NULL, wrong, NULL, NULL), "`a`");
  EXPECT_REFUSED(cyclade_matrix_window(NULL, 0, 0, 0, 0, &w), "`matrix`");
  EXPECT_REFUSED(cyclade_matrix_local(NULL, &local), "`matrix`");
  EXPECT_REFUSED(cyclade_matrix_get(wrong, NULL, NULL), "not a cyclade_matrix");
  EXPECT_REFUSED(cyclade_read(NULL, "a.npy"), "`a`");
  EXPECT_REFUSED(cyclade_write(wrong, "a.npy", NULL), "`a`");
  EXPECT_REFUSED(cyclade_inspect(NULL, "a.npy", NULL), "`grid`");
  EXPECT_REFUSED(cyclade_redistribute(MPI_COMM_WORLD, wrong, NULL, CYCLADE_NO_TRANSPOSE, 0), "`from`");

  part a = make_part(grid, plain(grid, 8, 8), CYCLADE_D);
  m = on(grid, &a);
  EXPECT_REFUSED(cyclade_matrix_local(m, NULL), "`local`");
  EXPECT_REFUSED(cyclade_matrix_window(m, 0, 1, 0, 1, NULL), "`window`");
  EXPECT_REFUSED(cyclade_verify(m, NULL, NULL), "`x`");
  EXPECT_STATUS(cyclade_matrix_get(m, NULL, NULL), CYCLADE_OK);
  cyclade_matrix_free(&m);
  cyclade_matrix_free(&m);
  cyclade_matrix_free(NULL);
  free_part(&a);
}

static void test_invert(const cyclade_grid* grid) {
  part a = make_part(grid, plain(grid, 20, 20), CYCLADE_D),
       wide = make_part(grid, plain(grid, 3, 4), CYCLADE_S);
  cyclade_matrix *m = on(grid, &a), *w = on(grid, &wide), *whole = NULL;
  cyclade_invert_options options;
  cyclade_report report;
  fill_part(&a, minij);
  fill_part(&wide, position);
  cyclade_report_init(&report);
  cyclade_invert_options_init(&options);

  EXPECT_REFUSED(cyclade_invert(w, NULL, NULL), "square matrix, got 3x4");
  EXPECT(distance(&wide, position) == 0);
  cyclade_layout shared = a.layout;
  shared.rows.source = CYCLADE_REPLICATED;
  EXPECT_STATUS(cyclade_matrix_allocate(grid, &shared, CYCLADE_D, &whole), CYCLADE_OK);
  EXPECT_REFUSED(cyclade_invert(whole, NULL, NULL), "rows are replicated");

  cyclade_invert_options wrong = options;
  wrong.size = last_rank() ? 3 : sizeof wrong;
  EXPECT_REFUSED(cyclade_invert(m, &wrong, NULL), "cyclade_invert_options_init");
  wrong.size = sizeof wrong + 8;
  EXPECT_REFUSED(cyclade_invert(m, &wrong, NULL), "size");
  cyclade_report no_report;
  memset(&no_report, 0, sizeof no_report);
  EXPECT_REFUSED(cyclade_invert(m, NULL, last_rank() ? &no_report : &report), "cyclade_report_init");
  EXPECT_REFUSED(cyclade_verify(m, m, last_rank() ? &no_report : &report), "cyclade_report_init");
  const struct {
    int method, structure, uplo, certificate, lookahead, fallback;
    const char* word;
  } cases[] = {{9, 0, 'L', 1, 1, 0, "method"},
               {0, -1, 'L', 1, 1, 0, "structure"},
               {0, 0, 'X', 1, 1, 0, "uplo"},
               {0, 0, 'L', 5, 1, 0, "certificate"},
               {0, 0, 'L', 1, 2, 0, "lookahead"},
               {0, 0, 'L', 1, 1, -1, "fallback"},
               {CYCLADE_CHOLESKY, CYCLADE_GENERAL, 'L', 1, 1, 0, "cholesky"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    wrong = options;
    wrong.method = cases[k].method;
    wrong.structure = cases[k].structure;
    wrong.uplo = cases[k].uplo;
    wrong.certificate = cases[k].certificate;
    wrong.lookahead = cases[k].lookahead;
    wrong.fallback = cases[k].fallback;
    EXPECT_REFUSED(cyclade_invert(m, &wrong, &report), cases[k].word);
  }
  wrong = options;
  wrong.seed += (uint64_t)last_rank();
  if (ranks > 1) EXPECT_REFUSED(cyclade_invert(m, &wrong, &report), "options->seed");
  wrong = options;
  wrong.leaf = -1;
  EXPECT_REFUSED(cyclade_invert(m, &wrong, &report), "leaf");
  wrong = options;
  wrong.panel_bytes = -1;
  EXPECT_REFUSED(cyclade_invert(m, &wrong, &report), "panel_bytes");
  wrong = options;
  wrong.panel_width = -1;
  EXPECT_REFUSED(cyclade_invert(m, &wrong, &report), "panel");
  EXPECT_REFUSED(cyclade_verify(m, w, &report), "type");
  EXPECT_REFUSED(cyclade_multiply(NULL, m, w, NULL, m), "type");
  EXPECT_REFUSED(cyclade_multiply(NULL, m, m, NULL, m), "same place");
  EXPECT(distance(&a, minij) == 0);

  options.certificate = 0;
  options.panel_width = 2;
  options.lookahead = 0;
  options.method = CYCLADE_GAUSS_JORDAN;
  EXPECT_STATUS(cyclade_invert(m, &options, &report), CYCLADE_OK);
  EXPECT(report.certified == 0);
  EXPECT(distance(&a, minij_inverse) < 1e-10);
  cyclade_matrix_free(&m);
  cyclade_matrix_free(&w);
  cyclade_matrix_free(&whole);
  free_part(&a);
  free_part(&wide);
}

/* [[1,2],[2,4]] and 0: its last pivot is zero. */
static number rank_one(int type, int64_t i, int64_t j, int64_t n) {
  const number value = {(double)((i + 1) * (j + 1)), 0};
  (void)type;
  (void)n;
  return value;
}

static number with_infinity(int type, int64_t i, int64_t j, int64_t n) {
  number value = minij(type, i, j, n);
  if (i == 5 && j == 3) value.re = INFINITY;
  return value;
}

static number minus_minij(int type, int64_t i, int64_t j, int64_t n) {
  number value = minij(type, i, j, n);
  if (i == 4 && j == 4) value.re = -1;
  return value;
}

/* The upper triangle, the other poisoned: it is not read. */
static number upper_minij(int type, int64_t i, int64_t j, int64_t n) {
  number value = minij(type, i, j, n);
  if (i > j) value.re = NAN;
  return value;
}

static number exchange(int type, int64_t i, int64_t j, int64_t n) {
  const number value = {i + j == 1 ? 1 : 0, 0};
  (void)type;
  (void)n;
  return value;
}

static void test_outcomes(const cyclade_grid* grid) {
  cyclade_report report;
  cyclade_invert_options options;
  cyclade_report_init(&report);
  cyclade_invert_options_init(&options);
  part two = make_part(grid, plain(grid, 2, 2), CYCLADE_D), a = make_part(grid, plain(grid, 9, 9), CYCLADE_D);
  cyclade_matrix *small = on(grid, &two), *m = on(grid, &a);

  fill_part(&two, rank_one);
  EXPECT_STATUS(cyclade_invert(small, NULL, &report), CYCLADE_SINGULAR);
  EXPECT(report.status == CYCLADE_SINGULAR && report.zero_pivot == 1);
  EXPECT(report.logabsdet < 0 && isinf(report.logabsdet) && report.sign_re == 0 && report.sign_im == 0);
  EXPECT(strcmp(cyclade_last_error(), "invert: singular; the pivot of column 1 is zero") == 0);

  fill_part(&a, with_infinity);
  EXPECT_STATUS(cyclade_invert(m, NULL, &report), CYCLADE_NON_FINITE_INPUT);
  EXPECT(report.bad_row == 5 && report.bad_col == 3);
  EXPECT(strstr(cyclade_last_error(), "(5,3)") != NULL);

  options.structure = CYCLADE_POSITIVE_DEFINITE;
  options.uplo = CYCLADE_UPPER;
  fill_part(&a, minus_minij);
  EXPECT_STATUS(cyclade_invert(m, &options, &report), CYCLADE_NOT_POSITIVE_DEFINITE);
  EXPECT(report.zero_pivot == 4 && report.method == CYCLADE_CHOLESKY);
  fill_part(&a, upper_minij);
  EXPECT_STATUS(cyclade_invert(m, &options, &report), CYCLADE_OK);
  EXPECT(distance(&a, minij_inverse) < 1e-10);

  options.structure = CYCLADE_SYMMETRIC;
  fill_part(&a, position);
  EXPECT_REFUSED(cyclade_invert(m, &options, &report), "symmetric");
  EXPECT(distance(&a, position) == 0);

  /* [[0,1],[1,0]] has no inverse by Schur complements of one entry; with a copy of it there is another way.
   */
  cyclade_invert_options_init(&options);
  options.method = CYCLADE_SCHUR;
  options.leaf = 1;
  options.panel_bytes = 1 << 20;
  fill_part(&two, exchange);
  EXPECT_STATUS(cyclade_invert(small, &options, &report), CYCLADE_SINGULAR);
  EXPECT(report.method == CYCLADE_SCHUR && report.fallback_from == -1);
  options.fallback = 1;
  fill_part(&two, exchange);
  EXPECT_STATUS(cyclade_invert(small, &options, &report), CYCLADE_OK);
  EXPECT(report.method == CYCLADE_GAUSS_JORDAN && report.fallback_from == CYCLADE_SCHUR);
  EXPECT(report.fallback_status == CYCLADE_SINGULAR);
  EXPECT(distance(&two, exchange) == 0);
  cyclade_matrix_free(&small);
  cyclade_matrix_free(&m);
  free_part(&two);
  free_part(&a);

  part none = make_part(grid, plain(grid, 0, 0), CYCLADE_Z);
  m = on(grid, &none);
  EXPECT_STATUS(cyclade_invert(m, NULL, &report), CYCLADE_OK);
  EXPECT(report.n == 0 && report.logabsdet == 0 && report.sign_re == 1);
  EXPECT_STATUS(cyclade_verify(m, m, NULL), CYCLADE_OK);
  EXPECT_STATUS(cyclade_multiply(NULL, m, m, NULL, m), CYCLADE_OK);
  cyclade_matrix_free(&m);
  free_part(&none);
}

static void test_files(const cyclade_grid* grid, const char* folder) {
  static const char* const names[] = {"a.npy", "a.mtx", "a.bin"};
  char path[1024];
  cyclade_file_info info;
  cyclade_write_options options;
  part a = make_part(grid, plain(grid, 12, 12), CYCLADE_Z),
       b = make_part(grid, plain(grid, 12, 12), CYCLADE_Z);
  part wide = make_part(grid, plain(grid, 3, 4), CYCLADE_Z);
  cyclade_matrix *m = on(grid, &a), *x = on(grid, &b), *w = on(grid, &wide);
  fill_part(&a, position);
  for (size_t k = 0; k < 3; ++k) {
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    fill_part(&b, identity);
    EXPECT_STATUS(cyclade_write(m, path, NULL), CYCLADE_OK);
    EXPECT_STATUS(cyclade_read(x, path), CYCLADE_OK);
    EXPECT(distance(&b, position) == 0);
    EXPECT(padding_is_intact(&b));
    if (k == 2) {
      EXPECT_REFUSED(cyclade_inspect(grid, path, &info), "does not say");
      EXPECT_REFUSED(cyclade_read(w, path), "square");
      continue;
    }
    EXPECT_STATUS(cyclade_inspect(grid, path, &info), CYCLADE_OK);
    EXPECT(info.rows == 12 && info.cols == 12 && info.type == CYCLADE_Z);
    EXPECT_REFUSED(cyclade_read(w, path), "12x12, the matrix is 3x4");
  }

  snprintf(path, sizeof path, "%s/b.npy", folder);
  cyclade_write_options_init(&options);
  options.type = CYCLADE_C;
  options.order = CYCLADE_ROW_ORDER;
  EXPECT_STATUS(cyclade_write(m, path, &options), CYCLADE_OK);
  EXPECT_STATUS(cyclade_inspect(grid, path, &info), CYCLADE_OK);
  EXPECT(info.type == CYCLADE_C);
  EXPECT_STATUS(cyclade_read(x, path), CYCLADE_OK);
  EXPECT(distance(&b, position) == 0);

  snprintf(path, sizeof path, "%s/b.mtx", folder);
  cyclade_write_options_init(&options);
  options.symmetry = CYCLADE_SYMMETRIC;
  options.comment = "a note";
  fill_part(&a, minij);
  EXPECT_STATUS(cyclade_write(m, path, &options), CYCLADE_OK);
  EXPECT_STATUS(cyclade_read(x, path), CYCLADE_OK);
  EXPECT(distance(&b, minij) == 0);

  options.order = 3;
  EXPECT_REFUSED(cyclade_write(m, path, &options), "order");
  options.order = 0;
  options.symmetry = CYCLADE_POSITIVE_DEFINITE;
  EXPECT_REFUSED(cyclade_write(m, path, &options), "symmetry");
  options.symmetry = 0;
  options.type = 'Q';
  EXPECT_REFUSED(cyclade_write(m, path, &options), "type");
  options.size = last_rank() ? 1 : sizeof options;
  EXPECT_REFUSED(cyclade_write(m, path, &options), last_rank() && ranks == 1 ? "size" : "");
  EXPECT_REFUSED(cyclade_write(m, "a.txt", NULL), "a.txt");
  EXPECT_REFUSED(cyclade_write(m, last_rank() ? NULL : path, NULL), "`path`");
  EXPECT_REFUSED(cyclade_read(x, last_rank() ? NULL : path), "`path`");
  EXPECT_REFUSED(cyclade_inspect(grid, path, last_rank() ? NULL : &info), "`info`");
  EXPECT_STATUS(cyclade_read(x, "no/such/file.npy"), CYCLADE_ERROR_FILE);
  EXPECT(strstr(cyclade_last_error(), "no/such/file.npy") != NULL);
  EXPECT_STATUS(cyclade_inspect(grid, "no/such/file.npy", &info), CYCLADE_ERROR_FILE);
  EXPECT_STATUS(cyclade_write(x, "no/such/file.npy", NULL), CYCLADE_ERROR_FILE);
  EXPECT(distance(&b, minij) == 0);

  cyclade_matrix_free(&m);
  cyclade_matrix_free(&x);
  cyclade_matrix_free(&w);
  free_part(&a);
  free_part(&b);
  free_part(&wide);
}

/* Row slabs: rank r has r rows more than the last one, which has none. */
static void test_row_slabs(void) {
  const int64_t my_rows = my_rank < ranks - 1 ? 3 + my_rank : ranks == 1 ? 7 : 0, ld = my_rows + 2;
  int64_t n = 0, first = 0;
  MPI_Allreduce(&my_rows, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int r = 0; r < my_rank; ++r) first += 3 + r;
  const int type = CYCLADE_Z;
  double* data = malloc((size_t)(ld * n + 1) * size_of(type));
  if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int64_t k = 0; k < 2 * ld * n; ++k) data[k] = 77;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < my_rows; ++i) put(type, data, i + j * ld, minij(type, first + i, j, n));

  cyclade_invert_options options;
  cyclade_report report;
  cyclade_invert_options_init(&options);
  cyclade_report_init(&report);
  EXPECT_REFUSED(cyclade_invert_rows(MPI_COMM_NULL, n, my_rows, type, data, ld, NULL, NULL), "MPI_COMM_NULL");
  EXPECT_REFUSED(cyclade_invert_rows(MPI_COMM_WORLD, n + 1, my_rows, type, data, ld, NULL, NULL), "square");
  EXPECT_REFUSED(
      cyclade_invert_rows(MPI_COMM_WORLD, n, last_rank() ? -1 : my_rows, type, data, ld, NULL, NULL), "");
  EXPECT_REFUSED(
      cyclade_invert_rows(MPI_COMM_WORLD, n, my_rows, type, data, my_rank == 0 ? 1 : ld, NULL, NULL),
      "leading dimension");
  EXPECT_REFUSED(
      cyclade_invert_rows(MPI_COMM_WORLD, n, my_rows, type, my_rank == 0 ? NULL : data, ld, NULL, NULL), "");
  EXPECT_REFUSED(
      cyclade_invert_rows(MPI_COMM_WORLD, n, my_rows, last_rank() ? 0 : type, data, ld, NULL, NULL), "type");
  options.method = CYCLADE_CHOLESKY;
  EXPECT_REFUSED(cyclade_invert_rows(MPI_COMM_WORLD, n, my_rows, type, data, ld, &options, NULL),
                 "schur_rows");
  options.method = CYCLADE_AUTOMATIC;
  options.panel_bytes = 1 << 10;
  EXPECT_STATUS(cyclade_invert_rows(MPI_COMM_WORLD, n, my_rows, type, data, ld, &options, &report),
                CYCLADE_OK);
  EXPECT(report.method == CYCLADE_SCHUR_ROWS && report.n == n && report.digits > 5);
  EXPECT((report.words_received > 0) == (ranks > 1));
  double worst = 0;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < ld; ++i) {
      const number here = get(type, data, i + j * ld), padding = {77, 77};
      const number right = i < my_rows ? minij_inverse(type, first + i, j, n) : padding;
      worst = fmax(worst, hypot(here.re - right.re, here.im - right.im));
    }
  }
  EXPECT(worst < 1e-10);
  free(data);
}

/* The first argument: a folder for files. */
int main(int argc, char** argv) {
  cyclade_grid* grid = NULL;
  EXPECT_REFUSED(cyclade_grid_create(MPI_COMM_WORLD, 1, 1, CYCLADE_ROW_ORDER, &grid), "MPI_Init");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int p = 1; p <= ranks; ++p) {
    if (ranks % p != 0) continue;
    EXPECT_STATUS(cyclade_grid_create(MPI_COMM_WORLD, p, ranks / p, CYCLADE_ROW_ORDER, &grid), CYCLADE_OK);
    test_create(grid);
    test_handles(grid);
    test_invert(grid);
    test_outcomes(grid);
    test_files(grid, argc > 1 ? argv[1] : ".");
    cyclade_grid_free(&grid);
  }
  test_row_slabs();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (my_rank == 0) printf("%d failures on %d ranks\n", failures, ranks);
  MPI_Finalize();
  return failures != 0;
}
