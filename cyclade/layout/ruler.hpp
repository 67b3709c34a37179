// One side of a drawing: a dimension cut into cells of so many pixels, with a gap where a long run of blocks
// is left out. A ruler runs along the whole dimension, or along what one process holds of it.
//
//   | 0 | 1 | 2 | ... | 2082 | 2083|       cells are single entries, or blocks as long as they are large
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "cyclade/layout/axis.hpp"

namespace cyclade {

struct RulerCell {
  Index begin = 0;  ///< entries [begin,end), numbered along this ruler: global, or local of its process
  Index end = 0;
  Index global = 0;    ///< global index of the first entry
  Index block = 0;     ///< global number of its block
  int owner = 0;       ///< process, or `replicated`
  bool opens = false;  ///< a block begins here
  bool gap = false;    ///< stands for all that is left out
  double at = 0;       ///< where it begins, in pixels
  double length = 0;
};

struct RulerStyle {
  bool entries = true;  ///< cells are entries, not blocks
  double unit = 40;     ///< pixels of an entry, or of a whole block
  Index most = 21;      ///< so many blocks are all drawn; of more, only
  int head = 8;         ///< blocks before a gap
  int tail = 2;         ///< blocks after it
};

class Ruler {
 public:
  /// Of the whole dimension.
  static Ruler global(const Axis& axis, const RulerStyle& style);
  /// Of what `rank` holds.
  static Ruler local(const Axis& axis, int rank, const RulerStyle& style);

  const std::vector<RulerCell>& cells() const { return cells_; }
  double length() const { return length_; }
  /// Where entry i of this ruler begins, in pixels; inside a gap, in proportion.
  double position(Index i) const;
  /// The cell that holds entry i, which must exist.
  const RulerCell& cell(Index i) const;

 private:
  void append(const Axis& axis, Index block, Index begin, const RulerStyle& style);
  std::vector<RulerCell> cells_;
  double length_ = 0;
};

}  // namespace cyclade
