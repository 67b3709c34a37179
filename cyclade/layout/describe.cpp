// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/describe.hpp"

#include <functional>

#include "cyclade/base/error.hpp"
#include "cyclade/layout/descriptor.hpp"

namespace cyclade {
namespace {

std::string str(Index value) { return std::to_string(value); }

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string times(Index a, Index b) { return str(a) + " x " + str(b); }
std::string range(const Range& r) { return "[" + str(r.begin) + "," + str(r.end) + ")"; }

/// One line for each run of processes with the same answer: "  process rows 0-3    6".
std::string by_process(const Axis& axis, const std::string& name,
                       const std::function<std::string(int)>& answer) {
  if (axis.whole()) return "  every " + name + "    " + answer(0) + "\n";
  std::string out;
  for (int r = 0, end = 0; r < axis.ranks; r = end) {
    const std::string text = answer(r);
    for (end = r + 1; end < axis.ranks && answer(end) == text;) ++end;
    const std::string who = end == r + 1 ? name + " " + str(r) : name + "s " + str(r) + "-" + str(end - 1);
    out += "  " + padded(who, 24) + text + "\n";
  }
  return out;
}

/// "12 rows: 6 blocks of 2 over 2 process rows, the first block on process row 1".
std::string axis_line(const Axis& axis, const std::string& things, const std::string& name) {
  std::string out = str(axis.size) + " " + things + ": " + str(axis.blocks()) +
                    (axis.blocks() == 1 ? " block of " : " blocks of ") + str(axis.block);
  if (axis.first() != axis.block) out += ", the first of " + str(axis.first()) + ",";
  if (axis.source == replicated) return out + " on every " + name + " (replicated)\n";
  out += " over " + str(axis.ranks) + " " + name + (axis.ranks == 1 ? "" : "s");
  return out + ", from " + name + " " + str(axis.source) + " on\n";
}

std::string sizes(const Axis& axis, const std::string& things, const std::string& name) {
  return "local " + things + " (at most " + str(local_size_bound(axis)) + ")\n" +
         by_process(axis, name, [&](int r) { return str(axis.local_size(r)); });
}

std::string coordinate(int owner) { return owner == replicated ? "*" : std::to_string(owner); }

std::string placement_line(const std::string& what, Index i, const Axis& axis) {
  const Placement at = placement(axis, i);
  return "  " + padded(what + " " + str(i), 16) + padded(coordinate(at.owner), 10) +
         padded(str(at.block), 12) + padded(str(at.offset), 11) + str(at.local) + "\n";
}

/// The equation of the guide with its numbers, where it holds: no replication and no first block of its own.
std::string guide_line(const std::string& letter, Index i, const Axis& axis) {
  if (axis.source == replicated || axis.first() != axis.block) return "";
  const Placement at = placement(axis, i);
  const int p = axis.distance(at.owner);
  return "  guide: " + letter + " = " + str(i + 1) + " = (l*P + p)*NB + x = (" + str(at.block) + "*" +
         str(axis.ranks) + " + " + str(p) + ")*" + str(axis.block) + " + " + str(at.offset + 1) +
         (axis.source != 0 && axis.ranks > 1 ? ", p counted from process " + str(axis.source) : "") + "\n";
}

std::string describe_index(const LayoutQuestion& q) {
  const Axis &rows = q.layout.rows, &cols = q.layout.cols;
  const auto [i, j] = *q.index;
  require_inside(*q.index, q.layout);
  const Placement row = placement(rows, i), col = placement(cols, j);
  std::string out = "\nentry (" + str(i) + "," + str(j) + ")\n  " + padded("", 16) +
                    "process   block l     offset x   local index\n" + placement_line("row", i, rows) +
                    placement_line("column", j, cols);
  out += "  on process (" + coordinate(row.owner) + "," + coordinate(col.owner) + ")";
  if (row.owner != replicated && col.owner != replicated)
    out += ", rank " + str(q.order == RankOrder::row ? Index{row.owner} * cols.ranks + col.owner
                                                     : Index{col.owner} * rows.ranks + row.owner);
  out += ", local (" + str(row.local) + "," + str(col.local) + "), at data[" + str(row.local) + " + " +
         str(col.local) + "*lld]\n";
  return out + guide_line("I", i, rows) + guide_line("J", j, cols);
}

std::string describe_window(const LayoutQuestion& q) {
  const Window& w = *q.window;
  require_inside(w, q.layout);
  const auto local = [](const Axis& axis, Index begin, Index end) {
    return [&axis, begin, end](int r) {
      const Range mine = axis.to_local(begin, end, r);
      return padded(range(mine), 20) + " " + str(mine.size());
    };
  };
  return "\nwindow " + to_string(w) + ": local ranges and their sizes\n" +
         by_process(q.layout.rows, "process row", local(q.layout.rows, w.i0, w.i1)) +
         by_process(q.layout.cols, "process column", local(q.layout.cols, w.j0, w.j1));
}

template <std::size_t N>
std::string table(const std::array<const char*, N>& names, const std::array<std::string, N>& values) {
  std::string head = "  ", body = "  ";
  for (std::size_t k = 0; k < N; ++k) {
    const std::size_t width = std::max(std::string(names[k]).size(), values[k].size()) + 2;
    head += padded(names[k], width);
    body += padded(values[k], width);
  }
  const auto trimmed = [](std::string line) { return line.erase(line.find_last_not_of(' ') + 1) + "\n"; };
  return trimmed(head) + trimmed(body);
}

std::string describe_descriptors(const Layout& layout) {
  const auto text = [](const auto& desc, int context, int lld) {
    std::array<std::string, std::tuple_size_v<std::decay_t<decltype(desc)>>> out;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = str(desc[k]);
    out[static_cast<std::size_t>(context)] = "ictxt";
    out[static_cast<std::size_t>(lld)] = "lld";
    return out;
  };
  const Descriptor descriptor{layout, 0, 1};
  std::string out = "\nScaLAPACK descriptor\n";
  try {
    out += table<9>({"DTYPE", "CTXT", "M", "N", "MB", "NB", "RSRC", "CSRC", "LLD"},
                    text(scalapack_descriptor<Index>(descriptor), desc9::ctxt, desc9::lld));
  } catch (const ArgumentError& error) {
    out += "  none: " + std::string(error.what()) + "\n";
  }
  out += "\nPBLAS descriptor\n" +
         table<11>({"DTYPE", "CTXT", "M", "N", "IMB", "INB", "MB", "NB", "RSRC", "CSRC", "LLD"},
                   text(pblas_descriptor<Index>(descriptor), desc11::ctxt, desc11::lld));
  return out + "  lld is at least the local rows, and 1:\n" +
         by_process(layout.rows, "process row",
                    [&](int r) { return str(std::max<Index>(1, layout.rows.local_size(r))); });
}

/// How far index 1 of a dimension lies into its HPF template: the template begins on process 0 with a whole
/// block.
Index hpf_shift(const Axis& axis) {
  require(axis.first() <= axis.block, "layout: HPF cannot say a first block of " + str(axis.first()) +
                                          ", larger than the others (" + str(axis.block) + ")");
  return (axis.ranks == 1 ? 0 : axis.source * axis.block) + axis.block - axis.first();
}

struct HpfAxis {
  std::string template_size, of_array, in_template, format;
};

HpfAxis hpf_axis(const Axis& axis, const std::string& letter) {
  // Replicated: the array's index is not dealt at all ("*"), and there is a copy along all of the template.
  if (axis.source == replicated) return {str(axis.ranks), "*", "*", "CYCLIC"};
  const Index shift = hpf_shift(axis);
  return {str(shift + axis.size), letter, letter + (shift == 0 ? "" : "+" + str(shift)),
          "CYCLIC(" + str(axis.block) + ")"};
}

}  // namespace

void require_inside(const Position& entry, const Layout& layout) {
  const auto [i, j] = entry;
  require(i >= 0 && i < layout.rows.size && j >= 0 && j < layout.cols.size,
          "layout: the entry (" + str(i) + "," + str(j) + ") does not lie in a " +
              times(layout.rows.size, layout.cols.size) + " matrix");
}

std::string summary(const Layout& layout) {
  return times(layout.rows.size, layout.cols.size) + " matrix in " +
         times(layout.rows.block, layout.cols.block) + " blocks on a " +
         times(layout.rows.ranks, layout.cols.ranks) + " process grid";
}

std::string hpf_statements(const Layout& layout) {
  const HpfAxis i = hpf_axis(layout.rows, "I"), j = hpf_axis(layout.cols, "J");
  return "      REAL A(" + str(layout.rows.size) + "," + str(layout.cols.size) + ")\n" +  //
         "!HPF$ PROCESSORS PROC(" + str(layout.rows.ranks) + "," + str(layout.cols.ranks) + ")\n" +
         "!HPF$ TEMPLATE T(" + i.template_size + "," + j.template_size + ")\n" +  //
         "!HPF$ ALIGN A(" + i.of_array + "," + j.of_array + ") WITH T(" + i.in_template + "," +
         j.in_template + ")\n" + "!HPF$ DISTRIBUTE T(" + i.format + "," + j.format + ") ONTO PROC\n";
}

std::string describe(const LayoutQuestion& q) {
  require_valid(q.layout);
  std::string out =
      summary(q.layout) + ", ranks " + (q.order == RankOrder::row ? "row by row\n" : "column by column\n") +
      "  " + axis_line(q.layout.rows, "rows", "process row") + "  " +
      axis_line(q.layout.cols, "columns", "process column") + "\n" +
      sizes(q.layout.rows, "rows", "process row") + sizes(q.layout.cols, "columns", "process column");
  if (q.index) out += describe_index(q);
  if (q.window) out += describe_window(q);
  if (q.hpf) out += "\nHigh Performance Fortran\n" + hpf_statements(q.layout);
  if (q.descriptor) out += describe_descriptors(q.layout);
  return out;
}

}  // namespace cyclade
