/* See c_api_test.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/api/c_api_test.h"

size_t size_of(int type) {
  switch (type) {
    case CYCLADE_S:
      return 4;
    case CYCLADE_Z:
      return 16;
    default:
      return 8;
  }
}

int is_complex(int type) { return type == CYCLADE_C || type == CYCLADE_Z; }

double tolerance(int type) { return type == CYCLADE_S || type == CYCLADE_C ? 1e-2 : 1e-10; }

void put(int type, void* data, int64_t at, number value) {
  float* f = data;
  double* d = data;
  switch (type) {
    case CYCLADE_S:
      f[at] = (float)value.re;
      return;
    case CYCLADE_D:
      d[at] = value.re;
      return;
    case CYCLADE_C:
      f[2 * at] = (float)value.re;
      f[2 * at + 1] = (float)value.im;
      return;
    default:
      d[2 * at] = value.re;
      d[2 * at + 1] = value.im;
  }
}

number get(int type, const void* data, int64_t at) {
  const float* f = data;
  const double* d = data;
  number value = {0, 0};
  switch (type) {
    case CYCLADE_S:
      value.re = (double)f[at];
      break;
    case CYCLADE_D:
      value.re = d[at];
      break;
    case CYCLADE_C:
      value.re = (double)f[2 * at];
      value.im = (double)f[2 * at + 1];
      break;
    default:
      value.re = d[2 * at];
      value.im = d[2 * at + 1];
  }
  return value;
}

part make_part(const cyclade_grid* grid, cyclade_layout layout, int type) {
  part p = {type, layout, -1, -1, 0, 0, 0, NULL};
  const number canary = {77, 77};
  EXPECT_STATUS(cyclade_grid_get(grid, NULL, NULL, &p.row, &p.col), CYCLADE_OK);
  if (p.row >= 0) {
    p.rows = cyclade_local_size(&layout.rows, p.row);
    p.cols = cyclade_local_size(&layout.cols, p.col);
  }
  p.ld = p.rows + 2;
  p.data = malloc((size_t)(p.ld * (p.cols + 1)) * size_of(type));
  if (!p.data) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int64_t k = 0; k < p.ld * (p.cols + 1); ++k) put(type, p.data, k, canary);
  return p;
}

void free_part(part* p) { free(p->data); }

void fill_part(part* p, number (*entry)(int, int64_t, int64_t, int64_t)) {
  for (int64_t j = 0; j < p->cols; ++j) {
    for (int64_t i = 0; i < p->rows; ++i) {
      put(p->type, p->data, i + j * p->ld,
          entry(p->type, cyclade_to_global(&p->layout.rows, i, p->row),
                cyclade_to_global(&p->layout.cols, j, p->col), p->layout.rows.n));
    }
  }
}

double distance(const part* p, number (*entry)(int, int64_t, int64_t, int64_t)) {
  double largest = 0;
  for (int64_t j = 0; j < p->cols; ++j) {
    for (int64_t i = 0; i < p->rows; ++i) {
      const number right = entry(p->type, cyclade_to_global(&p->layout.rows, i, p->row),
                                 cyclade_to_global(&p->layout.cols, j, p->col), p->layout.rows.n);
      const number here = get(p->type, p->data, i + j * p->ld);
      const double away = hypot(here.re - right.re, here.im - right.im);
      if (!(away <= largest)) largest = isnan(away) ? INFINITY : away;
    }
  }
  return largest;
}

int padding_is_intact(const part* p) {
  for (int64_t j = 0; j <= p->cols; ++j)
    for (int64_t i = j < p->cols ? p->rows : 0; i < p->ld; ++i)
      if (get(p->type, p->data, i + j * p->ld).re != 77) return 0;
  return 1;
}

number minij(int type, int64_t i, int64_t j, int64_t n) {
  const double size = (double)(i < j ? i : j) + 1;
  const number value = {size, is_complex(type) ? 2 * size : 0};
  (void)n;
  return value;
}

number minij_inverse(int type, int64_t i, int64_t j, int64_t n) {
  const double size = i == j ? (i == n - 1 ? 1 : 2) : (i - j == 1 || j - i == 1 ? -1 : 0);
  const number real = {size, 0}, complex = {size / 5, -2 * size / 5};
  return is_complex(type) ? complex : real;
}

number identity(int type, int64_t i, int64_t j, int64_t n) {
  const number value = {i == j ? 1 : 0, 0};
  (void)type;
  (void)n;
  return value;
}

number position(int type, int64_t i, int64_t j, int64_t n) {
  const number value = {(double)(100 * i + j), is_complex(type) ? (double)(i - 3 * j) : 0};
  (void)n;
  return value;
}

number position_transposed(int type, int64_t i, int64_t j, int64_t n) { return position(type, j, i, n); }
