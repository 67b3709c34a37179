// Matrices for C: on the caller's memory, on their own, and windows of either.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/api/c_handles.hpp"

using namespace cyclade;
using namespace cyclade::c;

namespace {

std::string shape(Index rows, Index cols) { return std::to_string(rows) + "x" + std::to_string(cols); }

/// What both ways of making a matrix share; `make(layout, device)` builds it from T. Collective over the
/// whole communicator of the grid, so that the handle exists on all its ranks or on none.
template <class F>
cyclade_status create(const char* function, const cyclade_grid* grid, const cyclade_layout* layout, int type,
                      cyclade_matrix** matrix, F&& make) {
  if (matrix) *matrix = nullptr;
  return guarded([&] {
    const std::shared_ptr<const Grid>& g = checked(grid, function).grid;
    std::unique_ptr<cyclade_matrix> made;
    in_agreement(g->parent(), function, [&] {
      require_pointer(matrix, function, "matrix");
      require_pointer(layout, function, "layout");
      made = std::make_unique<cyclade_matrix>();
      made->grid = g;
      made->device = std::make_shared<HostDevice>();
      made->matrix = with_scalar(to_scalar_type(type, function), [&]<class T>() {
        return std::make_shared<const AnyMatrix>(
            make.template operator()<T>(*g, to_layout(*layout), *made->device));
      });
      made->storage = made->matrix;
      std::vector<Alike> values = alike(*layout);
      values.push_back({"type", type});
      return values;
    });
    *matrix = made.release();
    return CYCLADE_OK;
  });
}

}  // namespace

cyclade_status cyclade::c::create_matrix(const char* function, const cyclade_grid* grid,
                                         const cyclade_layout* layout, int type, const Memory& memory,
                                         cyclade_matrix** matrix) {
  return create(function, grid, layout, type, matrix,
                [&]<class T>(const Grid& g, const Layout& l, Device& device) {
                  const std::string who = function;
                  require(!memory.fault, who + ": " + (memory.fault ? memory.fault : ""));
                  Matrix<T> made(g, l, device, static_cast<T*>(memory.data), memory.ld);
                  const auto part = made.local();
                  require(part.rows <= memory.rows && part.cols <= memory.cols,
                          who + ": the array is " + shape(memory.rows, memory.cols) + ", the local part " +
                              shape(part.rows, part.cols));
                  return made;
                });
}

cyclade_status cyclade_matrix_create(const cyclade_grid* grid, const cyclade_layout* layout, int type,
                                     void* data, int64_t ld, cyclade_matrix** matrix) {
  return create_matrix("cyclade_matrix_create", grid, layout, type, {data, ld}, matrix);
}

cyclade_status cyclade_matrix_allocate(const cyclade_grid* grid, const cyclade_layout* layout, int type,
                                       cyclade_matrix** matrix) {
  return create(
      "cyclade_matrix_allocate", grid, layout, type, matrix,
      []<class T>(const Grid& g, const Layout& l, Device& device) { return Matrix<T>(g, l, device); });
}

cyclade_status cyclade_matrix_window(const cyclade_matrix* matrix, int64_t i0, int64_t i1, int64_t j0,
                                     int64_t j1, cyclade_matrix** window) {
  constexpr const char* function = "cyclade_matrix_window";
  return guarded([&] {
    require_pointer(window, function, "window");
    *window = nullptr;
    const cyclade_matrix& whole = checked(matrix, function, "matrix");
    auto made = std::make_unique<cyclade_matrix>();
    made->grid = whole.grid;
    made->device = whole.device;
    made->storage = whole.storage;
    made->matrix = std::visit(
        [&](const auto& a) {
          return std::make_shared<const AnyMatrix>(a.window({i0, i1, j0, j1}));
        },
        *whole.matrix);
    *window = made.release();
    return CYCLADE_OK;
  });
}

void cyclade_matrix_free(cyclade_matrix** matrix) {
  if (!matrix) return;
  guarded([&] {
    if (*matrix) delete &checked(*matrix, "cyclade_matrix_free", "matrix");
    return CYCLADE_OK;
  });
  *matrix = nullptr;
}

cyclade_status cyclade_matrix_local(const cyclade_matrix* matrix, cyclade_local* local) {
  constexpr const char* function = "cyclade_matrix_local";
  return guarded([&] {
    require_pointer(local, function, "local");
    std::visit(
        [&](const auto& a) {
          const auto part = a.local();
          *local = {part.data, part.rows, part.cols, part.ld};
        },
        *checked(matrix, function, "matrix").matrix);
    return CYCLADE_OK;
  });
}

cyclade_status cyclade_matrix_get(const cyclade_matrix* matrix, cyclade_layout* layout, int* type) {
  return guarded([&] {
    std::visit(
        [&]<class T>(const Matrix<T>& a) {
          if (layout) *layout = from_layout(a.layout());
          if (type) *type = static_cast<int>(scalar_type<T>);
        },
        *checked(matrix, "cyclade_matrix_get", "matrix").matrix);
    return CYCLADE_OK;
  });
}
