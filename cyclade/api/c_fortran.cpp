// What module cyclade calls beside cyclade.h: communicators as Fortran's integers, arrays with their strides,
// and types checked where Fortran's compiler cannot.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "cyclade/api/c_handles.hpp"

using namespace cyclade;
using namespace cyclade::c;

namespace {

/// An array with entries (1,1), (2,1) and (1,2) at these places (null: it has none), as memory of a matrix.
/// What its strides cannot be is said only when the ranks agree: see Memory::fault.
Memory memory_of(int type, const void* first, const void* below, const void* right, Index rows, Index cols) {
  Memory memory{const_cast<void*>(first), std::max<Index>(1, rows), rows, cols, nullptr};
  const auto bytes = static_cast<std::ptrdiff_t>(size_of(static_cast<ScalarType>(type)));
  const auto distance = [&](const void* other) {
    return static_cast<const char*>(other) - static_cast<const char*>(first);
  };
  if (below && distance(below) != bytes) memory.fault = "the first dimension of the array is not contiguous";
  if (!right) return memory;
  if (distance(right) < bytes || distance(right) % bytes != 0)
    memory.fault = "the columns of the array are not evenly spaced in ascending order";
  else
    memory.ld = distance(right) / bytes;
  return memory;
}

void require_type(const cyclade_matrix& matrix, int type, const char* what) {
  const char stored =
      std::visit([]<class T>(const Matrix<T>&) { return static_cast<char>(scalar_type<T>); }, *matrix.matrix);
  require(stored == type,
          std::string(what) + " is of type " + static_cast<char>(type) + ", the matrix of type " + stored);
}

}  // namespace

extern "C" {

cyclade_status cyclade_grid_create_f(MPI_Fint comm, int p, int q, int order, cyclade_grid** grid) {
  return cyclade_grid_create(MPI_Comm_f2c(comm), p, q, order, grid);
}

cyclade_status cyclade_matrix_create_f(const cyclade_grid* grid, const cyclade_layout* layout, int type,
                                       const void* first, const void* below, const void* right, Index rows,
                                       Index cols, cyclade_matrix** matrix) {
  return create_matrix("cyclade_matrix_create", grid, layout, type,
                       memory_of(type, first, below, right, rows, cols), matrix);
}

cyclade_status cyclade_matrix_local_f(const cyclade_matrix* matrix, int type, cyclade_local* local) {
  return guarded([&] {
    require_type(checked(matrix, "cyclade_matrix_local", "matrix"), type,
                 "cyclade_matrix_local: the pointer");
    return cyclade_matrix_local(matrix, local);
  });
}

cyclade_status cyclade_multiply_f(int type, const void* alpha, const cyclade_matrix* a,
                                  const cyclade_matrix* b, const void* beta, cyclade_matrix* c) {
  return guarded([&] {
    require_type(checked(a, "cyclade_multiply", "a"), type, "cyclade_multiply: alpha");
    return cyclade_multiply(alpha, a, b, beta, c);
  });
}

cyclade_status cyclade_redistribute_f(MPI_Fint comm, const cyclade_matrix* from, cyclade_matrix* to, int op,
                                      Index budget_bytes) {
  return cyclade_redistribute(MPI_Comm_f2c(comm), from, to, op, budget_bytes);
}

}  // extern "C"
