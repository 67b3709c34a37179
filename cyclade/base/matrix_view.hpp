// A matrix in memory, column-major, owned by somebody else: entry (i,j) is data[i + j*ld].
// The same thing as the (A, LDA) of a BLAS call, with its shape attached. Copying a view copies no entry.
//
//          cols
//        +------+      sub(i0, i1, j0, j1) is again a view with the same ld: no copy, no gather.
//   rows |      |
//        +------+  ld >= rows
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "cyclade/base/scalar.hpp"

namespace cyclade {

template <class T>
struct MatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index ld = 1;

  constexpr MatrixView() = default;
  constexpr MatrixView(T* data_, Index rows_, Index cols_, Index ld_)
      : data(data_), rows(rows_), cols(cols_), ld(ld_) {}
  /// Contiguous: ld = max(1, rows).
  constexpr MatrixView(T* data_, Index rows_, Index cols_)
      : data(data_), rows(rows_), cols(cols_), ld(rows_ > 0 ? rows_ : 1) {}
  /// A view to read from is made from any view.
  template <class U>
  requires(std::is_same_v<const U, T>) constexpr MatrixView(const MatrixView<U>& other)
      : data(other.data), rows(other.rows), cols(other.cols), ld(other.ld) {}

  constexpr T& operator()(Index i, Index j) const { return data[i + j * ld]; }
  constexpr T* column(Index j) const { return data + j * ld; }
  constexpr bool empty() const { return rows == 0 || cols == 0; }
  /// Entries, not bytes.
  constexpr Index size() const { return rows * cols; }

  /// Rows [i0,i1) and columns [j0,j1). An empty range is legal anywhere, also at the end.
  constexpr MatrixView sub(Index i0, Index i1, Index j0, Index j1) const {
    const bool nothing = i0 == i1 || j0 == j1;
    return {nothing ? data : data + i0 + j0 * ld, i1 - i0, j1 - j0, ld};
  }
  constexpr MatrixView row_range(Index i0, Index i1) const { return sub(i0, i1, 0, cols); }
  constexpr MatrixView column_range(Index j0, Index j1) const { return sub(0, rows, j0, j1); }
};

template <class T>
using ConstMatrixView = MatrixView<const T>;

}  // namespace cyclade
