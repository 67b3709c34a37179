/* What the tests of the C interface share: expectations that do not end the program, numbers of any of the
 * four types, and a matrix whose inverse is known. Plain C99, as the callers are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CYCLADE_TESTS_API_C_API_TEST_H
#define CYCLADE_TESTS_API_C_API_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cyclade/api/cyclade.h"

extern int failures; /* of this rank */
extern int my_rank, ranks;

#define EXPECT(condition)                                                                        \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      ++failures;                                                                                \
      fprintf(stderr, "[rank %d] %s:%d: not so: %s\n", my_rank, __FILE__, __LINE__, #condition); \
    }                                                                                            \
  } while (0)

/* The call ends like this on this rank, and so on every rank that expects it. */
#define EXPECT_STATUS(call, expected)                                                              \
  do {                                                                                             \
    const int got_ = (call);                                                                       \
    if (got_ != (expected)) {                                                                      \
      ++failures;                                                                                  \
      fprintf(stderr, "[rank %d] %s:%d: %s: %s, not %s; %s\n", my_rank, __FILE__, __LINE__, #call, \
              cyclade_status_name(got_), cyclade_status_name(expected), cyclade_last_error());     \
    }                                                                                              \
  } while (0)

/* ... and this is in its message. */
#define EXPECT_REFUSED(call, word)                                                              \
  do {                                                                                          \
    EXPECT_STATUS(call, CYCLADE_ERROR_ARGUMENT);                                                \
    if (!strstr(cyclade_last_error(), word)) {                                                  \
      ++failures;                                                                               \
      fprintf(stderr, "[rank %d] %s:%d: no \"%s\" in: %s\n", my_rank, __FILE__, __LINE__, word, \
              cyclade_last_error());                                                            \
    }                                                                                           \
  } while (0)

typedef struct number {
  double re, im;
} number;

size_t size_of(int type);
int is_complex(int type);
double tolerance(int type);
void put(int type, void* data, int64_t at, number value);
number get(int type, const void* data, int64_t at);

/* The local part of a matrix, in an array with a leading dimension that is too long by two, its padding set
 * to 77. */
typedef struct part {
  int type;
  cyclade_layout layout;
  int row, col; /* of this process; -1 outside */
  int64_t rows, cols, ld;
  void* data;
} part;

part make_part(const cyclade_grid* grid, cyclade_layout layout, int type);
void free_part(part* p);
/* Sets the local part, or compares it: the largest distance, on this rank. */
void fill_part(part* p, number (*entry)(int type, int64_t i, int64_t j, int64_t n));
double distance(const part* p, number (*entry)(int type, int64_t i, int64_t j, int64_t n));
int padding_is_intact(const part* p);

/* (min(i,j) + 1), times 1 + 2i in the complex types; its inverse; the identity. */
number minij(int type, int64_t i, int64_t j, int64_t n);
number minij_inverse(int type, int64_t i, int64_t j, int64_t n);
number identity(int type, int64_t i, int64_t j, int64_t n);
/* Not symmetric, entries are exact in every type. */
number position(int type, int64_t i, int64_t j, int64_t n);
number position_transposed(int type, int64_t i, int64_t j, int64_t n);

#endif
