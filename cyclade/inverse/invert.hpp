// The one call: A := A^-1, in place, with a Report that says how it ended and how good the result is.
//
//   Grid grid(MPI_COMM_WORLD, nearest_square(ranks));
//   HostDevice host;
//   Matrix<double> a(grid, square_layout(n, 64, grid.p(), grid.q()), host);
//   ...fill a.local()...
//   const Report report = invert(a);      // report.status == Status::ok, and a holds the inverse
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "cyclade/base/progress.hpp"
#include "cyclade/inverse/report.hpp"
#include "cyclade/inverse/schur.hpp"
#include "cyclade/inverse/schur_rows.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

struct InvertOptions {
  Method method = Method::automatic;
  Structure structure = Structure::general;
  Uplo uplo = Uplo::lower;        ///< the triangle that is read of a positive definite matrix
  bool certificate = true;        ///< prove the result; costs O(n^2)
  std::uint64_t seed = 20261130;  ///< of the certificate's random vectors
  Index panel_width = 0;          ///< columns a step; 0: 64 or, from order 1500 on, 128; cut at block edges
  Index permutation_budget = Index{64}
                             << 20;  ///< bytes a rank may use to put the rows and columns in order at the end
  bool lookahead = true;             ///< the next panel while the rest is updated; the same bits
  SchurOptions schur{};              ///< of method schur
  GatherOptions gather{};            ///< of method schur_rows
  /// Keeps a copy of A (as much memory again) and runs gauss_jordan on it if another method's result is not
  /// certified. Report::fallback_from then names the first method.
  bool fallback = false;
  /// Bytes that a rank may use for a copy of A in column blocks of 64, where the caller's are under 32 and
  /// every step would eliminate only so few. Report::redistributed says whether it was done. 0: always in
  /// place.
  Index copy_budget = 0;
  Progress progress = nullptr;  ///< called as the sweep advances; may be empty
};

/// A := A^-1. Collective over the grid of `a`; ranks outside it return at once.
///
/// Shape: square, any size from 0, any layout but a replicated one. Cost: 2 n^3 / P flops (x4 complex),
/// mloc (n - nloc) + nloc (n - mloc) words received, panels of memory (schur: see schur.hpp). Throws
/// ArgumentError, equal on all ranks and before any message, if the matrix is not square or the layout or an
/// option cannot be served; after messages, but equal on all and with A unchanged, if A has not the structure
/// that is stated. Numerical outcomes are a status: after `ok` the matrix holds the inverse; after
/// `singular` and `non_finite_input` its content is unspecified, and where an elimination was broken off (no
/// norm1_x); after the others it holds the computed matrix, which is not certified. Repeatable to the bit on
/// the same grid with the same BLAS and threads.
template <Scalar T>
Report invert(const Matrix<T>& a, const InvertOptions& options = {});

/// The same on row slabs, uneven or empty ones too: gauss_jordan (the default; pivoted, n (n - mloc) words
/// received) or schur_rows (see schur_rows.hpp); structure general. Collective over the communicator of `a`,
/// whose counter of traffic, if it has one, the report shows. In the report the grid is P x 1 and a block the
/// largest slab.
template <Scalar T>
Report invert(const BlockRows<T>& a, const InvertOptions& options = {});

/// Is X the inverse of A? An independent check of two matrices of one layout and grid, by the certificate of
/// certify/certificate.hpp. Neither is changed. Collective. The report holds norms, kappa_1, residuals,
/// digits and the status.
template <Scalar T>
Report verify(const Matrix<T>& a, const Matrix<T>& x, std::uint64_t seed = 20261130);

}  // namespace cyclade
