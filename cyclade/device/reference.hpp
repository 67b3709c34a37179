// The operations of a Device as loops that can be checked by eye. Slow; what `host` is tested against, and
// the device whose results do not depend on how an optimised BLAS splits its work.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/device/host_memory.hpp"

namespace cyclade {

template <Scalar T>
class ReferenceKernels : public Kernels<T> {
 public:
  using View = MatrixView<T>;
  using ConstView = ConstMatrixView<T>;
  void gemm(Op op_a, Op op_b, T alpha, ConstView a, ConstView b, T beta, View c) const override;
  void trmm(Side side, Uplo uplo, Op op, Diag diag, T alpha, ConstView a, View b) const override;
  void trsm(Side side, Uplo uplo, Op op, Diag diag, T alpha, ConstView a, View b) const override;
  void herk(Uplo uplo, Real<T> alpha, ConstView v, Real<T> beta, View c) const override;
  void invert_triangle(Uplo uplo, Diag diag, View a) const override;
  Index cholesky(View a) const override;
  BlockInversion<T> invert(View a, std::span<T> pivots) const override;
  Candidate<T> update_and_search(View panel, Index c, const T* u) const override;
  void divide(View x, T pivot) const override;
  void copy(ConstView from, View to) const override;
  void transpose(Op op, ConstView from, View to) const override;
  void fill(View a, T value) const override;
  void set_identity(View a) const override;
  void gather_rows(ConstView from, std::span<const Index> rows, View to) const override;
  void scatter_rows(ConstView from, std::span<const Index> rows, View to) const override;
  void take_rows(View from, std::span<const Index> rows, View to) const override;
  void gather_columns(ConstView from, std::span<const Index> cols, View to) const override;
  void scatter_columns(ConstView from, std::span<const Index> cols, View to) const override;
  void scale(T alpha, View a) const override;
  void subtract(ConstView a, View b) const override;
  Real<T> max_abs1(ConstView a) const override;
  Real<T> column_sums(ConstView a, std::span<double> sums) const override;
  void absolute_product(ConstView a, std::span<const double> x, std::span<double> y) const override;
  void column_squares(ConstView a, std::span<double> sums) const override;
  Index first_non_finite(ConstView a) const override;
};

class ReferenceDevice : public HostMemory {
 public:
  std::string name() const override { return "reference"; }

 protected:
  const Kernels<float>& kernels_s() const override { return s_; }
  const Kernels<double>& kernels_d() const override { return d_; }
  const Kernels<std::complex<float>>& kernels_c() const override { return c_; }
  const Kernels<std::complex<double>>& kernels_z() const override { return z_; }

 private:
  ReferenceKernels<float> s_;
  ReferenceKernels<double> d_;
  ReferenceKernels<std::complex<float>> c_;
  ReferenceKernels<std::complex<double>> z_;
};

}  // namespace cyclade
