// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/device/host.hpp"

#include <cblas.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

// LAPACK as its Fortran symbols: Debian's OpenBLAS comes without lapacke.h.
extern "C" {
void strtri_(const char* uplo, const char* diag, const int* n, float* a, const int* lda, int* info);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info);
void ctrtri_(const char* uplo, const char* diag, const int* n, std::complex<float>* a, const int* lda,
             int* info);
void ztrtri_(const char* uplo, const char* diag, const int* n, std::complex<double>* a, const int* lda,
             int* info);
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void cpotrf_(const char* uplo, const int* n, std::complex<float>* a, const int* lda, int* info);
void zpotrf_(const char* uplo, const int* n, std::complex<double>* a, const int* lda, int* info);
void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* ipiv, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void cgetrf_(const int* m, const int* n, std::complex<float>* a, const int* lda, int* ipiv, int* info);
void zgetrf_(const int* m, const int* n, std::complex<double>* a, const int* lda, int* ipiv, int* info);
void sgetri_(const int* n, float* a, const int* lda, const int* ipiv, float* work, const int* lwork,
             int* info);
void dgetri_(const int* n, double* a, const int* lda, const int* ipiv, double* work, const int* lwork,
             int* info);
void cgetri_(const int* n, std::complex<float>* a, const int* lda, const int* ipiv, std::complex<float>* work,
             const int* lwork, int* info);
void zgetri_(const int* n, std::complex<double>* a, const int* lda, const int* ipiv,
             std::complex<double>* work, const int* lwork, int* info);
}

namespace cyclade {
namespace {

int to_int(Index n) {
  return static_cast<int>(n);
}  // local extents fit: a rank's part has fewer than 2^31 rows

CBLAS_TRANSPOSE cblas(Op op) {
  return op == Op::none ? CblasNoTrans : op == Op::transpose ? CblasTrans : CblasConjTrans;
}
CBLAS_SIDE cblas(Side side) { return side == Side::left ? CblasLeft : CblasRight; }
CBLAS_UPLO cblas(Uplo uplo) { return uplo == Uplo::lower ? CblasLower : CblasUpper; }
CBLAS_DIAG cblas(Diag diag) { return diag == Diag::unit ? CblasUnit : CblasNonUnit; }

// Picks the routine of the type: real alpha and beta by value, complex ones by address.
template <class T, class S, class D, class C, class Z>
auto pick(S s, D d, C c, Z z) {
  if constexpr (scalar_type<T> == ScalarType::s) {
    return s;
  } else if constexpr (scalar_type<T> == ScalarType::d) {
    return d;
  } else if constexpr (scalar_type<T> == ScalarType::c) {
    return c;
  } else {
    return z;
  }
}
template <class T>
auto pass(const T& scalar) {
  if constexpr (is_complex<T>) {
    return static_cast<const void*>(&scalar);
  } else {
    return scalar;
  }
}

template <Scalar T>
void gemv_minus(ConstMatrixView<T> a, const T* x, T* y) {  // y -= A x
  const T minus(-1), one(1);
  const auto gemv = pick<T>(cblas_sgemv, cblas_dgemv, cblas_cgemv, cblas_zgemv);
  gemv(CblasColMajor, CblasNoTrans, to_int(a.rows), to_int(a.cols), pass(minus), a.data, to_int(a.ld), x, 1,
       pass(one), y, 1);
}

/// The largest |re| + |im|; infinity if there is a NaN. The pragma allows partial results side by side.
template <Scalar T>
Real<T> largest_abs1(const T* x, Index n) {
  Real<T> most = 0, nan = 0;  // x - x is 0 for a finite number, and stays NaN once it was
#pragma omp simd reduction(max : most) reduction(+ : nan)
  for (Index i = 0; i < n; ++i) {
    const Real<T> magnitude = abs1(x[i]);
    most = magnitude > most ? magnitude : most;
    nan += magnitude - magnitude;
  }
  return std::isnan(nan) ? std::numeric_limits<Real<T>>::infinity() : most;
}

/// The first of the largest entries: chunk by chunk, each looked into only if it holds a larger one.
template <Scalar T>
Candidate<T> search(const T* x, Index n) {
  constexpr Index chunk = 128;
  Candidate<T> best;
  for (Index begin = 0; begin < n; begin += chunk) {
    const Index end = std::min(begin + chunk, n);
    const Real<T> most = largest_abs1(x + begin, end - begin);
    if (!(most > best.magnitude)) continue;
    Index i = begin;
    while (abs1(x[i]) < most) ++i;  // ends at a NaN, too: it compares as infinite
    best = {most, i};
  }
  return best;
}

template <Scalar T>
double square(const T& x) {
  if constexpr (is_complex<T>) {
    const double re = static_cast<double>(x.real()), im = static_cast<double>(x.imag());
    return re * re + im * im;
  } else {
    return static_cast<double>(x) * static_cast<double>(x);
  }
}

/// |x| as a double; of complex numbers without the care of hypot() where the largest of a column shows that
/// no square can overflow.
template <Scalar T>
class ModulusOf {
 public:
  explicit ModulusOf(Real<T> largest)
      : plain_(largest < Real<T>(1e18) || (sizeof(T) == 16 && largest < 1e140)) {}
  double operator()(const T& x) const {
    if constexpr (is_complex<T>) {
      const double squares = square(x);
      // A tiny square has lost digits, or all of them.
      return plain_ && squares > 1e-280 ? std::sqrt(squares) : static_cast<double>(std::abs(x));
    } else {
      return static_cast<double>(std::abs(x));
    }
  }

 private:
  bool plain_;
};

template <Scalar T>
class HostKernels : public Kernels<T> {
  using Modulus = ModulusOf<T>;

 public:
  using View = MatrixView<T>;
  using ConstView = ConstMatrixView<T>;

  void gemm(Op op_a, Op op_b, T alpha, ConstView a, ConstView b, T beta, View c) const override {
    if (c.empty()) return;
    const Index depth = op_a == Op::none ? a.cols : a.rows;
    if (depth == 0) return beta == T(0) ? fill(c, T(0)) : scale(beta, c);
    const auto routine = pick<T>(cblas_sgemm, cblas_dgemm, cblas_cgemm, cblas_zgemm);
    routine(CblasColMajor, cblas(op_a), cblas(op_b), to_int(c.rows), to_int(c.cols), to_int(depth),
            pass(alpha), a.data, to_int(a.ld), b.data, to_int(b.ld), pass(beta), c.data, to_int(c.ld));
  }

  void trmm(Side side, Uplo uplo, Op op, Diag diag, T alpha, ConstView a, View b) const override {
    if (b.empty()) return;
    const auto routine = pick<T>(cblas_strmm, cblas_dtrmm, cblas_ctrmm, cblas_ztrmm);
    routine(CblasColMajor, cblas(side), cblas(uplo), cblas(op), cblas(diag), to_int(b.rows), to_int(b.cols),
            pass(alpha), a.data, to_int(a.ld), b.data, to_int(b.ld));
  }

  void trsm(Side side, Uplo uplo, Op op, Diag diag, T alpha, ConstView a, View b) const override {
    if (b.empty()) return;
    const auto routine = pick<T>(cblas_strsm, cblas_dtrsm, cblas_ctrsm, cblas_ztrsm);
    routine(CblasColMajor, cblas(side), cblas(uplo), cblas(op), cblas(diag), to_int(b.rows), to_int(b.cols),
            pass(alpha), a.data, to_int(a.ld), b.data, to_int(b.ld));
  }

  void herk(Uplo uplo, Real<T> alpha, ConstView v, Real<T> beta, View c) const override {
    if (c.empty()) return;
    const auto routine = pick<T>(cblas_ssyrk, cblas_dsyrk, cblas_cherk, cblas_zherk);
    routine(CblasColMajor, cblas(uplo), is_complex<T> ? CblasConjTrans : CblasTrans, to_int(c.rows),
            to_int(v.rows), alpha, v.data, to_int(v.ld), beta, c.data, to_int(c.ld));
  }

  void invert_triangle(Uplo uplo, Diag diag, View a) const override {
    if (a.empty()) return;
    const char u = static_cast<char>(uplo), d = static_cast<char>(diag);
    const int n = to_int(a.rows), ld = to_int(a.ld);
    int info = 0;  // > 0 only for a zero on the diagonal, which the caller excludes
    const auto routine = pick<T>(strtri_, dtrtri_, ctrtri_, ztrtri_);
    routine(&u, &d, &n, a.data, &ld, &info);
  }

  Index cholesky(View a) const override {
    if (a.empty()) return -1;
    const char lower = 'L';
    const int n = to_int(a.rows), ld = to_int(a.ld);
    int info = 0;
    const auto routine = pick<T>(spotrf_, dpotrf_, cpotrf_, zpotrf_);
    routine(&lower, &n, a.data, &ld, &info);
    if (info > 0) return info - 1;
    // A NaN passes some implementations: its pivot is then NaN, too.
    for (Index i = 0; i < a.rows; ++i)
      if (!(std::real(a(i, i)) > 0)) return i;
    return -1;
  }

  BlockInversion<T> invert(View a, std::span<T> pivots) const override {
    BlockInversion<T> result;
    if (a.empty()) return result;
    const int n = to_int(a.rows), ld = to_int(a.ld), work_size = 64 * n;
    std::vector<int> exchanged(pivots.size());
    int info = 0;
    pick<T>(sgetrf_, dgetrf_, cgetrf_, zgetrf_)(&n, &n, a.data, &ld, exchanged.data(), &info);
    if (info > 0) {
      result.zero_pivot = info - 1;
      return result;
    }
    for (Index k = 0; k < a.rows; ++k) {
      pivots[static_cast<std::size_t>(k)] = a(k, k);
      if (exchanged[static_cast<std::size_t>(k)] != k + 1) result.parity = -result.parity;
      result.largest = std::max(result.largest, max_abs1(a.sub(0, k + 1, k, k + 1)));
    }
    std::vector<T> work(static_cast<std::size_t>(work_size));
    pick<T>(sgetri_, dgetri_, cgetri_, zgetri_)(&n, a.data, &ld, exchanged.data(), work.data(), &work_size,
                                                &info);
    return result;
  }

  Candidate<T> update_and_search(View panel, Index c, const T* u) const override {
    if (panel.rows == 0) return {};
    T* column = panel.column(c);
    if (c > 0) gemv_minus<T>(panel.column_range(0, c), u, column);
    return search(column, panel.rows);
  }

  void divide(View x, T pivot) const override {
    // A complex quotient costs several products: multiply by the reciprocal where it is exact enough to be
    // safe.
    const Real<T> size = abs1(pivot), tiny = std::numeric_limits<Real<T>>::min() * 4;
    const bool by_reciprocal = is_complex<T> && size > tiny && size < 1 / tiny;
    const T reciprocal = by_reciprocal ? T(1) / pivot : T(0);
    for (Index j = 0; j < x.cols; ++j) {
      T* column = x.column(j);
      if (by_reciprocal) {
        for (Index i = 0; i < x.rows; ++i) column[i] = product(column[i], reciprocal);
      } else {
        for (Index i = 0; i < x.rows; ++i) column[i] /= pivot;
      }
    }
  }

  void copy(ConstView from, View to) const override {
    for (Index j = 0; j < to.cols; ++j) std::copy_n(from.column(j), to.rows, to.column(j));
  }

  void transpose(Op op, ConstView from, View to) const override {
    constexpr Index tile = 16;  // both sides of a tile stay in cache
    for (Index j0 = 0; j0 < to.cols; j0 += tile) {
      for (Index i0 = 0; i0 < to.rows; i0 += tile) {
        const Index j1 = std::min(j0 + tile, to.cols), i1 = std::min(i0 + tile, to.rows);
        for (Index j = j0; j < j1; ++j)
          for (Index i = i0; i < i1; ++i) to(i, j) = op == Op::conjugate ? conjugate(from(j, i)) : from(j, i);
      }
    }
  }

  void fill(View a, T value) const override {
    for (Index j = 0; j < a.cols; ++j) std::fill_n(a.column(j), a.rows, value);
  }

  void set_identity(View a) const override {
    fill(a, T(0));
    for (Index i = 0; i < a.rows; ++i) a(i, i) = T(1);
  }

  void gather_rows(ConstView from, std::span<const Index> rows, View to) const override {
    for (Index j = 0; j < to.cols; ++j) {
      const T* in = from.column(j);
      T* out = to.column(j);
      for (Index i = 0; i < to.rows; ++i) out[i] = in[rows[static_cast<std::size_t>(i)]];
    }
  }

  void scatter_rows(ConstView from, std::span<const Index> rows, View to) const override {
    for (Index j = 0; j < from.cols; ++j) {
      const T* in = from.column(j);
      T* out = to.column(j);
      for (Index i = 0; i < from.rows; ++i) out[rows[static_cast<std::size_t>(i)]] = in[i];
    }
  }

  void take_rows(View from, std::span<const Index> rows, View to) const override {
    // Every entry is a cache line of its own: the next columns' are asked for ahead.
    for (Index j = 0; j < to.cols; ++j) {
      T* in = from.column(j);
      T* ahead = from.column(std::min(j + 2, to.cols - 1));
      T* out = to.column(j);
      for (Index i = 0; i < to.rows; ++i) {
        const Index row = rows[static_cast<std::size_t>(i)];
        __builtin_prefetch(ahead + row, 1);
        out[i] = std::exchange(in[row], T(0));
      }
    }
  }

  void gather_columns(ConstView from, std::span<const Index> cols, View to) const override {
    for (Index j = 0; j < to.cols; ++j)
      std::copy_n(from.column(cols[static_cast<std::size_t>(j)]), to.rows, to.column(j));
  }

  void scatter_columns(ConstView from, std::span<const Index> cols, View to) const override {
    for (Index j = 0; j < from.cols; ++j)
      std::copy_n(from.column(j), from.rows, to.column(cols[static_cast<std::size_t>(j)]));
  }

  void scale(T alpha, View a) const override {
    for (Index j = 0; j < a.cols; ++j) {
      T* column = a.column(j);
      for (Index i = 0; i < a.rows; ++i) column[i] = product(alpha, column[i]);
    }
  }

  void subtract(ConstView a, View b) const override {
    for (Index j = 0; j < b.cols; ++j) {
      const T* from = a.column(j);
      T* to = b.column(j);
      for (Index i = 0; i < b.rows; ++i) to[i] -= from[i];
    }
  }

  Real<T> max_abs1(ConstView a) const override {
    Real<T> largest = 0;
    for (Index j = 0; j < a.cols; ++j) largest = std::max(largest, largest_abs1(a.column(j), a.rows));
    return largest;
  }

  Real<T> column_sums(ConstView a, std::span<double> sums) const override {
    Real<T> largest = 0;
    for (Index j = 0; j < a.cols; ++j) {
      const T* column = a.column(j);
      const Real<T> most = largest_abs1(column, a.rows);
      largest = std::max(largest, most);
      const Modulus modulus(most);
      double part[4] = {};  // four sums at a time: additions need not wait for each other
      Index i = 0;
      for (; i + 4 <= a.rows; i += 4)
        for (Index k = 0; k < 4; ++k) part[k] += modulus(column[i + k]);
      for (; i < a.rows; ++i) part[0] += modulus(column[i]);
      sums[static_cast<std::size_t>(j)] = (part[0] + part[1]) + (part[2] + part[3]);
    }
    return largest;
  }

  void absolute_product(ConstView a, std::span<const double> x, std::span<double> y) const override {
    std::fill(y.begin(), y.end(), 0.0);
    for (Index j = 0; j < a.cols; ++j) {
      const T* column = a.column(j);
      const Modulus modulus(max_abs1(a.column_range(j, j + 1)));
      const double factor = x[static_cast<std::size_t>(j)];
      for (Index i = 0; i < a.rows; ++i) y[static_cast<std::size_t>(i)] += modulus(column[i]) * factor;
    }
  }

  void column_squares(ConstView a, std::span<double> sums) const override {
    for (Index j = 0; j < a.cols; ++j) {
      double sum = 0;
      for (Index i = 0; i < a.rows; ++i) sum += square(a(i, j));
      sums[static_cast<std::size_t>(j)] = sum;
    }
  }

  Index first_non_finite(ConstView a) const override {
    for (Index j = 0; j < a.cols; ++j) {
      if (std::isfinite(max_abs1(a.column_range(j, j + 1)))) continue;
      for (Index i = 0; i < a.rows; ++i)
        if (!is_finite(a(i, j))) return i + j * a.rows;
    }
    return -1;
  }

 private:
  // The plain product: std::complex's own checks every one for NaN.
  static T product(const T& x, const T& y) {
    if constexpr (is_complex<T>) {
      return T(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
    } else {
      return x * y;
    }
  }
};

template <Scalar T>
const Kernels<T>& host_kernels() {
  static const HostKernels<T> kernels;  // stateless
  return kernels;
}

}  // namespace

HostDevice::HostDevice(int threads) {
  if (threads > 0) openblas_set_num_threads(threads);
}

const Kernels<float>& HostDevice::kernels_s() const { return host_kernels<float>(); }
const Kernels<double>& HostDevice::kernels_d() const { return host_kernels<double>(); }
const Kernels<std::complex<float>>& HostDevice::kernels_c() const {
  return host_kernels<std::complex<float>>();
}
const Kernels<std::complex<double>>& HostDevice::kernels_z() const {
  return host_kernels<std::complex<double>>();
}

BlasInfo blas_info() {
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const auto second = config.find(' ', config.find(' ') + 1);
  return {config.substr(0, second), openblas_get_corename(), openblas_get_num_threads()};
}

}  // namespace cyclade
