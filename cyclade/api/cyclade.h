/// Cyclade for C, and for whatever can call C: distributed inversion of dense matrices. C99; needs <mpi.h>.
///
///   cyclade_grid* grid = NULL;                                     2 x 3 processes of a communicator of
///   yours cyclade_grid_create(comm, 2, 3, CYCLADE_ROW_ORDER, &grid); cyclade_layout layout; n x n, dealt out
///   in 64 x 64 blocks cyclade_layout_init(&layout, grid, n, n, 64, 64); cyclade_matrix* a = NULL; on an
///   array of yours: no copy cyclade_matrix_create(grid, &layout, CYCLADE_D, array, ld, &a); if
///   (cyclade_invert(a, NULL, NULL) != CYCLADE_OK) puts(cyclade_last_error());
///
/// What holds for all functions:
/// - They return CYCLADE_OK, a positive status (a numerical outcome) or a negative one (an error), the same
/// on all
///   ranks that take part; cyclade_last_error() has it in words. Nothing is printed, nothing exits, and no
///   exception of C++ comes out. After an argument error matrices are untouched.
/// - "Collective" means that all those ranks call it, with equal arguments except for pointers and leading
/// dimensions.
///   Unequal arguments, and a pointer or leading dimension that is wrong on one rank only, are an argument
///   error on all of them. A handle exists on all ranks or on none; NULL, and a handle of another kind, are
///   an argument error of the rank that passes it.
/// - Indices count from 0, also in messages. Matrices are column-major. Complex numbers are (re,im) pairs, as
/// C's and
///   C++'s own are.
/// - Handles are freed with their _free, in any order: what others still use lives on. Structs that may grow
/// have an
///   _init that fills in the defaults and must be called first.
///
/// SPDX-License-Identifier: BSD-3-Clause
#ifndef CYCLADE_API_CYCLADE_H
#define CYCLADE_API_CYCLADE_H

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- how a call ended
// -----------------------------------------------------------------------------------------------

typedef enum cyclade_status {
  CYCLADE_OK = 0,        ///< done; of invert and verify: with a certificate, unless none was asked for
  CYCLADE_SINGULAR = 1,  ///< a pivot was exactly zero: the matrix has no inverse
  CYCLADE_NUMERICALLY_SINGULAR = 2,   ///< so close to a singular matrix that no digit can be certified
  CYCLADE_NOT_POSITIVE_DEFINITE = 3,  ///< stated to be positive definite, and is not
  CYCLADE_NON_FINITE_INPUT = 4,       ///< the matrix holds a NaN or an infinity
  CYCLADE_GROWTH_TOO_LARGE = 5,       ///< the elimination lost its accuracy to growing intermediate entries
  CYCLADE_CERTIFICATE_FAILED = 6,     ///< the result is wrong and none of the above explains it
  CYCLADE_ERROR_ARGUMENT = -1,        ///< wrong use
  CYCLADE_ERROR_FILE = -2,            ///< unreadable, malformed, not writable
  CYCLADE_ERROR_MEMORY = -3,          ///< an allocation failed
  CYCLADE_ERROR_MPI = -4,             ///< MPI returned an error
  CYCLADE_ERROR_INTERNAL = -5         ///< a fault of Cyclade itself
} cyclade_status;

/// "0.1.0". Never NULL, not to be freed.
const char* cyclade_version(void);
/// What the last call of this thread that did not return CYCLADE_OK had to say. Never NULL, not to be freed;
/// valid until the next call of this thread that fails.
const char* cyclade_last_error(void);
/// "ok", "singular", ..., "argument error", ...; "unknown status" for any other number.
const char* cyclade_status_name(int status);

// --- words for arguments
// --------------------------------------------------------------------------------------------

/// The type of a matrix: float, double, float complex, double complex. Not 0, so that 0 can mean "as the
/// matrix".
enum { CYCLADE_S = 'S', CYCLADE_D = 'D', CYCLADE_C = 'C', CYCLADE_Z = 'Z' };
/// How ranks are numbered in a grid: along the rows of processes, or down the columns.
enum { CYCLADE_ROW_ORDER = 'R', CYCLADE_COLUMN_ORDER = 'C' };
enum { CYCLADE_LOWER = 'L', CYCLADE_UPPER = 'U' };
enum { CYCLADE_NO_TRANSPOSE = 'N', CYCLADE_TRANSPOSE = 'T', CYCLADE_CONJUGATE_TRANSPOSE = 'C' };
enum {
  CYCLADE_AUTOMATIC = 0,  ///< Cholesky for a positive definite structure, else Gauss-Jordan
  CYCLADE_GAUSS_JORDAN = 1,
  CYCLADE_SCHUR = 2,
  CYCLADE_SCHUR_ROWS = 3,  ///< of cyclade_invert_rows alone
  CYCLADE_CHOLESKY = 4
};
/// What you promise about a matrix.
enum { CYCLADE_GENERAL = 0, CYCLADE_SYMMETRIC = 1, CYCLADE_HERMITIAN = 2, CYCLADE_POSITIVE_DEFINITE = 3 };

// --- grids of processes
// ---------------------------------------------------------------------------------------------

/// p x q processes. Holds duplicates of the communicator, so freeing the last handle that uses it is
/// collective, too.
typedef struct cyclade_grid cyclade_grid;

/// Makes a grid of the first p*q ranks of `comm`, which is duplicated; the others are outside. p or q may be
/// 0: chosen, as near to a square as the number of ranks allows. Collective over `comm`. On an error *grid is
/// set to NULL.
cyclade_status cyclade_grid_create(MPI_Comm comm, int p, int q, int order, cyclade_grid** grid);
/// Sets *grid to NULL; NULL is allowed. Collective with the last of the matrices that use it.
void cyclade_grid_free(cyclade_grid** grid);
/// p x q, and where this rank sits: row and column, both -1 outside. Any pointer may be NULL. Local.
cyclade_status cyclade_grid_get(const cyclade_grid* grid, int* p, int* q, int* my_row, int* my_col);
/// The rank, in the communicator of the grid, of the process in that row and column. Local.
cyclade_status cyclade_grid_rank_of(const cyclade_grid* grid, int row, int col, int* rank);
/// The p x q <= ranks that is cheapest for inverting a matrix of order n; some ranks may stay idle. Local.
cyclade_status cyclade_cheapest_shape(int ranks, int64_t n, int* p, int* q);

// --- layouts: who owns which entry, and where
// -----------------------------------------------------------------------

/// `source` of a dimension of which every process holds all.
enum { CYCLADE_REPLICATED = -1 };
/// What the functions on axes return where there is no answer; cyclade_last_error() says why.
enum { CYCLADE_NOWHERE = -2 };

/// One dimension, dealt out block by block around the processes, like cards.
typedef struct cyclade_axis {
  int64_t n;            ///< global extent, from 0
  int64_t block;        ///< entries of a block, from 1 (ScaLAPACK: MB, NB)
  int64_t first_block;  ///< of the first block, if it is of another size (PBLAS: IMB, INB); 0: `block`
  int ranks;            ///< processes along this dimension: p for rows, q for columns
  int source;           ///< process that owns the first block (RSRC, CSRC), or CYCLADE_REPLICATED
} cyclade_axis;

/// Entry (i,j) lives on the process in row owner(rows,i) and column owner(cols,j).
typedef struct cyclade_layout {
  cyclade_axis rows;
  cyclade_axis cols;
} cyclade_layout;

/// m x n in mb x nb blocks on that grid, the first block on process (0,0). Change the fields for other
/// layouts. Local.
cyclade_status cyclade_layout_init(cyclade_layout* layout, const cyclade_grid* grid, int64_t m, int64_t n,
                                   int64_t mb, int64_t nb);

/// Arithmetic on one axis: O(1), local. 0 <= i < n; CYCLADE_NOWHERE for what the axis does not have.
/// The process that owns index i; CYCLADE_REPLICATED if all do.
int cyclade_owner(const cyclade_axis* axis, int64_t i);
/// The local index of i on its owner (INDXG2L).
int64_t cyclade_to_local(const cyclade_axis* axis, int64_t i);
/// The global index of a local one of that process (INDXL2G).
int64_t cyclade_to_global(const cyclade_axis* axis, int64_t local, int rank);
/// How many indices < i (here i <= n) live on that process: it owns [count_before(i), count_before(k)) of
/// [i,k).
int64_t cyclade_count_before(const cyclade_axis* axis, int64_t i, int rank);
/// How many indices live on that process (NUMROC).
int64_t cyclade_local_size(const cyclade_axis* axis, int rank);

// --- matrices
// -------------------------------------------------------------------------------------------------------

/// A matrix dealt out over a grid: its layout and the part of this rank.
typedef struct cyclade_matrix cyclade_matrix;

/// A matrix on your memory: local entry (i,j) is data[i + j*ld], ld >= max(1, local rows). It is not copied
/// and must outlive the matrix; NULL will do where the local part is empty. Collective over the communicator
/// of the grid, ranks outside it included. On an error *matrix is set to NULL everywhere.
cyclade_status cyclade_matrix_create(const cyclade_grid* grid, const cyclade_layout* layout, int type,
                                     void* data, int64_t ld, cyclade_matrix** matrix);
/// A matrix on memory of its own, not initialised: see cyclade_matrix_local. Collective likewise.
cyclade_status cyclade_matrix_allocate(const cyclade_grid* grid, const cyclade_layout* layout, int type,
                                       cyclade_matrix** matrix);
/// Rows [i0,i1) and columns [j0,j1) of a matrix, as a matrix on the same memory; they lie anywhere. Local.
cyclade_status cyclade_matrix_window(const cyclade_matrix* matrix, int64_t i0, int64_t i1, int64_t j0,
                                     int64_t j1, cyclade_matrix** window);
/// Sets *matrix to NULL; NULL is allowed. Your memory is left alone.
void cyclade_matrix_free(cyclade_matrix** matrix);

/// The local part. Zero rows and columns outside the grid.
typedef struct cyclade_local {
  void* data;
  int64_t rows, cols, ld;
} cyclade_local;
cyclade_status cyclade_matrix_local(const cyclade_matrix* matrix, cyclade_local* local);
/// Its layout and its type; either pointer may be NULL. Local.
cyclade_status cyclade_matrix_get(const cyclade_matrix* matrix, cyclade_layout* layout, int* type);

// --- the inverse
// ----------------------------------------------------------------------------------------------------

/// Called on every rank as the work advances: the name of the phase and the fraction done, in [0,1].
typedef void (*cyclade_progress)(void* context, const char* phase, double fraction);

typedef struct cyclade_invert_options {
  size_t size;                 ///< of this struct, set by _init: so that it can grow
  int method;                  ///< CYCLADE_AUTOMATIC, ...
  int structure;               ///< CYCLADE_GENERAL, ...
  int uplo;                    ///< the triangle that is read of a positive definite matrix: CYCLADE_LOWER
  int certificate;             ///< 1: prove the result, which costs O(n^2); 0: do not
  uint64_t seed;               ///< of the certificate's random vectors
  int64_t panel_width;         ///< columns a step; 0: chosen
  int64_t permutation_budget;  ///< bytes a rank may use to put rows and columns in order at the end
  int lookahead;               ///< 1: the next panel while the rest is updated; the same bits
  int fallback;         ///< 1: keep a copy of A, and do it by Gauss-Jordan if another method's does not hold
  int64_t leaf;         ///< CYCLADE_SCHUR: spans up to it are inverted by one process; 0: chosen
  int64_t panel_bytes;  ///< of a Schur method: all panels that a rank holds at one time; 0: chosen
  cyclade_progress progress;  ///< NULL: none
  void* progress_context;     ///< handed to it
} cyclade_invert_options;

/// Equal on all ranks of the grid.
typedef struct cyclade_report {
  size_t size;          ///< of this struct, set by _init
  int status;           ///< a cyclade_status from 0
  int in_grid;          ///< 0 on ranks outside the grid: the rest means nothing there
  int method;           ///< the one that was used; CYCLADE_AUTOMATIC of verify
  int fallback_from;    ///< the method that was tried first and did not do; -1: none
  int fallback_status;  ///< how that one ended
  int type;             ///< CYCLADE_D, ...
  int64_t n;            ///< order
  /// Column of the first zero pivot, or order - 1 of the first leading minor that is not positive; -1: none.
  int64_t zero_pivot;
  int64_t bad_row;  ///< first entry that is not finite; -1: none
  int64_t bad_col;
  double logabsdet;  ///< log |det A|; minus infinity of a singular matrix, NaN if it was broken off
  double sign_re;    ///< det A / |det A|
  double sign_im;
  double norm1_a;          ///< |A|_1
  double norm1_x;          ///< |X|_1 of the inverse X
  double cond1;            ///< |A|_1 |X|_1
  double growth;           ///< largest entry met in the elimination / largest entry of A
  int certified;           ///< a certificate was taken: the next five mean something
  int digits;              ///< correct decimal digits of X, in norm
  double residual_left;    ///< >= |I - XA|_2
  double residual_right;   ///< >= |I - AX|_2
  double tolerance;        ///< what rounding explains
  double confidence;       ///< the probability with which both bounds hold, at least
  double seconds;          ///< matrix in memory to inverse in memory, certificate included; the slowest rank
  double gflops;           ///< 2 n^3 (complex: 8 n^3) operations in that time, 1e9 a second
  int64_t words_received;  ///< the most that a rank received, in matrix elements
  int64_t messages_received;
  double words_model;    ///< words a rank must receive by the formula of the method
  int64_t matrix_bytes;  ///< the largest local part
  int64_t peak_bytes;    ///< the most that a rank allocated beside your memory, at one time
} cyclade_report;

/// Fill in the defaults, or nothing done yet. Called by the two _init below.
void cyclade_invert_options_defaults(cyclade_invert_options* options, size_t size);
void cyclade_report_defaults(cyclade_report* report, size_t size);
static inline void cyclade_invert_options_init(cyclade_invert_options* options) {
  cyclade_invert_options_defaults(options, sizeof *options);
}
static inline void cyclade_report_init(cyclade_report* report) {
  cyclade_report_defaults(report, sizeof *report);
}

/// A := its inverse, in place. Square, any order from 0, any layout but a replicated one. `options` and
/// `report` may be NULL. Returns report->status, or an error. After CYCLADE_OK the matrix holds the inverse;
/// after CYCLADE_SINGULAR and CYCLADE_NON_FINITE_INPUT its content is unspecified; after the other positive
/// ones it holds what was computed, which is not certified. Collective over the grid; ranks outside return
/// CYCLADE_OK at once. 2 n^3 / ranks operations.
cyclade_status cyclade_invert(cyclade_matrix* a, const cyclade_invert_options* options,
                              cyclade_report* report);
/// The same where rank r of `comm` holds the next my_rows whole rows of an n x n matrix, uneven or none:
/// local entry (i,j) is data[i + j*ld], ld >= max(1, my_rows). By Schur complements, without pivoting between
/// slabs; options->method is CYCLADE_AUTOMATIC or CYCLADE_SCHUR_ROWS, the structure general, no fallback.
/// `my_rows`, `data` and `ld` are those of the rank. Collective over `comm`, which is duplicated for the
/// call.
cyclade_status cyclade_invert_rows(MPI_Comm comm, int64_t n, int64_t my_rows, int type, void* data,
                                   int64_t ld, const cyclade_invert_options* options, cyclade_report* report);
/// Is X the inverse of A? Two matrices of one layout and grid, neither is changed; `report` may be NULL.
/// Collective over the grid; ranks outside return CYCLADE_OK at once. O(n^2) operations.
cyclade_status cyclade_verify(const cyclade_matrix* a, const cyclade_matrix* x, cyclade_report* report);

// --- products and redistribution
// ------------------------------------------------------------------------------------

/// C := beta C + alpha A B, all of one type on one grid. alpha and beta point to numbers of that type; NULL:
/// 1 and 0. beta = 0 never reads C. A's rows must be dealt as C's, B's columns as C's; no axis replicated; C
/// must not overlap A or B. Collective over the grid; ranks outside return CYCLADE_OK at once.
cyclade_status cyclade_multiply(const void* alpha, const cyclade_matrix* a, const cyclade_matrix* b,
                                const void* beta, cyclade_matrix* c);
/// to := from, its transpose or its conjugate transpose, from any layout to any other of the same or another
/// grid, of one type. What p?gemr2d and p?tran do. Ranks of `comm` that have no place in a grid's
/// communicator pass NULL for its matrix. At most `budget_bytes` of buffers on each rank; 0: 64 MiB. The two
/// must not overlap. Collective over `comm`, which holds all ranks of both grids, and is duplicated for the
/// call.
cyclade_status cyclade_redistribute(MPI_Comm comm, const cyclade_matrix* from, cyclade_matrix* to, int op,
                                    int64_t budget_bytes);

// --- files
// ----------------------------------------------------------------------------------------------------------

/// What a file holds, from its header alone.
typedef struct cyclade_file_info {
  int64_t rows, cols;
  int type;  ///< that suits its numbers: CYCLADE_D, ...
} cyclade_file_info;

/// How a matrix is written.
typedef struct cyclade_write_options {
  size_t size;          ///< of this struct, set by _init
  int type;             ///< of the numbers in the file, rounded once: CYCLADE_S, ...; 0: that of the matrix
  int order;            ///< CYCLADE_ROW_ORDER or CYCLADE_COLUMN_ORDER, where a format has both; 0: its own
  int symmetry;         ///< .mtx: CYCLADE_SYMMETRIC or CYCLADE_HERMITIAN write one triangle; CYCLADE_GENERAL
  const char* comment;  ///< .mtx: NULL for none
} cyclade_write_options;
void cyclade_write_options_defaults(cyclade_write_options* options, size_t size);
static inline void cyclade_write_options_init(cyclade_write_options* options) {
  cyclade_write_options_defaults(options, sizeof *options);
}

/// The name tells the format: .npy, .mtx, .bin (plain column-major numbers), .grm.bin, .h5:/dataset. A .bin file does not
/// know its shape: ask its size elsewhere. Collective over the communicator of the grid, ranks outside it
/// included.
cyclade_status cyclade_inspect(const cyclade_grid* grid, const char* path, cyclade_file_info* info);
/// Reads a file into a matrix of its shape; a .bin file has the order and the type of the matrix. Each rank
/// reads its part. Collective over the grid; ranks outside return CYCLADE_OK at once.
cyclade_status cyclade_read(cyclade_matrix* a, const char* path);
/// Writes a matrix; `options` may be NULL. The file gets its name when it is complete. Collective likewise.
cyclade_status cyclade_write(const cyclade_matrix* a, const char* path, const cyclade_write_options* options);

#ifdef __cplusplus
}
#endif

#endif
