// Whole columns of a distributed matrix, brought together a few at a time: how formats whose bytes follow the
// columns (text, packed triangles) are written through bounded memory. Rank r of the grid gets the r-th
// `width` columns from `first` on:
//
//   columns   first ... | width -> rank 0 | width -> rank 1 | ... | width -> rank p*q-1 | next round
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "cyclade/io/bytes.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

enum class Triangle { whole, lower, upper };

/// Rows of column j that belong to the part; the diagonal belongs to both triangles.
constexpr Range rows_of_column(Triangle part, Index rows, Index j) {
  if (part == Triangle::lower) return {std::min(j, rows), rows};
  if (part == Triangle::upper) return {0, std::min(j + 1, rows)};
  return {0, rows};
}

template <Scalar T>
struct ColumnSlab {
  Range columns;   ///< of the matrix
  Index rows = 0;  ///< of the matrix: the leading dimension
  std::vector<T> data;

  /// i and j are global; (i,j) lies in the slab's columns and in the part that was asked for.
  const T& operator()(Index i, Index j) const {
    return data[static_cast<std::size_t>(i + (j - columns.begin) * rows)];
  }
};

/// Columns a rank that make a slab of about 2^16 entries.
constexpr Index slab_width(Index rows) {
  return std::max<Index>(1, (Index{1} << 16) / std::max<Index>(1, rows));
}

/// This rank's slab of the round that begins at column `first`. Collective over the grid's ranks. A rank
/// holds one slab and sends what it owns of the others: about 2 rows * width + its share of the round.
template <Scalar T>
ColumnSlab<T> gather_slab(const Matrix<T>& a, Index first, Index width, Triangle part);

/// Appends the bytes of column j, which lies in the slab, to the output.
template <Scalar T>
using FormatColumn = std::function<void(std::string& output, const ColumnSlab<T>& slab, Index j)>;

/// Writes `head` and then the columns in order, each as `format` says, through one slab a rank at a time.
/// Collective over the grid's ranks; an error of one is thrown on all. Returns the bytes written.
template <Scalar T>
Index write_columns(const Matrix<T>& a, Triangle part, const WriteAt& write_at, const std::string& head,
                    const FormatColumn<T>& format);

}  // namespace cyclade
