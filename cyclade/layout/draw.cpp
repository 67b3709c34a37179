// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/draw.hpp"

#include <algorithm>
#include <array>

#include "cyclade/base/error.hpp"
#include "cyclade/layout/drawing.hpp"

namespace cyclade {
namespace {

using namespace drawing;

// --- sizes on the page, in pixels

constexpr double margin = 60;      // the indices of the matrix hang in the left one
constexpr double heading = 140;    // of the page: title and subtitle
constexpr double between = 84;     // the two panels
constexpr double array_head = 54;  // "(0,1)" and the shape, above a local array
constexpr double array_gap = 30;   // between local arrays

struct Size {
  double width = 0;
  double height = 0;
};

void draw_panel_head(Canvas& canvas, double x, double y, const std::string& head, const std::string& more) {
  canvas.text(x, y, 18, head, left_aligned + " " + bold);
  canvas.text(x, y + 22, 12.5, more, left_aligned + " " + quiet);
}

/// In place of a matrix without entries.
constexpr double nothing_height = 26;
void draw_nothing(Canvas& canvas, double x, double y) {
  canvas.rect(x, y, 70, nothing_height, "fill=\"none\" stroke=\"#8c959f\" stroke-dasharray=\"4 3\"");
}

Size draw_matrix(Canvas& canvas, const Plan& plan, double x, double y) {
  const Axis &rows_axis = plan.layout().rows, &cols_axis = plan.layout().cols;
  const Ruler rows = Ruler::global(rows_axis, plan.global_rows),
              cols = Ruler::global(cols_axis, plan.global_cols);
  draw_panel_head(canvas, x, y, "Global matrix",
                  plan.entries() ? "each cell an entry, by its global indices"
                                 : "each cell a block, by its process (row, column)");
  const double top = y + plan.top;
  canvas.open_group("id=\"matrix\"");
  if (rows.cells().empty() || cols.cells().empty()) {
    draw_nothing(canvas, x, top);
    canvas.close_group();
    return {290, plan.top + nothing_height};
  }
  draw_cells(canvas, plan, rows, cols, x, top, !plan.entries());
  draw_indices(canvas, plan, rows, cols, x, top, 12, true);
  const auto whole = [](Index begin, Index end) { return Range{begin, end}; };
  draw_marks(canvas, plan.question, rows, cols, x, top, whole, whole);
  canvas.close_group();
  return {std::max(cols.length(), 290.0), plan.top + rows.length()};
}

// --- the local arrays

Size draw_array(Canvas& canvas, const Plan& plan, const Ruler& rows, const Ruler& cols, int r, int c,
                double x, double y) {
  const Axis &rows_axis = plan.layout().rows, &cols_axis = plan.layout().cols;
  const Index m = rows_axis.local_size(r), n = cols_axis.local_size(c);
  const int rank = plan.question.order == RankOrder::row ? r * cols_axis.ranks + c : c * rows_axis.ranks + r;
  canvas.open_group("id=\"process-" + std::to_string(r) + "-" + std::to_string(c) + "\"");
  const double head = y - array_head + 8;
  canvas.rect(x, head - 7, 13, 13,
              fill(process_colour(plan.layout(), r, c)) + " stroke=\"#1f2328\" stroke-width=\"0.8\"");
  canvas.text(x + 20, head, 14, "(" + pair(r, c) + ")", left_aligned + " " + bold);
  canvas.text(x + 62, head, 11.5, "rank " + std::to_string(rank), left_aligned + " " + quiet);
  canvas.text(x + (m == 0 || n == 0 ? 0 : 20), head + 16, 11.5,
              m == 0 || n == 0 ? times(m, n) + ": empty" : times(m, n), left_aligned + " " + quiet);
  if (m == 0 || n == 0) {
    draw_nothing(canvas, x, y);
  } else {
    draw_cells(canvas, plan, rows, cols, x, y, false);
    if (plan.entries()) draw_indices(canvas, plan, rows, cols, x, y, 9.5, plan.entry_text() == 0);
    draw_marks(
        canvas, plan.question, rows, cols, x, y,
        [&](Index begin, Index end) { return rows_axis.to_local(begin, end, r); },
        [&](Index begin, Index end) { return cols_axis.to_local(begin, end, c); });
  }
  canvas.close_group();
  return {std::max(cols.length(), 118.0), std::max(rows.length(), nothing_height)};
}

Size draw_arrays(Canvas& canvas, const Plan& plan, double x, double y) {
  const Axis &rows_axis = plan.layout().rows, &cols_axis = plan.layout().cols;
  draw_panel_head(canvas, x, y, "Local arrays",
                  !plan.entries() ? "as stored: the global number of each block"
                  : plan.entry_text() == 0
                      ? "as stored: global indices beside them"
                      : "as stored: global indices in the cells, local ones beside them");
  double top = y + plan.top, widest = 400;
  for (int r = 0; r < rows_axis.ranks; ++r) {
    const Ruler rows = Ruler::local(rows_axis, r, plan.local_rows);
    double left = x, highest = 0;
    for (int c = 0; c < cols_axis.ranks; ++c) {
      const Ruler cols = Ruler::local(cols_axis, c, plan.local_cols);
      const Size size = draw_array(canvas, plan, rows, cols, r, c, left, top);
      left += size.width + array_gap;
      highest = std::max(highest, size.height);
    }
    widest = std::max(widest, left - array_gap - x);
    top += highest + array_head + array_gap;
  }
  return {widest, top - array_head - array_gap - y};
}

/// The process grid itself as an axis with one "entry" a process, to reuse the ruler and its gap.
Axis process_axis(const Axis& axis) { return {axis.ranks, 1, axis.ranks}; }

Size draw_map(Canvas& canvas, const Plan& plan, double x, double y) {
  const Axis &rows_axis = plan.layout().rows, &cols_axis = plan.layout().cols;
  const RulerStyle down{false, 28, 21, 18, 2}, across{false, 40, 21, 18, 2};
  const Ruler rows = Ruler::global(process_axis(rows_axis), down),
              cols = Ruler::global(process_axis(cols_axis), across);
  draw_panel_head(canvas, x, y, "Processes and local sizes",
                  "process (r,c) stores (rows at the left of r) × (columns above c)");
  const double left = x + label_length(rows_axis) + 10, top = y + plan.top;
  double size = 13;
  for (const RulerCell& row : rows.cells())
    for (const RulerCell& col : cols.cells())
      if (!row.gap && !col.gap)
        size = std::min(size, std::max(8.0, fitting(pair(row.global, col.global).size(), col.length - 2,
                                                    row.length, 13)));
  canvas.open_group("id=\"processes\"");
  for (const RulerCell& row : rows.cells())
    for (const RulerCell& col : cols.cells()) {
      const double cx = left + col.at + col.length / 2, cy = top + row.at + row.length / 2;
      if (row.gap || col.gap) {
        draw_gap(canvas, row, col, cx, cy);
        continue;
      }
      const auto r = static_cast<int>(row.global), c = static_cast<int>(col.global);
      canvas.rect(left + col.at + 1, top + row.at + 1, col.length - 2, row.length - 2,
                  "rx=\"3\" " + fill(process_colour(plan.layout(), r, c)));
      canvas.text(cx, cy, size, pair(r, c));
    }
  if (plan.question.index) {
    const int r = rows_axis.owner(plan.question.index->i), c = cols_axis.owner(plan.question.index->j);
    if (r != replicated && c != replicated) {
      const RulerCell &row = rows.cell(r), &col = cols.cell(c);
      outline(canvas, left + col.at, top + row.at, left + col.at + col.length, top + row.at + row.length, "");
    }
  }
  for (const RulerCell& row : rows.cells())
    if (!row.gap)
      canvas.text(left - 7, top + row.at + row.length / 2, 11,
                  grouped(rows_axis.local_size(static_cast<int>(row.global))),
                  quiet + " text-anchor=\"end\"");
  for (const RulerCell& col : cols.cells()) {
    if (col.gap) continue;
    const double cx = left + col.at + col.length / 2, cy = top - 8;
    canvas.text(cx, cy - 3.85, 11, grouped(cols_axis.local_size(static_cast<int>(col.global))),
                quiet + " text-anchor=\"start\" transform=\"rotate(-60 " + svg::number(cx) + " " +
                    svg::number(cy) + ")\"");
  }
  canvas.close_group();
  return {std::max(left - x + cols.length() + 30, 400.0), plan.top + rows.length()};
}

// --- the page

std::string source_words(const Layout& layout) {
  const Axis &rows = layout.rows, &cols = layout.cols;
  if (rows.source == replicated && cols.source == replicated) return "replicated on every process";
  if (rows.source == replicated)
    return "rows replicated; first column on process column " + std::to_string(cols.source);
  if (cols.source == replicated)
    return "columns replicated; first row on process row " + std::to_string(rows.source);
  std::string out = "first block on process (" + pair(rows.owner(0), cols.owner(0)) + ")";
  if (rows.first() != rows.block || cols.first() != cols.block)
    out += ", of " + times(rows.first(), cols.first());
  return out;
}

void draw_heading(Canvas& canvas, const Plan& plan) {
  const Layout& layout = plan.layout();
  const std::string title = plan.question.title.empty()
                                ? times(layout.rows.size, layout.cols.size) + " matrix, block-cyclic on " +
                                      times(layout.rows.ranks, layout.cols.ranks) + " processes"
                                : plan.question.title;
  canvas.text(margin, 54, 26, title, left_aligned + " " + bold);
  canvas.text(margin, 84, 15,
              "blocks of " + times(layout.rows.block, layout.cols.block) + ", dealt like cards; " +
                  source_words(layout) +
                  (plan.question.order == RankOrder::row ? "; ranks row by row" : "; ranks column by column"),
              left_aligned + " " + quiet);
}

/// "(0,1)"; "(*,1)" for all processes that hold the same.
std::string name_of(const Layout& layout, int r, int c) {
  std::string out = "(";
  out += layout.rows.source == replicated ? "*" : std::to_string(r);
  out += ",";
  out += layout.cols.source == replicated ? "*" : std::to_string(c);
  return out + ")";
}

/// Swatches with names, whole process rows on a line of `width` where they fit. Returns the height.
double draw_swatches(Canvas& canvas, const Plan& plan, double x, double y, double width) {
  const Layout& layout = plan.layout();
  const int q = colours(layout.cols), count = colours(layout.rows) * q, fit = static_cast<int>(width / 82);
  const int on_a_line = fit >= q ? fit - fit % q : std::max(1, fit);
  for (int k = 0; k < count; ++k) {
    const double left = x + 82 * (k % on_a_line), top = y + 26 * (k / on_a_line);
    canvas.rect(left, top - 8, 22, 16,
                fill(process_colour(layout, k / q, k % q)) + " stroke=\"#1f2328\" stroke-width=\"0.8\"");
    canvas.text(left + 29, top, 13, name_of(layout, k / q, k % q), left_aligned);
  }
  return 26 * ((count - 1) / on_a_line + 1);
}

/// Many processes: a strip of hues and a strip of shades instead of a swatch each.
double draw_strips(Canvas& canvas, const Plan& plan, double x, double y) {
  const Layout& layout = plan.layout();
  const int p = colours(layout.rows), q = colours(layout.cols);
  const auto strip = [&](double at, int count, const std::string& name, auto&& colour) {
    const int shown = std::min(count, 24);
    for (int k = 0; k < shown; ++k)
      canvas.rect(at + 12.0 * k, y - 8, 12, 16,
                  fill(colour(shown == 1 ? 0 : static_cast<int>(Index{k} * (count - 1) / (shown - 1)))));
    const std::string range = count == 1 ? " 0" : "s 0 … " + std::to_string(count - 1);
    canvas.text(at + 12.0 * shown + 8, y, 13, name + range, left_aligned);
    return at + 12.0 * shown + 230;
  };
  const double next = strip(x, q, "process column", [&](int c) { return process_colour(layout, p / 2, c); });
  strip(next, p, "process row", [&](int r) { return process_colour(layout, r, q / 2); });
  return 26;
}

std::string note(const Plan& plan) {
  if (plan.entries()) return "Indices are (row,column), from 0. Heavy lines are block borders.";
  const Layout& layout = plan.layout();
  const auto last = [](const Axis& axis, const std::string& name) {
    const Index b = axis.blocks() - 1;
    if (b < 0) return std::string();
    const Index begin = b == 0 ? 0 : axis.first() + (b - 1) * axis.block;
    return " The last block " + name + ", number " + grouped(b) + ", begins at " + grouped(begin) +
           " and has " + grouped(axis.size - begin) + ".";
  };
  return "Blocks are numbered (row,column), from 0." + last(layout.rows, "row") + last(layout.cols, "column");
}

}  // namespace

std::string process_colour(const Layout& layout, int r, int c) {
  const int p = colours(layout.rows), q = colours(layout.cols);
  if (layout.rows.source == replicated) r = 0;  // every process row holds the same
  if (layout.cols.source == replicated) c = 0;
  // P. Tol's qualitative scheme "light", made for dark text on cells and for all kinds of colour vision.
  static constexpr std::array light{"#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb",
                                    "#bbcc33", "#99ddff", "#dddddd", "#aaaa00"};
  if (Index{p} * q <= static_cast<Index>(light.size())) return light[static_cast<std::size_t>(r * q + c)];
  const auto part = [](int k, int count) { return count == 1 ? 0.0 : static_cast<double>(k) / (count - 1); };
  const double along_longer = q >= p ? part(c, q) : part(r, p),
               along_shorter = q >= p ? part(r, p) : part(c, q);
  // From blue through violet and rose to orange: the middle is neutral for red-green blindness, the ends are
  // not.
  return svg::oklch(0.93 - 0.19 * along_shorter, 0.075 + 0.035 * along_shorter, 245 + 185 * along_longer);
}

std::string draw_svg(const LayoutQuestion& question) {
  require_valid(question.layout);
  if (question.window) require_inside(*question.window, question.layout);
  if (question.index) require_inside(*question.index, question.layout);
  const Plan plan = make_plan(question);
  Canvas canvas;
  draw_heading(canvas, plan);
  const Size matrix = draw_matrix(canvas, plan, margin, heading);
  const double right = margin + matrix.width + between;
  const Size local = (plan.arrays ? draw_arrays : draw_map)(canvas, plan, right, heading);
  const double width = std::max(right + local.width + margin, 860.0);
  double bottom = heading + std::max(matrix.height, local.height) + 44;
  canvas.open_group("id=\"legend\"");
  canvas.text(margin, bottom, 13, "Process", left_aligned + " " + bold);
  const bool few = Index{colours(plan.layout().rows)} * colours(plan.layout().cols) <= most_arrays;
  bottom += few ? draw_swatches(canvas, plan, margin + 70, bottom, width - 2 * margin - 70)
                : draw_strips(canvas, plan, margin + 70, bottom);
  canvas.close_group();
  canvas.text(margin, bottom + 6, 12.5, note(plan), left_aligned + " " + quiet);
  const double height = bottom + 40;
  const std::string size = svg::number(width) + "\" height=\"" + svg::number(height);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
         size + "\" viewBox=\"0 0 " + svg::number(width) + " " + svg::number(height) +
         "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
         "fill=\"#1f2328\">\n<title>" +
         svg::escaped(question.title.empty() ? summary(plan.layout()) : question.title) +
         "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + canvas.body() + "</svg>\n";
}

}  // namespace cyclade
