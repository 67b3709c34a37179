// Every operation of `host` against the loops of `reference`, over awkward shapes, leading dimensions and all
// letters; and the loops themselves against what they are said to compute.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/device/reference.hpp"

namespace cyclade {
namespace {

/// A matrix with a larger leading dimension; what lies between the columns must stay as it is.
template <Scalar T>
struct Padded {
  Padded(Index m, Index n, std::uint64_t seed)
      : rows(m), cols(n), data(static_cast<std::size_t>((m + 3) * n + 1)) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = uniform<T>(seed, static_cast<Index>(i), 0);
  }
  MatrixView<T> view() { return {data.data(), rows, cols, rows + 3}; }
  Index rows, cols;
  std::vector<T> data;
};

template <Scalar T>
void expect_near(const Padded<T>& a, const Padded<T>& b, double scale) {
  ASSERT_EQ(a.data.size(), b.data.size());
  const double tolerance = 100 * static_cast<double>(unit_roundoff<T>) * scale;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    const bool padding =
        static_cast<Index>(i) % (a.rows + 3) >= a.rows || static_cast<Index>(i) >= (a.rows + 3) * a.cols;
    ASSERT_LE(std::abs(a.data[i] - b.data[i]), padding ? 0 : tolerance) << i;
  }
}

template <class T>
class KernelsOf : public testing::Test {
 protected:
  HostDevice host_device;
  ReferenceDevice reference_device;
  const Kernels<T>& host = host_device.kernels<T>();
  const Kernels<T>& reference = reference_device.kernels<T>();

  /// Runs f(kernels, output) on both and compares the outputs.
  template <class F>
  void compare(Index m, Index n, double scale, F&& f) {
    Padded<T> one(m, n, 7), other(m, n, 7);
    f(host, one.view());
    f(reference, other.view());
    expect_near(one, other, scale);
  }
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(KernelsOf, Scalars);

constexpr Op ops[] = {Op::none, Op::transpose, Op::conjugate};
constexpr Index sizes[] = {0, 1, 2, 7, 64, 65};

TYPED_TEST(KernelsOf, gemm) {
  using T = TypeParam;
  for (const Op oa : ops) {
    for (const Op ob : ops) {
      for (const Index m : sizes) {
        for (const Index n : {0, 1, 5}) {
          for (const Index k : {0, 1, 9}) {
            Padded<T> a(oa == Op::none ? m : k, oa == Op::none ? k : m, 1),
                b(ob == Op::none ? k : n, ob == Op::none ? n : k, 2);
            for (const T beta : {T(0), T(1), T(-2)}) {
              this->compare(m, n, 20, [&](const Kernels<T>& kernels, MatrixView<T> c) {
                kernels.gemm(oa, ob, T(3), a.view(), b.view(), beta, c);
              });
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(KernelsOf, gemm_with_beta_zero_never_reads_c) {
  using T = TypeParam;
  Padded<T> a(3, 0, 1), b(0, 2, 2);
  for (const Index depth : {0, 4}) {
    Padded<T> left(3, depth, 1), right(depth, 2, 2);
    for (const Kernels<T>* kernels : {&this->host, &this->reference}) {
      Padded<T> c(3, 2, 5);
      this->reference.fill(c.view(), T(std::numeric_limits<Real<T>>::quiet_NaN()));
      kernels->gemm(Op::none, Op::none, T(1), left.view(), right.view(), T(0), c.view());
      EXPECT_TRUE(std::isfinite(this->reference.max_abs1(c.view())));
    }
  }
}

TYPED_TEST(KernelsOf, triangles) {
  using T = TypeParam;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    for (const Diag diag : {Diag::unit, Diag::non_unit}) {
      for (const Index n : {0, 1, 2, 7, 65}) {
        Padded<T> a(n, n, 3);
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < n; ++j) a.view()(i, j) *= static_cast<Real<T>>(0.1);
          a.view()(i, i) = T(2);
        }
        for (const Op op : ops) {
          for (const Side side : {Side::left, Side::right}) {
            for (const Index other : {0, 1, 6}) {
              const Index m = side == Side::left ? n : other, k = side == Side::left ? other : n;
              this->compare(m, k, 20, [&](const Kernels<T>& kernels, MatrixView<T> b) {
                kernels.trmm(side, uplo, op, diag, T(-2), a.view(), b);
              });
              this->compare(m, k, 20, [&](const Kernels<T>& kernels, MatrixView<T> b) {
                kernels.trsm(side, uplo, op, diag, T(-2), a.view(), b);
              });
              // solving undoes multiplying
              Padded<T> there(m, k, 9), and_back(m, k, 9);
              this->reference.trmm(side, uplo, op, diag, T(1), a.view(), and_back.view());
              this->reference.trsm(side, uplo, op, diag, T(1), a.view(), and_back.view());
              expect_near(there, and_back, 20);
            }
          }
        }
        Padded<T> one = a, other = a, product(n, n, 4);
        this->host.invert_triangle(uplo, diag, one.view());
        this->reference.invert_triangle(uplo, diag, other.view());
        expect_near(one, other, 20);
        this->reference.set_identity(product.view());  // T^-1 (T I) = I
        this->reference.trmm(Side::left, uplo, Op::none, diag, T(1), a.view(), product.view());
        this->reference.trmm(Side::left, uplo, Op::none, diag, T(1), other.view(), product.view());
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < n; ++i) EXPECT_LE(std::abs(product.view()(i, j) - T(i == j ? 1 : 0)), 1e-5);
      }
    }
  }
}

TYPED_TEST(KernelsOf, triangles_never_read_their_other_half) {
  using T = TypeParam;
  const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
  for (const Kernels<T>* kernels : {&this->host, &this->reference}) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      for (const Diag diag : {Diag::unit, Diag::non_unit}) {
        for (const Index n : {2, 7, 65}) {
          Padded<T> a(n, n, 3);
          for (Index j = 0; j < n; ++j) {
            for (Index i = 0; i < n; ++i) {
              const bool held = uplo == Uplo::lower ? i > j : i < j;
              a.view()(i, j) = i == j ? (diag == Diag::unit ? nan : T(2)) : held ? T(Real<T>(0.01)) : nan;
            }
          }
          for (const Op op : ops) {
            for (const Side side : {Side::left, Side::right}) {
              Padded<T> b(n, n, 5);
              kernels->trmm(side, uplo, op, diag, T(1), a.view(), b.view());
              kernels->trsm(side, uplo, op, diag, T(1), a.view(), b.view());
              EXPECT_EQ(kernels->first_non_finite(b.view()), -1);
            }
          }
          kernels->invert_triangle(uplo, diag, a.view());
          for (Index j = 0; j < n; ++j) {
            for (Index i = 0; i < n; ++i) {
              const bool held = i == j ? diag == Diag::non_unit : uplo == Uplo::lower ? i > j : i < j;
              EXPECT_EQ(is_finite(a.view()(i, j)), held) << i << "," << j;  // neither read nor written
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(KernelsOf, herk_on_one_triangle) {
  using T = TypeParam;
  using R = Real<T>;
  const T nan(std::numeric_limits<R>::quiet_NaN());
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    for (const Index n : sizes) {
      for (const Index k : {0, 1, 9}) {
        Padded<T> v(k, n, 3);
        for (const R beta : {R(0), R(1), R(-2)}) {
          this->compare(n, n, 20, [&](const Kernels<T>& kernels, MatrixView<T> c) {
            for (Index j = 0; j < n; ++j) c(j, j) = std::real(c(j, j));
            kernels.herk(uplo, R(-3), v.view(), beta, c);
          });
        }
        // The triangle of V^H V; the other one is not looked at, nor is C where beta = 0
        Padded<T> c(n, n, 5), product(n, n, 5);
        this->reference.fill(c.view(), nan);
        this->host.herk(uplo, R(1), v.view(), R(0), c.view());
        this->reference.gemm(Op::conjugate, Op::none, T(1), v.view(), v.view(), T(0), product.view());
        for (Index j = 0; j < n; ++j) {
          for (Index i = 0; i < n; ++i) {
            const bool named = i == j || (i > j) == (uplo == Uplo::lower);
            EXPECT_EQ(std::isnan(std::real(c.view()(i, j))), !named);
            if (named) {
              EXPECT_LE(std::abs(c.view()(i, j) - product.view()(i, j)), 1e-4);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(KernelsOf, cholesky) {
  using T = TypeParam;
  for (const Index n : {1, 2, 7, 65}) {
    const auto definite = [&](MatrixView<T> a, Index bad) {
      for (Index j = 0; j < n; ++j)
        for (Index i = j; i < n; ++i)
          a(i, j) = i == j ? T(static_cast<Real<T>>(i == bad ? -1 : 2 * n)) : uniform<T>(1, i, j);
    };
    this->compare(n, n, 20, [&](const Kernels<T>& kernels, MatrixView<T> a) {
      definite(a, -1);
      EXPECT_EQ(kernels.cholesky(a), -1);
      kernels.fill(a.sub(0, n > 1 ? n - 1 : 0, n > 1 ? n - 1 : 0, n), T(0));
    });
    for (const Kernels<T>* kernels : {&this->host, &this->reference}) {
      Padded<T> a(n, n, 1);
      definite(a.view(), n / 2);
      EXPECT_EQ(kernels->cholesky(a.view()), n / 2);
    }
  }
}

TYPED_TEST(KernelsOf, invert) {
  using T = TypeParam;
  for (const Index n : {0, 1, 2, 7, 40}) {
    Padded<T> a(n, n, 3), product(n, n, 4);
    for (Index i = 0; i < n; ++i)
      a.view()(i, (i + 1) % n) += T(static_cast<Real<T>>(3 * n));  // the pivots are not on the diagonal
    for (const Kernels<T>* kernels : {&this->host, &this->reference}) {
      Padded<T> x = a;
      std::vector<T> pivots(static_cast<std::size_t>(n), T(9));
      const BlockInversion<T> result = kernels->invert(x.view(), pivots);
      EXPECT_EQ(result.zero_pivot, -1);
      EXPECT_EQ(result.parity, n > 0 && n % 2 == 0 ? -1 : 1);  // of the cycle i -> i+1
      this->reference.gemm(Op::none, Op::none, T(1), x.view(), a.view(), T(0), product.view());
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i) EXPECT_LE(std::abs(product.view()(i, j) - T(i == j ? 1 : 0)), 2e-5);
      Real<T> largest = 0;
      for (const T& pivot : pivots) largest = std::max(largest, abs1(pivot));
      EXPECT_GE(result.largest, largest);
    }
    std::vector<T> one(static_cast<std::size_t>(n)), other(one);
    this->compare(n, n, 100, [&](const Kernels<T>& kernels, MatrixView<T> x) {
      kernels.copy(a.view(), x);
      kernels.invert(x, &kernels == &this->host ? one : other);
    });
    for (std::size_t i = 0; i < one.size(); ++i)
      EXPECT_LE(std::abs(one[i] - other[i]), 1000 * unit_roundoff<T> * std::abs(other[i]));
  }
  for (const Kernels<T>* kernels : {&this->host, &this->reference}) {
    // det [[0,2],[3,0]] = -6
    std::vector<T> a{T(0), T(3), T(2), T(0)}, pivots(2);
    const auto result = kernels->invert({a.data(), 2, 2}, pivots);
    EXPECT_EQ(pivots[0] * pivots[1] * T(static_cast<Real<T>>(result.parity)), T(-6));
    EXPECT_EQ(result.largest, Real<T>(3));
    a = {T(1), T(2), T(2), T(4)};
    EXPECT_EQ(kernels->invert({a.data(), 2, 2}, pivots).zero_pivot, 1);
    a = {T(1), T(2), T(std::numeric_limits<Real<T>>::quiet_NaN()), T(4)};
    EXPECT_EQ(kernels->invert({a.data(), 2, 2}, pivots).largest, std::numeric_limits<Real<T>>::infinity());
  }
}

TYPED_TEST(KernelsOf, update_and_search) {
  using T = TypeParam;
  using R = Real<T>;
  for (const Index m : sizes) {
    for (const Index c : {0, 1, 3}) {
      const std::vector<T> u{T(1), T(-2), T(3)};
      this->compare(m, 4, 20, [&](const Kernels<T>& kernels, MatrixView<T> panel) {
        kernels.update_and_search(panel, c, u.data());
      });
    }
  }
  for (const Kernels<T>* kernels : {&this->host, &this->reference}) {
    std::vector<T> column{T(1), T(-3), T(3), T(2)};
    const auto best = kernels->update_and_search({column.data(), 4, 1}, 0, nullptr);
    EXPECT_EQ(best.row, 1);  // of equals the first
    EXPECT_EQ(best.magnitude, R(3));
    column[2] = T(std::numeric_limits<R>::quiet_NaN());
    const auto infinite = kernels->update_and_search({column.data(), 4, 1}, 0, nullptr);
    EXPECT_EQ(infinite.row, 2);
    EXPECT_EQ(infinite.magnitude, std::numeric_limits<R>::infinity());
    EXPECT_EQ(kernels->update_and_search({column.data(), 0, 1}, 0, nullptr).row, -1);
  }
}

TYPED_TEST(KernelsOf, division_is_right_also_at_the_ends_of_the_range) {
  using T = TypeParam;
  using R = Real<T>;
  for (const R size : {R(3), std::numeric_limits<R>::min(), std::numeric_limits<R>::max() / 8}) {
    T pivot(size);
    if constexpr (is_complex<T>) pivot = T(size / 2, -size / 4);
    for (const Kernels<T>* kernels : {&this->host, &this->reference}) {
      T x = pivot * R(0.5);
      kernels->divide({&x, 1, 1}, pivot);
      EXPECT_LE(std::abs(x - T(R(0.5))), 10 * unit_roundoff<T>);
    }
  }
}

TYPED_TEST(KernelsOf, moving_entries) {
  using T = TypeParam;
  Padded<T> from(7, 6, 3);
  const std::vector<Index> rows{6, 0, 3}, cols{5, 2};
  this->compare(7, 6, 0, [&](const Kernels<T>& k, MatrixView<T> to) { k.copy(from.view(), to); });
  this->compare(7, 6, 0, [&](const Kernels<T>& k, MatrixView<T> to) { k.fill(to, T(4)); });
  this->compare(6, 6, 0, [&](const Kernels<T>& k, MatrixView<T> to) { k.set_identity(to); });
  this->compare(3, 6, 0,
                [&](const Kernels<T>& k, MatrixView<T> to) { k.gather_rows(from.view(), rows, to); });
  this->compare(7, 6, 4, [&](const Kernels<T>& k, MatrixView<T> left_behind) {
    Padded<T> taken(3, 6, 2), gathered(3, 6, 2);
    this->reference.gather_rows(left_behind, rows, gathered.view());
    k.take_rows(left_behind, rows, taken.view());
    for (Index j = 0; j < 6; ++j) {
      for (Index i = 0; i < 3; ++i) {
        EXPECT_EQ(taken.view()(i, j), gathered.view()(i, j));
        EXPECT_EQ(left_behind(rows[static_cast<std::size_t>(i)], j), T(0));
      }
    }
  });
  this->compare(8, 6, 0, [&](const Kernels<T>& k, MatrixView<T> to) {
    k.scatter_rows(from.view().row_range(0, 3), rows, to);
  });
  this->compare(7, 2, 0,
                [&](const Kernels<T>& k, MatrixView<T> to) { k.gather_columns(from.view(), cols, to); });
  this->compare(7, 9, 0, [&](const Kernels<T>& k, MatrixView<T> to) {
    k.scatter_columns(from.view().column_range(0, 2), cols, to);
  });
  this->compare(6, 7, 0,
                [&](const Kernels<T>& k, MatrixView<T> to) { k.transpose(Op::conjugate, from.view(), to); });
  this->compare(6, 7, 0,
                [&](const Kernels<T>& k, MatrixView<T> to) { k.transpose(Op::transpose, from.view(), to); });
  this->compare(7, 6, 4, [&](const Kernels<T>& k, MatrixView<T> to) { k.scale(T(-3), to); });
  this->compare(7, 6, 4, [&](const Kernels<T>& k, MatrixView<T> to) { k.subtract(from.view(), to); });
  Padded<T> gathered(3, 6, 1);
  this->reference.gather_rows(from.view(), rows, gathered.view());
  for (Index i = 0; i < 3; ++i)
    EXPECT_EQ(gathered.view()(i, 4), from.view()(rows[static_cast<std::size_t>(i)], 4));
  Padded<T> turned(6, 7, 1);
  this->reference.transpose(Op::conjugate, from.view(), turned.view());
  EXPECT_EQ(turned.view()(5, 2), conjugate(from.view()(2, 5)));
}

TYPED_TEST(KernelsOf, parts_of_norms) {
  using T = TypeParam;
  using R = Real<T>;
  for (const Index m : sizes) {
    Padded<T> a(m, 5, 8);
    std::vector<double> one(5), other(5), y_one(static_cast<std::size_t>(m)), y_other = y_one;
    const std::vector<double> x{1, 2, 3, 4, 5};
    EXPECT_EQ(this->host.max_abs1(a.view()), this->reference.max_abs1(a.view()));
    EXPECT_EQ(this->host.column_sums(a.view(), one), this->reference.column_sums(a.view(), other));
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(one[j], other[j], 1e-5);
    this->host.column_squares(a.view(), one);
    this->reference.column_squares(a.view(), other);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(one[j], other[j], 1e-5);
    this->host.absolute_product(a.view(), x, y_one);
    this->reference.absolute_product(a.view(), x, y_other);
    for (std::size_t i = 0; i < y_one.size(); ++i) EXPECT_NEAR(y_one[i], y_other[i], 1e-5);
    EXPECT_EQ(this->host.first_non_finite(a.view()), -1);
  }
  for (const Kernels<T>* kernels : {&this->host, &this->reference}) {
    Padded<T> a(6, 4, 8);
    a.view()(4, 2) = T(std::numeric_limits<R>::quiet_NaN());
    a.view()(1, 3) = T(std::numeric_limits<R>::infinity());
    EXPECT_EQ(kernels->first_non_finite(a.view()), 4 + 2 * 6);
    EXPECT_EQ(kernels->max_abs1(a.view()), std::numeric_limits<R>::infinity());
    // Sums of huge and of tiny moduli neither overflow nor vanish early.
    for (const R size : {std::numeric_limits<R>::max() / 16, std::numeric_limits<R>::min()}) {
      T entry(size);
      if constexpr (is_complex<T>) entry = T(size, size);
      double sum = 0;
      EXPECT_EQ(kernels->column_sums({&entry, 1, 1}, std::span(&sum, 1)), abs1(entry));
      EXPECT_NEAR(sum / static_cast<double>(size), is_complex<T> ? std::sqrt(2.0) : 1.0, 1e-6);
    }
  }
}

}  // namespace
}  // namespace cyclade
