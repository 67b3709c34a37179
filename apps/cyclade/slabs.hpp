// A matrix dealt out over a P x 1 grid with one block of rows for each rank is a matrix in row slabs: how
// method schur_rows gets its matrix from files that are read onto grids.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cyclade/program.hpp"
#include "cyclade/matrix/block_rows.hpp"
#include "cyclade/matrix/matrix.hpp"
#include "cyclade/multiply/gather_multiply.hpp"

namespace cyclade::app {

/// The options with what was left open set for slabs: a grid of `ranks` x 1, row blocks of ceil(n / p).
/// Throws ArgumentError if they ask for something else.
GridOptions for_slabs(GridOptions options, Index n, int ranks);

/// The same matrix, on its storage, which must outlive the result. It lies on such a grid.
template <Scalar T>
BlockRows<T> slabs_of(const Matrix<T>& a);

/// Ways to gather panels: one of gather_words().
GatherTransport parse_gather(const std::string& word);
std::vector<std::string> gather_words();

}  // namespace cyclade::app
