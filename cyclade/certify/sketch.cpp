// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cyclade/base/random.hpp"

namespace cyclade {
namespace {

/// The rows `ids` of Z.
template <Scalar T>
Buffer<T> random_rows(Device& device, std::uint64_t seed, const std::vector<Index>& ids, Index vectors) {
  const auto rows = static_cast<Index>(ids.size());
  Buffer<T> z(device, rows * vectors);
  for (Index c = 0; c < vectors; ++c)
    for (Index i = 0; i < rows; ++i)
      z.data()[i + c * rows] = gaussian<T>(seed, ids[static_cast<std::size_t>(i)], c);
  return z;
}

/// max_i ||e_i||_2 over the columns of a matrix whose rows are dealt: sum(squares) adds up the parts; a NaN
/// counts as infinity.
template <Scalar T, class F>
double largest_column(const Kernels<T>& kernels, ConstMatrixView<T> e, F&& sum) {
  std::vector<double> squares(static_cast<std::size_t>(e.cols));
  kernels.column_squares(e, squares);
  sum(std::span(squares));
  double largest = 0;
  for (const double s : squares)
    largest = std::max(largest, std::isnan(s) ? std::numeric_limits<double>::infinity() : s);
  return std::sqrt(largest);
}

}  // namespace

template <Dealt M>
Sketch<typename M::Element> take_sketch(const M& a, Index vectors, std::uint64_t seed) {
  using T = typename M::Element;
  const auto& kernels = a.kernels();
  const MatrixView<T> loc = a.local();
  const Index n = a.rows(), k = vectors;
  const std::vector<Index> my_rows = row_ids(a), my_cols = col_ids(a);
  Sketch<T> sketch{k, seed, Buffer<T>(a.device(), n * k), Buffer<T>(a.device(), k * n)};
  const MatrixView<T> az = sketch.az.view(n, k), za = sketch.za.view(k, n);
  kernels.fill(az, T(0));
  kernels.fill(za, T(0));

  // Every rank adds its part to the rows of B and the columns of C that it meets; the sum over the grid is
  // whole.
  const Buffer<T> part(a.device(), std::max(loc.rows, loc.cols) * k);
  {
    const Buffer<T> z = random_rows<T>(a.device(), seed, my_cols, k);
    const MatrixView<T> product = part.view(loc.rows, k);
    kernels.gemm(Op::none, Op::none, T(1), loc, z.view(loc.cols, k), T(0), product);
    kernels.scatter_rows(product, my_rows, az);
  }
  {
    const Buffer<T> z = random_rows<T>(a.device(), seed, my_rows, k);
    const MatrixView<T> product = part.view(k, loc.cols);
    kernels.gemm(Op::conjugate, Op::none, T(1), z.view(loc.rows, k), loc, T(0), product);
    kernels.scatter_columns(product, my_cols, za);
  }
  a.device().synchronise();
  everyone(a).all_reduce_sum(sketch.az.span());
  everyone(a).all_reduce_sum(sketch.za.span());
  return sketch;
}

template <Dealt M>
SketchResidual sketch_residual(const Sketch<typename M::Element>& sketch, const M& x) {
  using T = typename M::Element;
  const auto& kernels = x.kernels();
  const MatrixView<T> loc = x.local();
  const Index n = x.rows(), k = sketch.vectors;
  const std::vector<Index> my_rows = row_ids(x), my_cols = col_ids(x);
  const Buffer<T> gathered(x.device(), std::max(loc.rows, loc.cols) * k);
  const Buffer<T> product(x.device(), std::max(loc.rows, loc.cols) * k);
  const auto over_rows = [&](auto span) { sum_over_row_parts(x, span); };
  const auto over_columns = [&](auto span) { sum_over_column_parts(x, span); };
  double residual[2];
  {
    // E = X B - Z: my rows, summed over the parts of the row
    const MatrixView<T> b = gathered.view(loc.cols, k), e = product.view(loc.rows, k);
    kernels.gather_rows(sketch.az.view(n, k), my_cols, b);
    kernels.gemm(Op::none, Op::none, T(1), loc, b, T(0), e);
    x.device().synchronise();
    over_rows(product.span().first(static_cast<std::size_t>(loc.rows * k)));
    const Buffer<T> z = random_rows<T>(x.device(), sketch.seed, my_rows, k);
    kernels.subtract(z.view(loc.rows, k), e);
    residual[0] = largest_column<T>(kernels, e, over_columns);
  }
  {
    // (C X - Z^H)^H = X^H C^H - Z: rows are my columns, summed over their parts
    const MatrixView<T> c = gathered.view(k, loc.rows), e = product.view(loc.cols, k);
    kernels.gather_columns(sketch.za.view(k, n), my_rows, c);
    kernels.gemm(Op::conjugate, Op::conjugate, T(1), loc, c, T(0), e);
    x.device().synchronise();
    over_columns(product.span().first(static_cast<std::size_t>(loc.cols * k)));
    const Buffer<T> z = random_rows<T>(x.device(), sketch.seed, my_cols, k);
    kernels.subtract(z.view(loc.cols, k), e);
    residual[1] = largest_column<T>(kernels, e, over_rows);
  }
  // The sums were formed in different rows and columns of the grid: one result for all.
  everyone(x).all_reduce_max(std::span<double>(residual));
  return {residual[0], residual[1]};
}

#define CYCLADE_SKETCH(T)                                                      \
  template Sketch<T> take_sketch(const Matrix<T>&, Index, std::uint64_t);      \
  template Sketch<T> take_sketch(const BlockRows<T>&, Index, std::uint64_t);   \
  template SketchResidual sketch_residual(const Sketch<T>&, const Matrix<T>&); \
  template SketchResidual sketch_residual(const Sketch<T>&, const BlockRows<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SKETCH)

}  // namespace cyclade
