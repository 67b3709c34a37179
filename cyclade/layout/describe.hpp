// A layout in words: who owns an entry and where, what each process holds, what it holds of a window, the
// same dealing as HPF statements and as descriptor arrays. Text only, for people; pure functions of a
// question. layout/draw makes the picture.
//
// Indices are 0-based; where the ScaLAPACK guide's words are quoted, I, J and x count from 1, as there.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "cyclade/layout/layout.hpp"

namespace cyclade {

/// How the ranks fill the process grid; the letters of GridOrder.
enum class RankOrder : char { row = 'R', column = 'C' };

/// An entry of a matrix.
struct Position {
  Index i = 0;
  Index j = 0;
};

/// What to tell, or to draw, of a layout.
struct LayoutQuestion {
  Layout layout = {};
  RankOrder order = RankOrder::row;
  std::optional<Position> index = {};  ///< where is this entry?
  std::optional<Window> window = {};   ///< what does each process hold of this window?
  bool hpf = false;                    ///< add the HPF statements
  bool descriptor = false;             ///< add the descriptor arrays
  std::string title = {};              ///< of a drawing; empty: a title that names the sizes
};

/// The triple of the ScaLAPACK guide for one dimension, I = (l*P + p)*NB + x, and the local index.
struct Placement {
  int owner = 0;     ///< p; `replicated`: everyone
  Index block = 0;   ///< l, the number of the block among its owner's, from 0
  Index offset = 0;  ///< the place inside the block, from 0: the guide's x - 1
  Index local = 0;   ///< the local index on the owner, from 0: l*NB + x - 1 without first blocks
  constexpr bool operator==(const Placement&) const = default;
};

/// Where global index i lives, 0 <= i < size. O(1).
constexpr Placement placement(const Axis& axis, Index i) {
  const Index b = axis.block_of(i), begin = b == 0 ? 0 : axis.first() + (b - 1) * axis.block;
  return {axis.owner(i), axis.whole() ? b : b / axis.ranks, i - begin, axis.to_local(i)};
}

/// The guide's upper bound on local sizes, ceil(ceil(N/NB)/P)*NB, with room for a larger first block. Never
/// below local_size of any process.
constexpr Index local_size_bound(const Axis& axis) {
  if (axis.whole()) return axis.size;
  const Index blocks = axis.blocks(), most = blocks / axis.ranks + (blocks % axis.ranks != 0);
  return most == 0 ? 0 : (most - 1) * axis.block + std::max(axis.block, axis.first());
}

/// Everything that the question asks for, as lines of text: the layout and the local sizes always; then the
/// entry, the window, the HPF statements and the descriptors where asked. Short for any number of processes.
/// Throws ArgumentError for a layout, an entry or a window that is not valid.
std::string describe(const LayoutQuestion& question);

/// Throws ArgumentError unless the entry lies inside.
void require_inside(const Position& entry, const Layout& layout);

/// "12 x 12 matrix in 2 x 2 blocks on a 2 x 3 process grid".
std::string summary(const Layout& layout);

/// The HPF statements of the guide for this layout: PROCESSORS, TEMPLATE, ALIGN, DISTRIBUTE (CYCLIC(NB)). A
/// source process or a smaller first block becomes a shift of the alignment. Throws ArgumentError for a first
/// block that is larger than the others, which HPF cannot say.
std::string hpf_statements(const Layout& layout);

}  // namespace cyclade
