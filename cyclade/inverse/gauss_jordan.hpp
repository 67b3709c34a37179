// In-place block Gauss-Jordan elimination with partial pivoting: A := A^-1 in one sweep over the columns.
//
// A step eliminates the columns K of one panel. With the pivot rows R, their triangles P A[.,K] = L U, and
// the multipliers
//   T = [ A01 U^-1  on rows that were pivots before;  L21  on rows that have not been;  -U^-1 on the pivot
//   rows ]
// the whole array changes by one product, once the pivot rows of A are set to zero:
//   Y = L^-1 R;   A[:, not K] -= T Y;   A[:, K] = -T L^-1      (so the pivot rows become U^-1 Y and U^-1
//   L^-1).
// The inverse of the pivot block is never applied to R (that loses the small rows of U): "split factor".
// No row moves before the end, on the network or in memory: "implicit pivoting". Every rank works at every
// step.
//
// References: Quintana-Orti, Quintana-Orti, Sun, van de Geijn, SIAM J. Sci. Comput. 22 (2001); Higham,
// Accuracy and Stability of Numerical Algorithms, ch. 14. Equations and bounds: docs/numerics.md.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/base/progress.hpp"
#include "cyclade/inverse/pivot_panel.hpp"
#include "cyclade/inverse/report.hpp"
#include "cyclade/mpi/ring.hpp"

namespace cyclade {

struct SweepOptions {
  Index panel_width = 0;                       ///< columns of a step at the most; 0: default_panel_width
  Index permutation_budget = Index{64} << 20;  ///< bytes for the final permutation
  bool lookahead = true;  ///< factor the next panel before the rest of the update: the same bits
  Progress progress = nullptr;
};

/// What a sweep tells besides the inverse.
struct SweepResult {
  Status status = Status::ok;  ///< ok, singular or growth_too_large (overflow)
  Index zero_pivot = -1;       ///< first column without a pivot
  double largest = 0;  ///< largest |re|+|im| met among rows not yet eliminated: growth = largest / max|A|
  LogDeterminant log_determinant;
};

/// Columns of a step when the caller does not say.
template <Scalar T>
Index default_panel_width(Index n);

/// A := A^-1. Collective over the grid; the caller has checked that A is square and not replicated. 2n^3/P
/// flops (x4 complex), mloc (n - nloc) + nloc (n - mloc) words a rank, plus panels' triangles and pivot
/// exchanges, plus at most 2 mloc nloc for the final permutation. Memory: 2 b (mloc + nloc) + O(b^2) entries,
/// then the permutation's budget; MemoryError, equal on all ranks, if there is no room. Phases: panel,
/// exchange, update, permutation.
///
/// On row slabs the same, with N^2 (1 - this rank's share of the rows) words a rank before the permutation;
/// slabs may be uneven and empty.
template <Dealt M>
SweepResult gauss_jordan(const M& a, const SweepOptions& options, Meter& meter);

}  // namespace cyclade
