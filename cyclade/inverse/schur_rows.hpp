// The recursive Schur complement inversion on row slabs, without pivoting between slabs: A := A^-1.
//
//   rank 0  [A11 A12]   B = A11^-1 A12,  C = A21 A11^-1,  S = A22 - A21 B,  U = B S^-1
//   rank 1  [A21 A22]   A^-1 = [ A11^-1 + U C   -U   ]
//                              [ -S^-1 C        S^-1 ]       A11^-1 and S^-1 by the same recursion, in place
//
// The list of the ranks that have rows is halved, so slabs may be uneven and empty; the diagonal block of one
// rank is a leaf, inverted there with pivoting inside. The six products of a node bring their right factors
// to the ranks that have rows of the result (GatherMultiply).
//
// The RecursiveSchurInverse of Grid (P. Boyle et al.), for data that lives in slabs and for comparison: half
// of the ranks wait for the other half at every level, and without pivoting not every nonsingular matrix has
// its inverse found. Words and transports: docs/row-slabs.md.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/inverse/course.hpp"
#include "cyclade/multiply/gather_multiply.hpp"

namespace cyclade {

/// A := A^-1. Collective over the communicator of `a`; the caller has checked that A is square. 2n^3 flops in
/// all (x4 complex), of which 3(1-1/P) n^3/P (x2) lie one after the other. Memory: half of the local slab
/// on 2^d equal slabs (else the columns of the other half of the ranks instead of half of them), and the
/// panels. Words of products that a rank receives, on equal slabs and P a power of two: n^2 (1-1/P)
/// by `direct` and `ring`; the three transports of Grid bring panels of 3n^2 (1-1/P) words to every rank, the
/// same panel twice in a node, as Grid does. `options.telemetry` is not used: see `telemetry`.
///
/// Statuses: `singular`: a leaf, a Schur complement of a leading block, has the exact zero pivot `zero_pivot`
/// (A itself need not be singular); `growth_too_large`: entries grew by more than u^-1/2, or overflowed; the
/// content of A is unspecified after both. `largest_a` = max |re|+|im| of A. Phases: products, leaves, check.
/// Throws ArgumentError, equal on all ranks and before any message, for options that GatherMultiply refuses.
template <Scalar T>
SweepResult schur_rows(const BlockRows<T>& a, const GatherOptions& options, double largest_a,
                       const Progress& progress, Meter& meter, RecursionTelemetry& telemetry);

/// Words that a rank receives in the products of schur_rows, on average over the ranks; exact on every
/// partition (zero-fill: a reduction counts its panel in each of ceil(log2 P) rounds).
double schur_rows_words(const RowPartition& rows, GatherTransport transport);

}  // namespace cyclade
