// What is kept of A before it is overwritten: its action on k random vectors, from both sides.
//
//   Z  n x k standard normal, made again from its seed whenever it is needed     B = A Z       C = Z^H A
//   afterwards, with the inverse X in A's place:   X B - Z = (XA - I) Z      C X - Z^H = Z^H (AX - I)
//
// Both residuals of the inverse, without a copy of A: 2kn words a rank, O(n^2 k / P) flops on each side of
// the sweep.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "cyclade/matrix/dealt.hpp"

namespace cyclade {

/// B and C, whole on every rank.
template <Scalar T>
struct Sketch {
  Index vectors = 0;
  std::uint64_t seed = 0;
  Buffer<T> az;  ///< B = A Z, n x k
  Buffer<T> za;  ///< C = Z^H A, k x n
};

/// Norms of E = (XA - I) Z by columns and of Z^H (AX - I) by rows.
struct SketchResidual {
  double left = 0;   ///< max_i ||(XA - I) z_i||_2
  double right = 0;  ///< max_i ||z_i^H (AX - I)||_2
};

/// Takes the sketch of a square matrix. Collective over its ranks; 4 n^2 k/P flops (x4 complex).
template <Dealt M>
Sketch<typename M::Element> take_sketch(const M& a, Index vectors, std::uint64_t seed);

/// The residuals of X against the matrix that the sketch was taken of. X has the layout of A. Collective.
template <Dealt M>
SketchResidual sketch_residual(const Sketch<typename M::Element>& sketch, const M& x);

}  // namespace cyclade
