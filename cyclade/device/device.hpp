// The one seam below the algorithms: who owns memory, and who computes on blocks. An algorithm asks a Device
// for storage and for a dozen block operations; it never loops over entries itself. `host` calls BLAS and
// LAPACK, `reference` is the naive loops that `host` is tested against. Operations are enqueued:
// synchronise() before the CPU (or MPI) reads what they wrote. Calls are coarse, so virtual costs nothing.
//
//   Device -- allocate, release, memory()          once
//          -- kernels<T>(): gemm, trmm, ...        once for each of the four scalar types
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cyclade/base/matrix_view.hpp"

namespace cyclade {

enum class Op : char { none = 'N', transpose = 'T', conjugate = 'C' };
enum class Side : char { left = 'L', right = 'R' };
enum class Uplo : char { lower = 'L', upper = 'U' };
enum class Diag : char { non_unit = 'N', unit = 'U' };

/// The entry of a column that partial pivoting would choose.
template <class T>
struct Candidate {
  Real<T> magnitude = -1;  ///< |re| + |im|; NaN counts as infinity; -1: the column has no entries
  Index row = -1;          ///< its row; the smallest among equals
};

/// How inverting a block went. det A = parity * (product of the pivots).
template <class T>
struct BlockInversion {
  Index zero_pivot = -1;  ///< first column whose pivot is exactly zero; the block is then unspecified
  int parity = 1;         ///< of the row exchanges
  Real<T> largest = 0;    ///< largest |re| + |im| of U; infinite if there is a NaN
};

/// Block operations on one scalar type. Views may have any ld; an empty view is a no-op, except that beta
/// still scales C when k = 0. Shapes must agree: the caller is trusted.
template <Scalar T>
class Kernels {
 public:
  using View = MatrixView<T>;
  using ConstView = ConstMatrixView<T>;
  virtual ~Kernels() = default;

  // --- products and triangles (level 3 BLAS, LAPACK)
  /// C := alpha op(A) op(B) + beta C. 2mnk flops (x4 complex). beta = 0 never reads C.
  virtual void gemm(Op op_a, Op op_b, T alpha, ConstView a, ConstView b, T beta, View c) const = 0;
  /// B := alpha op(A) B (left) or alpha B op(A) (right), A triangular.
  virtual void trmm(Side side, Uplo uplo, Op op, Diag diag, T alpha, ConstView a, View b) const = 0;
  /// B := alpha op(A)^-1 B (left) or alpha B op(A)^-1 (right), A triangular.
  virtual void trsm(Side side, Uplo uplo, Op op, Diag diag, T alpha, ConstView a, View b) const = 0;
  /// C := alpha V^H V + beta C on the triangle of C that `uplo` names; the other is not touched. V is k x n,
  /// C n x n with a real diagonal, which it keeps. beta = 0 never reads C. k n^2 flops (x4 complex).
  virtual void herk(Uplo uplo, Real<T> alpha, ConstView v, Real<T> beta, View c) const = 0;
  /// A := A^-1, A triangular; the other triangle is not touched. The diagonal must not hold a zero.
  virtual void invert_triangle(Uplo uplo, Diag diag, View a) const = 0;
  /// A := L, the lower Cholesky factor of a Hermitian A of which only the lower triangle is read and written.
  /// Returns -1, or the order - 1 of the first leading minor that is not positive (then A is unspecified).
  virtual Index cholesky(View a) const = 0;

  /// A := A^-1, square, with partial pivoting: P A = L U and the inverse from L and U. 2n^3 flops (x4
  /// complex). pivots[j] := u_jj, length n.
  virtual BlockInversion<T> invert(View a, std::span<T> pivots) const = 0;

  // --- the pivot panel
  /// Brings column c of a panel up to date and searches it:
  /// panel[:,c] -= panel[:,0:c] * u, u of length c; returns the largest entry of the column.
  virtual Candidate<T> update_and_search(View panel, Index c, const T* u) const = 0;
  /// x := x / pivot for the entries of a column.
  virtual void divide(View x, T pivot) const = 0;

  // --- moving entries
  virtual void copy(ConstView from, View to) const = 0;
  /// to := from^T or from^H by `op`, which is not Op::none. `to` is from.cols x from.rows.
  virtual void transpose(Op op, ConstView from, View to) const = 0;
  virtual void fill(View a, T value) const = 0;
  /// A := I, square
  virtual void set_identity(View a) const = 0;
  /// to[i,:] := from[rows[i],:]
  virtual void gather_rows(ConstView from, std::span<const Index> rows, View to) const = 0;
  /// to[rows[i],:] := from[i,:]
  virtual void scatter_rows(ConstView from, std::span<const Index> rows, View to) const = 0;
  /// to[i,:] := from[rows[i],:], and from[rows[i],:] := 0, in one pass; no row twice
  virtual void take_rows(View from, std::span<const Index> rows, View to) const = 0;
  /// to[:,j] := from[:,cols[j]]
  virtual void gather_columns(ConstView from, std::span<const Index> cols, View to) const = 0;
  /// to[:,cols[j]] := from[:,j]
  virtual void scatter_columns(ConstView from, std::span<const Index> cols, View to) const = 0;
  /// A := alpha A
  virtual void scale(T alpha, View a) const = 0;
  /// B := B - A
  virtual void subtract(ConstView a, View b) const = 0;

  // --- parts of norms
  /// max |re|+|im|; 0 if empty; infinity if there is a NaN.
  virtual Real<T> max_abs1(ConstView a) const = 0;
  /// sums[j] := sum_i |a_ij| (moduli). Length cols. Returns max_abs1 of the same pass.
  virtual Real<T> column_sums(ConstView a, std::span<double> sums) const = 0;
  /// y[i] := sum_j |a_ij| x[j] (moduli). x has length cols, y length rows.
  virtual void absolute_product(ConstView a, std::span<const double> x, std::span<double> y) const = 0;
  /// sums[j] := sum_i |a_ij|^2. Length cols.
  virtual void column_squares(ConstView a, std::span<double> sums) const = 0;
  /// Position i + j*rows of the first entry, by columns, that is NaN or infinite; -1 if none is.
  virtual Index first_non_finite(ConstView a) const = 0;
};

/// Bytes that a device has handed out: now, and at the most since reset_peak().
struct MemoryUse {
  Index current = 0;
  Index peak = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual std::string name() const = 0;
  /// 64-byte aligned storage for matrices and messages. Throws MemoryError naming the bytes.
  void* allocate(std::size_t bytes);
  void release(void* data, std::size_t bytes) noexcept;
  const MemoryUse& memory() const { return memory_; }
  void reset_peak() { memory_.peak = memory_.current; }
  /// Until this returns, results of enqueued operations must not be read elsewhere.
  virtual void synchronise() {}

  template <Scalar T>
  const Kernels<T>& kernels() const;

 protected:
  virtual void* allocate_bytes(std::size_t bytes) = 0;  ///< nullptr when there is none
  virtual void release_bytes(void* data, std::size_t bytes) noexcept = 0;
  virtual const Kernels<float>& kernels_s() const = 0;
  virtual const Kernels<double>& kernels_d() const = 0;
  virtual const Kernels<std::complex<float>>& kernels_c() const = 0;
  virtual const Kernels<std::complex<double>>& kernels_z() const = 0;

 private:
  MemoryUse memory_;
};

template <>
inline const Kernels<float>& Device::kernels<float>() const {
  return kernels_s();
}
template <>
inline const Kernels<double>& Device::kernels<double>() const {
  return kernels_d();
}
template <>
inline const Kernels<std::complex<float>>& Device::kernels<std::complex<float>>() const {
  return kernels_c();
}
template <>
inline const Kernels<std::complex<double>>& Device::kernels<std::complex<double>>() const {
  return kernels_z();
}

}  // namespace cyclade
