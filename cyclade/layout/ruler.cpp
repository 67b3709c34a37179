// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/ruler.hpp"

#include <algorithm>

namespace cyclade {
namespace {

Index block_begin(const Axis& axis, Index block) {
  return block == 0 ? 0 : axis.first() + (block - 1) * axis.block;
}

}  // namespace

/// Adds the cells of one block, whose first entry is number `begin` along the ruler.
void Ruler::append(const Axis& axis, Index block, Index begin, const RulerStyle& style) {
  const Index global = block_begin(axis, block), size = axis.block_end(global) - global;
  const int owner = axis.owner(global);
  if (style.entries) {
    for (Index x = 0; x < size; ++x, length_ += style.unit)
      cells_.push_back(
          {begin + x, begin + x + 1, global + x, block, owner, x == 0, false, length_, style.unit});
    return;
  }
  // As long as the block is large, but never too thin to see nor too long for the page.
  const double whole = static_cast<double>(size) / static_cast<double>(axis.block);
  const double length = style.unit * std::clamp(whole, 0.4, 2.0);
  cells_.push_back({begin, begin + size, global, block, owner, true, false, length_, length});
  length_ += length;
}

namespace {

/// Calls append(k) for the first and last of `count` blocks, and gap() between them if some are left out.
template <class Append, class Gap>
void for_each_shown(Index count, const RulerStyle& style, Append&& append, Gap&& gap) {
  const bool all = style.entries || count <= style.most;
  const Index head = all ? count : style.head;
  for (Index k = 0; k < head; ++k) append(k);
  if (all) return;
  gap();
  for (Index k = count - style.tail; k < count; ++k) append(k);
}

}  // namespace

Ruler Ruler::global(const Axis& axis, const RulerStyle& style) {
  Ruler out;
  const auto gap = [&] {
    const Index begin = out.cells_.back().end, end = block_begin(axis, axis.blocks() - style.tail);
    out.cells_.push_back({begin, end, begin, -1, -1, true, true, out.length_, style.unit});
    out.length_ += style.unit;
  };
  for_each_shown(
      axis.blocks(), style, [&](Index b) { out.append(axis, b, block_begin(axis, b), style); }, gap);
  return out;
}

Ruler Ruler::local(const Axis& axis, int rank, const RulerStyle& style) {
  if (axis.whole()) return global(axis, style);
  const Index d = axis.distance(rank), blocks = axis.blocks();
  const Index mine = blocks > d ? (blocks - d - 1) / axis.ranks + 1 : 0;
  const auto global_block = [&](Index l) { return d + l * axis.ranks; };
  const auto local_begin = [&](Index l) {
    return axis.count_before(block_begin(axis, global_block(l)), rank);
  };
  Ruler out;
  const auto gap = [&] {
    const Index begin = out.cells_.back().end, end = local_begin(mine - style.tail);
    out.cells_.push_back(
        {begin, end, axis.to_global(begin, rank), -1, -1, true, true, out.length_, style.unit});
    out.length_ += style.unit;
  };
  for_each_shown(
      mine, style, [&](Index l) { out.append(axis, global_block(l), local_begin(l), style); }, gap);
  return out;
}

double Ruler::position(Index i) const {
  for (const RulerCell& cell : cells_) {
    if (i >= cell.end) continue;
    const auto part = static_cast<double>(i - cell.begin) / static_cast<double>(cell.end - cell.begin);
    return cell.at + part * cell.length;
  }
  return length_;
}

const RulerCell& Ruler::cell(Index i) const {
  return *std::find_if(cells_.begin(), cells_.end(), [i](const RulerCell& cell) { return i < cell.end; });
}

}  // namespace cyclade
