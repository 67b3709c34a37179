// How a matrix is dealt out to a p x q grid of processes: one Axis for the rows, one for the columns,
// independent of each other. Entry (i,j) lives on process (rows.owner(i), cols.owner(j)).
//
//   5x5 in 2x2 blocks on a 2x2 grid      (0,0): rows 0 1 4, columns 0 1 4      (0,1): rows 0 1 4, columns 2 3
//   (figure of the ScaLAPACK guide)      (1,0): rows 2 3,   columns 0 1 4      (1,1): rows 2 3,   columns 2 3
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cyclade/layout/axis.hpp"
#include "cyclade/layout/window.hpp"

namespace cyclade {

struct Layout {
  Axis rows;
  Axis cols;

  constexpr bool operator==(const Layout&) const = default;

  /// The dealing of a window alone. The window must lie inside the matrix.
  constexpr Layout sub(const Window& w) const { return {rows.sub(w.i0, w.i1), cols.sub(w.j0, w.j1)}; }
};

/// n x n in nb x nb blocks on a p x q grid, first block on process (0,0): the plain case.
constexpr Layout square_layout(Index n, Index nb, int p, int q) { return {{n, nb, p}, {n, nb, q}}; }

/// Throws ArgumentError, naming the field and the value, unless size >= 0, block >= 1, ranks >= 1,
/// first_block >= 0 and the source is a process or `replicated`. `name` is "rows" or "columns".
void require_valid(const Axis& axis, const std::string& name);
void require_valid(const Layout& layout);

/// Throws ArgumentError unless 0 <= i0 <= i1 <= rows.size and 0 <= j0 <= j1 <= cols.size.
void require_inside(const Window& window, const Layout& layout);

}  // namespace cyclade
