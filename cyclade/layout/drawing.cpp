// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/drawing.hpp"

#include <algorithm>

#include "cyclade/layout/draw.hpp"

namespace cyclade::drawing {
namespace {

constexpr double matrix_side = 580;     // what the global matrix fills at most; beside a map, 100 more
constexpr Index largest_by_entry = 24;  // a side of more entries is drawn by block

/// Characters as the reader sees them: bytes that do not continue one.
std::size_t visible(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

int coordinate(int owner) { return owner == replicated ? 0 : owner; }

RulerStyle block_style(const Axis& axis) { return {false, 1, 21, std::clamp(2 * axis.ranks, 8, 18), 2}; }

RulerStyle local_block_style(const Axis& axis) {
  return axis.ranks <= 3 ? RulerStyle{false, 1, 7, 4, 1} : RulerStyle{false, 1, 4, 2, 1};
}

std::string cell_text(const Plan& plan, const RulerCell& row, const RulerCell& col, bool by_owner) {
  if (by_owner) return pair(coordinate(row.owner), coordinate(col.owner));
  return plan.entries() ? pair(row.global, col.global) : pair(row.block, col.block);
}

/// Calls f(row, col, left, top) for all cells.
template <class F>
void for_each_cell(const Ruler& rows, const Ruler& cols, double x, double y, F&& f) {
  for (const RulerCell& row : rows.cells())
    for (const RulerCell& col : cols.cells()) f(row, col, x + col.at, y + row.at);
}

/// Lines between cells, white inside a block, dark between blocks.
void draw_lines(Canvas& canvas, const Ruler& rows, const Ruler& cols, double x, double y) {
  for (const bool opens : {false, true}) {
    canvas.open_group(opens ? "stroke=\"#1f2328\" stroke-width=\"1.6\""
                            : "stroke=\"#ffffff\" stroke-width=\"1.2\"");
    for (const RulerCell& row : rows.cells())
      if (row.opens == opens && row.at > 0) canvas.line(x, y + row.at, x + cols.length(), y + row.at);
    for (const RulerCell& col : cols.cells())
      if (col.opens == opens && col.at > 0) canvas.line(x + col.at, y, x + col.at, y + rows.length());
    canvas.close_group();
  }
}

}  // namespace

double fitting(std::size_t length, double width, double height, double largest) {
  const double size =
      std::min({largest, 0.92 * width / (0.62 * static_cast<double>(std::max<std::size_t>(1, length))),
                0.72 * height});
  return size >= 7.5 ? size : 0;
}

std::string pair(Index a, Index b) { return std::to_string(a) + "," + std::to_string(b); }
std::string times(Index a, Index b) { return grouped(a) + " × " + grouped(b); }
std::string fill(const std::string& colour) { return "fill=\"" + colour + "\""; }

int colours(const Axis& axis) { return axis.source == replicated ? 1 : axis.ranks; }

double Plan::entry_text() const {
  const double unit = global_rows.unit;
  return fitting(pair(layout().rows.size - 1, layout().cols.size - 1).size(), unit, unit, 15);
}

double label_length(const Axis& axis) {
  return 6.8 *
         static_cast<double>(visible(grouped(axis.local_size(axis.source == replicated ? 0 : axis.source))));
}

Plan make_plan(const LayoutQuestion& q) {
  const Axis &rows = q.layout.rows, &cols = q.layout.cols;
  Plan plan{q, {}, {}, {}, {}};
  plan.arrays = rows.ranks <= 8 && cols.ranks <= 8 && rows.ranks * cols.ranks <= most_arrays;
  const bool small = std::max(rows.size, cols.size) <= largest_by_entry;
  const bool copies = rows.source == replicated || cols.source == replicated;
  if (!small || (copies && rows.size * cols.size > 144)) {
    plan.global_rows = block_style(rows);
    plan.global_cols = block_style(cols);
    plan.local_rows = local_block_style(rows);
    plan.local_cols = local_block_style(cols);
  }
  RulerStyle by_one = plan.global_rows;
  by_one.unit = 1;
  const double high = Ruler::global(rows, by_one).length();
  by_one = plan.global_cols;
  by_one.unit = 1;
  const double wide = Ruler::global(cols, by_one).length();
  const double unit =
      std::clamp((plan.arrays ? matrix_side : matrix_side + 100) / std::max({high, wide, 1.0}), 24.0, 48.0);
  plan.global_rows.unit = plan.global_cols.unit = plan.local_rows.unit = plan.local_cols.unit = unit;
  if (!plan.arrays) plan.top = std::max(content, 48 + 0.87 * label_length(cols));
  return plan;
}

void draw_gap(Canvas& canvas, const RulerCell& row, const RulerCell& col, double x, double y) {
  canvas.text(x, y, 14, row.gap && col.gap ? "⋱" : row.gap ? "⋮" : "⋯", quiet);
}

void draw_cells(Canvas& canvas, const Plan& plan, const Ruler& rows, const Ruler& cols, double x, double y,
                bool by_owner) {
  for_each_cell(rows, cols, x, y, [&](const RulerCell& row, const RulerCell& col, double left, double top) {
    if (row.gap || col.gap) return;
    canvas.rect(left, top, col.length, row.length,
                fill(process_colour(plan.layout(), coordinate(row.owner), coordinate(col.owner))));
  });
  draw_lines(canvas, rows, cols, x, y);
  // One size that fits all texts of all pictures; where there is none, blocks each have their own.
  const Axis &row_axis = plan.layout().rows, &col_axis = plan.layout().cols;
  const double unit = plan.global_rows.unit, several = 11;
  const double owner_text = fitting(pair(row_axis.ranks - 1, col_axis.ranks - 1).size(), unit, unit, 15);
  const double largest = plan.entries()               ? plan.entry_text()
                         : by_owner && owner_text > 0 ? owner_text
                                                      : several;
  for_each_cell(rows, cols, x, y, [&](const RulerCell& row, const RulerCell& col, double left, double top) {
    const double cx = left + col.length / 2, cy = top + row.length / 2;
    if (row.gap || col.gap) return draw_gap(canvas, row, col, cx, cy);
    const std::string text = cell_text(plan, row, col, by_owner);
    const double size = largest == 0 ? 0 : fitting(text.size(), col.length, row.length, largest);
    if (size > 0) canvas.text(cx, cy, size, text);
  });
  canvas.rect(x, y, cols.length(), rows.length(), "fill=\"none\" stroke=\"#1f2328\" stroke-width=\"2\"");
}

void draw_indices(Canvas& canvas, const Plan& plan, const Ruler& rows, const Ruler& cols, double x, double y,
                  double largest, bool global) {
  const auto label = [&](const RulerCell& cell) {
    if (cell.gap) return std::string("…");
    return std::to_string(!plan.entries() ? cell.block : global ? cell.global : cell.begin);
  };
  for (const RulerCell& row : rows.cells()) {
    const double size = fitting(visible(label(row)), 48, row.length * 1.3, largest);
    if (size > 0)
      canvas.text(x - 7, y + row.at + row.length / 2, size, label(row), quiet + " text-anchor=\"end\"");
  }
  for (const RulerCell& col : cols.cells()) {
    const double size = fitting(visible(label(col)), 1.25 * col.length, 24, largest);
    if (size > 0) canvas.text(x + col.at + col.length / 2, y - 10, size, label(col), quiet);
  }
}

void outline(Canvas& canvas, double x0, double y0, double x1, double y1, const std::string& dash) {
  const double width = std::max(6.0, x1 - x0), height = std::max(6.0, y1 - y0);
  canvas.rect(x0, y0, width, height,
              "fill=\"none\" stroke=\"#ffffff\" stroke-width=\"6\" stroke-opacity=\"0.85\"");
  canvas.rect(x0, y0, width, height, "fill=\"none\" stroke=\"#b3001b\" stroke-width=\"3\"" + dash);
}

void draw_marks(Canvas& canvas, const LayoutQuestion& q, const Ruler& rows, const Ruler& cols, double x,
                double y, const ToRuler& row_range, const ToRuler& col_range) {
  if (q.window) {
    const Range i = row_range(q.window->i0, q.window->i1), j = col_range(q.window->j0, q.window->j1);
    if (!i.empty() && !j.empty())
      outline(canvas, x + cols.position(j.begin), y + rows.position(i.begin), x + cols.position(j.end),
              y + rows.position(i.end), " stroke-dasharray=\"9 5\"");
  }
  if (q.index) {
    const Range i = row_range(q.index->i, q.index->i + 1), j = col_range(q.index->j, q.index->j + 1);
    if (i.empty() || j.empty()) return;
    const RulerCell &row = rows.cell(i.begin), &col = cols.cell(j.begin);
    outline(canvas, x + col.at, y + row.at, x + col.at + col.length, y + row.at + row.length, "");
  }
}

}  // namespace cyclade::drawing
