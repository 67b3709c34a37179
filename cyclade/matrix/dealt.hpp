// What a Matrix and a BlockRows have in common, for code that only asks which entries this rank holds and
// with whom it must sum: the parts of rows that the ranks of one process row hold, and of columns.
//
//   Matrix, on a p x q grid: q ranks share a row, p a column        BlockRows: a row is whole, P share a
//   column
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "cyclade/matrix/block_rows.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// Matrix<T> or BlockRows<T>.
template <class M>
concept Dealt =
    std::same_as<M, Matrix<typename M::Element>> || std::same_as<M, BlockRows<typename M::Element>>;

/// All ranks that hold parts of the matrix.
template <Scalar T>
const Communicator& everyone(const Matrix<T>& a) {
  return a.grid().all();
}
template <Scalar T>
const Communicator& everyone(const BlockRows<T>& a) {
  return a.comm();
}

/// Where rows are: owner(i), to_local(i), to_global(l, rank), local_size(rank); a rank counts in its column.
template <Scalar T>
const Axis& row_dealing(const Matrix<T>& a) {
  return a.layout().rows;
}
template <Scalar T>
const RowPartition& row_dealing(const BlockRows<T>& a) {
  return a.partition();
}

/// Where columns are. Slabs have all of theirs in the one process column that there is.
template <Scalar T>
const Axis& column_dealing(const Matrix<T>& a) {
  return a.layout().cols;
}
template <Scalar T>
Axis column_dealing(const BlockRows<T>& a) {
  return {a.cols(), std::max<Index>(1, a.cols())};
}

/// The process column of this rank among them.
template <Scalar T>
int process_column(const Matrix<T>& a) {
  return a.grid().my_col();
}
template <Scalar T>
int process_column(const BlockRows<T>&) {
  return 0;
}

/// The ranks that hold parts of the same rows as this one, ordered by process column; null: nobody else does.
template <Scalar T>
const Communicator* row_peers(const Matrix<T>& a) {
  return a.grid().q() > 1 ? &a.grid().row() : nullptr;
}
template <Scalar T>
const Communicator* row_peers(const BlockRows<T>&) {
  return nullptr;
}

/// The ranks that hold parts of the same columns, ordered by process row; null: nobody else does.
template <Scalar T>
const Communicator* column_peers(const Matrix<T>& a) {
  return a.grid().p() > 1 ? &a.grid().column() : nullptr;
}
template <Scalar T>
const Communicator* column_peers(const BlockRows<T>& a) {
  return a.comm().size() > 1 ? &a.comm() : nullptr;
}

/// Adds up what the ranks with parts of the same rows have. Collective over them.
template <Scalar T, class S>
void sum_over_row_parts(const Matrix<T>& a, std::span<S> x) {
  a.grid().row().all_reduce_sum(x);
}
template <Scalar T, class S>
void sum_over_row_parts(const BlockRows<T>&, std::span<S>) {}

/// Adds up what the ranks with parts of the same columns have. Collective over them.
template <Scalar T, class S>
void sum_over_column_parts(const Matrix<T>& a, std::span<S> x) {
  a.grid().column().all_reduce_sum(x);
}
template <Scalar T, class S>
void sum_over_column_parts(const BlockRows<T>& a, std::span<S> x) {
  a.comm().all_reduce_sum(x);
}

/// Local row of a global one; -1 where this rank does not hold it.
template <Scalar T>
Index local_row(const Matrix<T>& a, Index i) {
  const Axis& rows = a.layout().rows;
  return rows.owner(i) == a.grid().my_row() ? rows.to_local(i) : -1;
}
template <Scalar T>
Index local_row(const BlockRows<T>& a, Index i) {
  const Range mine = a.my_rows();
  return mine.begin <= i && i < mine.end ? i - mine.begin : -1;
}

/// Global indices of this rank's rows and columns, in local order.
template <Dealt M>
std::vector<Index> row_ids(const M& a) {
  std::vector<Index> ids(static_cast<std::size_t>(a.local().rows));
  for (std::size_t l = 0; l < ids.size(); ++l) ids[l] = a.global_row(static_cast<Index>(l));
  return ids;
}
template <Dealt M>
std::vector<Index> col_ids(const M& a) {
  std::vector<Index> ids(static_cast<std::size_t>(a.local().cols));
  for (std::size_t l = 0; l < ids.size(); ++l) ids[l] = a.global_col(static_cast<Index>(l));
  return ids;
}

}  // namespace cyclade
