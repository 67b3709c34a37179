// Layouts for C: the arithmetic of Axis, its answers checked. A wrong question has the answer
// CYCLADE_NOWHERE.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/api/c_handles.hpp"

namespace cyclade::c {
namespace {

Axis to_axis(const cyclade_axis& axis) {
  return {axis.n, axis.block, axis.ranks, axis.source, axis.first_block};
}

cyclade_axis from_axis(const Axis& axis) {
  return {axis.size, axis.block, axis.first_block, axis.ranks, axis.source};
}

/// Asks `question` of a valid axis; NOWHERE, with a message, if that is not possible.
template <class F>
auto answer(const cyclade_axis* axis, const char* function, F&& question) noexcept
    -> decltype(question(Axis{})) {
  decltype(question(Axis{})) result = CYCLADE_NOWHERE;
  guarded([&] {
    require_pointer(axis, function, "axis");
    const Axis a = to_axis(*axis);
    require_valid(a, "axis");
    result = question(a);
    return CYCLADE_OK;
  });
  return result;
}

void require_index(Index i, Index end, const char* function, const char* name) {
  require(0 <= i && i < end, std::string(function) + ": `" + name + "` must be in [0," + std::to_string(end) +
                                 "), got " + std::to_string(i));
}

void require_rank(const Axis& axis, int rank, const char* function) {
  require_index(rank, axis.ranks, function, "rank");
}

}  // namespace

Layout to_layout(const cyclade_layout& layout) { return {to_axis(layout.rows), to_axis(layout.cols)}; }

cyclade_layout from_layout(const Layout& layout) { return {from_axis(layout.rows), from_axis(layout.cols)}; }

std::vector<Alike> alike(const cyclade_layout& layout) {
  std::vector<Alike> values;
  for (const cyclade_axis* axis : {&layout.rows, &layout.cols}) {
    const bool rows = axis == &layout.rows;
    values.push_back({rows ? "layout->rows.n" : "layout->cols.n", axis->n});
    values.push_back({rows ? "layout->rows.block" : "layout->cols.block", axis->block});
    values.push_back({rows ? "layout->rows.first_block" : "layout->cols.first_block", axis->first_block});
    values.push_back({rows ? "layout->rows.source" : "layout->cols.source", axis->source});
  }
  return values;
}

}  // namespace cyclade::c

using namespace cyclade;
using namespace cyclade::c;

cyclade_status cyclade_layout_init(cyclade_layout* layout, const cyclade_grid* grid, int64_t m, int64_t n,
                                   int64_t mb, int64_t nb) {
  return guarded([&] {
    constexpr const char* function = "cyclade_layout_init";
    require_pointer(layout, function, "layout");
    const Grid& g = *checked(grid, function).grid;
    const Layout made{{m, mb, g.p()}, {n, nb, g.q()}};
    require_valid(made);
    *layout = from_layout(made);
    return CYCLADE_OK;
  });
}

int cyclade_owner(const cyclade_axis* axis, int64_t i) {
  constexpr const char* function = "cyclade_owner";
  return answer(axis, function, [&](const Axis& a) {
    require_index(i, a.size, function, "i");
    return a.owner(i);
  });
}

int64_t cyclade_to_local(const cyclade_axis* axis, int64_t i) {
  constexpr const char* function = "cyclade_to_local";
  return answer(axis, function, [&](const Axis& a) {
    require_index(i, a.size, function, "i");
    return a.to_local(i);
  });
}

int64_t cyclade_to_global(const cyclade_axis* axis, int64_t local, int rank) {
  constexpr const char* function = "cyclade_to_global";
  return answer(axis, function, [&](const Axis& a) {
    require_rank(a, rank, function);
    require_index(local, a.local_size(rank), function, "local");
    return a.to_global(local, rank);
  });
}

int64_t cyclade_count_before(const cyclade_axis* axis, int64_t i, int rank) {
  constexpr const char* function = "cyclade_count_before";
  return answer(axis, function, [&](const Axis& a) {
    require_rank(a, rank, function);
    require_index(i, a.size + 1, function, "i");
    return a.count_before(i, rank);
  });
}

int64_t cyclade_local_size(const cyclade_axis* axis, int rank) {
  constexpr const char* function = "cyclade_local_size";
  return answer(axis, function, [&](const Axis& a) {
    require_rank(a, rank, function);
    return a.local_size(rank);
  });
}
