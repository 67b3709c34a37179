// One layout into another: to := op(from), entry by entry, between any two layouts of any two grids on the
// same processes. The replacement of ScaLAPACK's p?gemr2d. Work in progress is in redistribute.cpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// Bytes that a redistribution may hold beside the matrices, on each rank.
inline constexpr Index redistribute_budget = Index{64} << 20;

/// to(i,j) := from(i,j), or from(j,i), or conj(from(j,i)) by `op`. Windows are matrices: pass window(w).
/// Collective over `comm`, which holds the ranks of both grids (grids may differ in shape, order and
/// members). Every word is sent at most once; the storage of `from` and `to` must not overlap.
template <Scalar T>
void redistribute(const Communicator& comm, const Matrix<T>& from, const Matrix<T>& to, Op op = Op::none,
                  Index budget_bytes = redistribute_budget);

}  // namespace cyclade
