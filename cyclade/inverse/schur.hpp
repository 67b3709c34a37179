// The recursive Schur complement inversion on the 2-D layout, without pivoting between blocks: A := A^-1.
//
//   [A11 A12]   B = A11^-1 A12,  C = A21 A11^-1,  S = A22 - A21 B,  U = B S^-1
//   [A21 A22]   A^-1 = [ A11^-1 + U C   -U   ]
//                      [ -S^-1 C        S^-1 ]       A11^-1 and S^-1 by the same recursion, in place
//
// Everything else is products of windows (Summa), anywhere in the matrix: no block need be whole, and a half
// may be empty on a rank. B, C, U and S^-1 C go through one scratch window of a quarter of the matrix into
// the places of A12 and A21, which are dead by then; nothing else is held. A span of at most `leaf` is
// brought to one process and inverted there, with pivoting inside.
//
// For matrices that are safe without pivoting: diagonally dominant, positive definite, accretive, and as a
// comparison. Reference: the RecursiveSchurInverse of Grid (P. Boyle et al.); docs/numerics.md.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/inverse/course.hpp"
#include "cyclade/multiply/summa.hpp"

namespace cyclade {

struct SchurOptions {
  Transport transport = Transport::automatic;  ///< of the panels; the result is the same to the bit
  Index panel_bytes = Index{128} << 20;        ///< of panels, and of the messages that bring leaves
  Index leaf = 0;  ///< spans up to it are inverted by one process; 0: default_leaf
};

/// Leaves whose work, which one process does while the others wait, stays below a tenth of the whole.
Index default_leaf(Index n, int ranks);

/// A := A^-1. Collective over the grid; the caller has checked that A is square and not replicated. 2 n^3 / P
/// flops (x4 complex); 2.5 n^2 (1 - leaf/n) ((1 - 1/q)/p + (1 - 1/p)/q) words a rank for n = leaf 2^d, leaf a
/// multiple of the grid's block period (more for ragged spans), and leaf^2 (1 - 1/P) a leaf to the process
/// that inverts it, and back. Memory: a quarter of the matrix (or a leaf, if that is more) and `panel_bytes`,
/// less where panels and messages are smaller.
///
/// Statuses: `singular`: a leaf, a Schur complement of a leading block, has the exact zero pivot `zero_pivot`
/// (A itself need not be singular); `growth_too_large`: entries grew by more than u^-1/2, or overflowed; the
/// content of A is unspecified after both. `largest_a` = max |re|+|im| of A. Phases: products, leaves, check.
template <Scalar T>
SweepResult schur(const Matrix<T>& a, const SchurOptions& options, double largest_a, const Progress& progress,
                  Meter& meter, RecursionTelemetry& telemetry);

}  // namespace cyclade
