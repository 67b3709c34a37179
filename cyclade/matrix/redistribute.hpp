// One layout into another: to := op(from), entry by entry, between any two layouts of any two grids whose
// processes belong to one communicator. The replacement of ScaLAPACK's p?gemr2d (and p?tran).
//
//   what (a,b) of the source sends to (r,c) of the target is a tensor product, packed in the target's order:
//   { i : source row owner a, target row owner r } x { j : source column owner b, target column owner c }
//
//   0 0 0 1 1 1 2 2   rows over 3 processes in blocks of 3            1 -> 0 : { 4 5 }
//   0 0 1 1 0 0 1 1   rows over 2 processes in blocks of 2            1 -> 1 : { 3 }
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// Bytes that a redistribution may hold beside the matrices, on each rank.
inline constexpr Index redistribute_budget = Index{64} << 20;

/// to(i,j) := from(i,j), or from(j,i), or conj(from(j,i)) by `op`, for all (i,j) of `to`. For a part of a
/// matrix pass its window(w): nothing outside is read or written. Any blocks, first blocks, sources and
/// windows on both sides; grids may differ in shape, order and members. From a replicated dimension each
/// rank reads its own copy if it has one, else that of one owner; into a replicated dimension every holder
/// receives all. What a rank already holds is copied, not sent, and entries keep their bits.
///
/// Collective over `comm`, which holds all ranks of both grids; the others take part and return. Arguments
/// are the same on all ranks, `budget_bytes` too. The entries of `from` and `to` must not overlap.
///
/// Cost: every rank receives each word of its target part that it does not hold in the source, once, in
/// messages of at most budget/2 bytes, one or few for each pair of ranks that have something in common; and
/// one agreement (a reduction of one word). Memory: at most the budget in buffers from the matrices' devices
/// (a budget below two entries counts as two), less where less is sent and received; and beside it index
/// lists of 8 bytes for each local row and column of either matrix.
///
/// Throws ArgumentError, equal on all ranks and before any message: shapes that do not agree, a budget that
/// is not positive, a rank of a grid that is not in `comm`. Throws MemoryError on all ranks, with `to`
/// untouched, if there is no memory for the buffers on any.
///
/// Source: the pairwise intersection of block-cyclic index sets of Prylli and Tourancheau (Fast runtime block
/// cyclic data redistribution on multiprocessors, 1997), sent in shifted rounds: in round k rank s sends to
/// rank s + k.
template <Scalar T>
void redistribute(const Communicator& comm, const Matrix<T>& from, const Matrix<T>& to, Op op = Op::none,
                  Index budget_bytes = redistribute_budget);

/// The same where ranks of `comm` do not know a matrix, because its grid was built without them: they pass
/// null. Layouts and grids are told to all first: a word for each process of either grid, and 26 more. So
/// here errors are thrown after messages, but still equal on all ranks; also ArgumentError if no rank has a
/// matrix, or a rank of its grid passes null.
template <Scalar T>
void redistribute(const Communicator& comm, const Matrix<T>* from, const Matrix<T>* to, Op op = Op::none,
                  Index budget_bytes = redistribute_budget);

}  // namespace cyclade
