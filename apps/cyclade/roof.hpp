// The rate that cannot be beaten: matrix products on all cores at the same time, in shapes like those of the
// inversion.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/matrix/matrix.hpp"

namespace cyclade::app {

/// GFLOP/s of all ranks of the grid together, of C += A B with C of the shape of a rank's local part (at most
/// `extent` a side) and `depth` inner columns: the best of `repeats`. Collective over the grid. 2mnk flops a
/// product, x4 complex.
template <Scalar T>
double gemm_gflops(const Matrix<T>& like, Index extent, Index depth, int repeats);

}  // namespace cyclade::app
