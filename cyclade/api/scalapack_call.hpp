// What every ScaLAPACK entry point has in common: its arguments checked on each process, compared between
// processes and agreed on; the grid of its BLACS context; its matrix as a view of the caller's memory.
//
//   arguments -> error number, equal on all processes -> pxerbla_ and return        INFO < 0
//             -> Grid + Matrix window -> work                                       INFO >= 0
//
// Nothing is kept between calls.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "cyclade/layout/descriptor.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade::scalapack {

/// INFO when the work itself failed (no memory, MPI): no argument is to blame, and A is unspecified.
inline constexpr int work_failed = -1000;

/// An argument that is no part of the matrix: compared between processes by its value.
struct Option {
  Index value;
  int position;  ///< in the argument list, from 1
  bool legal = true;
};

/// UPLO or DIAG as an option: its first letter in upper case, which must be one of `allowed`.
Option letter(const char* given, int position, const char* allowed);

/// What one call says about sub(A) = A(ia:ia+rows-1, ja:ja+cols-1), ia and ja from 1. A, IA, JA and DESCA are
/// neighbours in every argument list.
struct Arguments {
  const char* routine;  ///< as pxerbla_ prints it
  Index rows;
  int rows_position;
  Index cols;
  int cols_position;
  Index ia;
  Index ja;
  const int* desc;
  int desc_position;
  std::vector<Option> options = {};
};

/// Where the call stands: for the work.
struct Setting {
  Place place;
  std::array<int, 11> desc;  ///< the descriptor as 11 entries
  Layout layout;             ///< of all of A
  Window window;             ///< of sub(A)
};

/// Checks the arguments, runs `work` on sub(A) and sets *info to what it returns: a count from 1 for a
/// numerical outcome, 0, or the negative position of an argument that only the work could find wrong.
/// Collective over the processes of the context. Argument errors are equal on all of them, told to pxerbla_,
/// and leave A untouched; `work` is not called then, nor for an empty sub(A). What it throws becomes
/// work_failed.
template <Scalar T>
void serve(const Arguments& arguments, T* a, int* info,
           const std::function<int(const Matrix<T>& sub_a, const Setting& setting)>& work);

}  // namespace cyclade::scalapack
