// The parts that both pictures of layout/draw are made of: what is drawn by entry and what by block,
// rectangles of coloured cells, the numbers beside them, and outlines. Private to layout/draw.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "cyclade/layout/describe.hpp"
#include "cyclade/layout/ruler.hpp"
#include "cyclade/layout/svg.hpp"

namespace cyclade::drawing {

using svg::Canvas;
using svg::grouped;

/// Pixels from the head of a panel to what it shows, at least.
inline constexpr double content = 104;
/// More local arrays than that are drawn as a map.
inline constexpr int most_arrays = 16;

inline const std::string quiet = "fill=\"#59636e\"";
inline const std::string bold = "font-weight=\"bold\"";
inline const std::string left_aligned = "text-anchor=\"start\"";

/// The size at which a text of `length` characters fits a cell, `largest` at most; 0 if it would be too small
/// to read.
double fitting(std::size_t length, double width, double height, double largest);
/// "3,4"; "3 × 4"; fill="#rrggbb".
std::string pair(Index a, Index b);
std::string times(Index a, Index b);
std::string fill(const std::string& colour);
/// How many colours there are along a side of the grid.
int colours(const Axis& axis);

struct Plan {
  const LayoutQuestion& question;
  RulerStyle global_rows, global_cols, local_rows, local_cols;
  bool arrays = true;    // local arrays; else a map of the processes
  double top = content;  // from the head of both panels to what they show

  const Layout& layout() const { return question.layout; }
  bool entries() const { return global_rows.entries; }
  /// The size of "i,j" that fits all cells of entries; 0: none does, and the indices stand beside the arrays.
  double entry_text() const;
};

Plan make_plan(const LayoutQuestion& question);

/// Pixels that the longest local size of a dimension needs, as a label of the map.
double label_length(const Axis& axis);

/// "⋯" and the like, where cells are left out.
void draw_gap(Canvas& canvas, const RulerCell& row, const RulerCell& col, double x, double y);

/// A rectangle of cells at (x,y): coloured by owner, with its lines, its frame, and a text where it fits: the
/// owner, or the global indices of the entry or block.
void draw_cells(Canvas& canvas, const Plan& plan, const Ruler& rows, const Ruler& cols, double x, double y,
                bool by_owner);

/// Numbers left of and above a picture at (x,y): of the entries, global or along the rulers, or of the
/// blocks.
void draw_indices(Canvas& canvas, const Plan& plan, const Ruler& rows, const Ruler& cols, double x, double y,
                  double largest, bool global);

/// A frame on a light halo, so that it shows on every colour.
void outline(Canvas& canvas, double x0, double y0, double x1, double y1, const std::string& dash);

/// Turns a global range into one along a ruler.
using ToRuler = std::function<Range(Index begin, Index end)>;

/// Outlines the window and the cell of the entry in question.
void draw_marks(Canvas& canvas, const LayoutQuestion& question, const Ruler& rows, const Ruler& cols,
                double x, double y, const ToRuler& row_range, const ToRuler& col_range);

}  // namespace cyclade::drawing
