// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/layout.hpp"

#include "cyclade/base/error.hpp"

namespace cyclade {

void require_valid(const Axis& axis, const std::string& name) {
  const auto got = [&](const char* what, Index value) {
    return "layout: " + name + ": " + what + ", got " + std::to_string(value);
  };
  require(axis.size >= 0, got("the size must be 0 or more", axis.size));
  require(axis.block >= 1, got("the block size must be 1 or more", axis.block));
  require(axis.ranks >= 1, got("the number of processes must be 1 or more", axis.ranks));
  require(axis.first_block >= 0, got("the first block must be 0 (as the others) or more", axis.first_block));
  require(axis.source >= replicated && axis.source < axis.ranks,
          got("the source process must be -1 (replicated) or a process of the grid", axis.source));
}

void require_valid(const Layout& layout) {
  require_valid(layout.rows, "rows");
  require_valid(layout.cols, "columns");
}

void require_inside(const Window& w, const Layout& layout) {
  const bool ordered = 0 <= w.i0 && w.i0 <= w.i1 && 0 <= w.j0 && w.j0 <= w.j1;
  require(ordered && w.i1 <= layout.rows.size && w.j1 <= layout.cols.size,
          "window: " + to_string(w) + " does not lie in a " + std::to_string(layout.rows.size) + " x " +
              std::to_string(layout.cols.size) + " matrix");
}

}  // namespace cyclade
