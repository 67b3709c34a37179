// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cyclade/base/random.hpp"

namespace cyclade {
namespace {

std::vector<Index> global_indices(const Axis& axis, int rank) {
  std::vector<Index> ids(static_cast<std::size_t>(axis.local_size(rank)));
  for (std::size_t l = 0; l < ids.size(); ++l) ids[l] = axis.to_global(static_cast<Index>(l), rank);
  return ids;
}

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

/// max_i ||e_i||_2 over the columns of a matrix whose rows are dealt over `comm`; a NaN counts as infinity.
template <Scalar T>
double largest_column(const Kernels<T>& kernels, ConstMatrixView<T> e, const Communicator& comm) {
  std::vector<double> squares(static_cast<std::size_t>(e.cols));
  kernels.column_squares(e, squares);
  comm.all_reduce_sum(std::span(squares));
  double largest = 0;
  for (const double s : squares)
    largest = std::max(largest, std::isnan(s) ? std::numeric_limits<double>::infinity() : s);
  return std::sqrt(largest);
}

}  // namespace

template <Scalar T>
Sketch<T> take_sketch(const Matrix<T>& a, Index vectors, std::uint64_t seed) {
  const auto& grid = a.grid();
  const auto& kernels = a.kernels();
  const MatrixView<T> loc = a.local();
  const Index n = a.rows(), k = vectors;
  const auto row_ids = global_indices(a.layout().rows, grid.my_row());
  const auto col_ids = global_indices(a.layout().cols, grid.my_col());
  Sketch<T> sketch{k, seed, Buffer<T>(a.device(), n * k), Buffer<T>(a.device(), k * n)};
  const MatrixView<T> az = sketch.az.view(n, k), za = sketch.za.view(k, n);
  kernels.fill(az, T(0));
  kernels.fill(za, T(0));

  // Every rank adds its part to the rows of B and the columns of C that it meets; the sum over the grid is
  // whole.
  const Buffer<T> part(a.device(), std::max(loc.rows, loc.cols) * k);
  {
    const Buffer<T> z = random_rows<T>(a.device(), seed, col_ids, k);
    const MatrixView<T> product = part.view(loc.rows, k);
    kernels.gemm(Op::none, Op::none, T(1), loc, z.view(loc.cols, k), T(0), product);
    kernels.scatter_rows(product, row_ids, az);
  }
  {
    const Buffer<T> z = random_rows<T>(a.device(), seed, row_ids, k);
    const MatrixView<T> product = part.view(k, loc.cols);
    kernels.gemm(Op::conjugate, Op::none, T(1), z.view(loc.rows, k), loc, T(0), product);
    kernels.scatter_columns(product, col_ids, za);
  }
  a.device().synchronise();
  grid.all().all_reduce_sum(sketch.az.span());
  grid.all().all_reduce_sum(sketch.za.span());
  return sketch;
}

template <Scalar T>
SketchResidual sketch_residual(const Sketch<T>& sketch, const Matrix<T>& x) {
  const auto& grid = x.grid();
  const auto& kernels = x.kernels();
  const MatrixView<T> loc = x.local();
  const Index n = x.rows(), k = sketch.vectors;
  const auto row_ids = global_indices(x.layout().rows, grid.my_row());
  const auto col_ids = global_indices(x.layout().cols, grid.my_col());
  const Buffer<T> gathered(x.device(), std::max(loc.rows, loc.cols) * k);
  const Buffer<T> product(x.device(), std::max(loc.rows, loc.cols) * k);
  double residual[2];
  {
    // E = X B - Z: rows of this process row, summed over it
    const MatrixView<T> b = gathered.view(loc.cols, k), e = product.view(loc.rows, k);
    kernels.gather_rows(sketch.az.view(n, k), col_ids, b);
    kernels.gemm(Op::none, Op::none, T(1), loc, b, T(0), e);
    x.device().synchronise();
    grid.row().all_reduce_sum(product.span().first(static_cast<std::size_t>(loc.rows * k)));
    const Buffer<T> z = random_rows<T>(x.device(), sketch.seed, row_ids, k);
    kernels.subtract(z.view(loc.rows, k), e);
    residual[0] = largest_column<T>(kernels, e, grid.column());
  }
  {
    // (C X - Z^H)^H = X^H C^H - Z: rows are the columns of this process column, summed over it
    const MatrixView<T> c = gathered.view(k, loc.rows), e = product.view(loc.cols, k);
    kernels.gather_columns(sketch.za.view(k, n), row_ids, c);
    kernels.gemm(Op::conjugate, Op::conjugate, T(1), loc, c, T(0), e);
    x.device().synchronise();
    grid.column().all_reduce_sum(product.span().first(static_cast<std::size_t>(loc.cols * k)));
    const Buffer<T> z = random_rows<T>(x.device(), sketch.seed, col_ids, k);
    kernels.subtract(z.view(loc.cols, k), e);
    residual[1] = largest_column<T>(kernels, e, grid.row());
  }
  // The sums were formed in different rows and columns of the grid: one result for all.
  grid.all().all_reduce_max(std::span<double>(residual));
  return {residual[0], residual[1]};
}

#define CYCLADE_SKETCH(T)                                                    \
  template Sketch<T> take_sketch<T>(const Matrix<T>&, Index, std::uint64_t); \
  template SketchResidual sketch_residual<T>(const Sketch<T>&, const Matrix<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SKETCH)

}  // namespace cyclade
