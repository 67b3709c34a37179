// The four scalar types: real and complex ones must mean the same by every name.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/base/scalar.hpp"

#include <gtest/gtest.h>

namespace cyclade {
namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

static_assert(Scalar<float> && Scalar<double> && Scalar<C> && Scalar<Z>);
static_assert(!Scalar<int> && !Scalar<long double> && !Scalar<std::complex<long double>>);
static_assert(std::same_as<Real<C>, float> && std::same_as<Real<Z>, double> &&
              std::same_as<Real<float>, float>);
static_assert(!is_complex<float> && !is_complex<double> && is_complex<C> && is_complex<Z>);
static_assert(scalar_type<float> == ScalarType::s && scalar_type<double> == ScalarType::d);
static_assert(scalar_type<C> == ScalarType::c && scalar_type<Z> == ScalarType::z);
static_assert(unit_roundoff<float> == 0x1p-24F && unit_roundoff<C> == 0x1p-24F);
static_assert(unit_roundoff<double> == 0x1p-53 && unit_roundoff<Z> == 0x1p-53);
static_assert(sizeof(Index) == 8);
static_assert(conjugate(Z(1, 2)) == Z(1, -2) && conjugate(-3.0) == -3.0);

template <class T>
class ScalarTest : public testing::Test {};
using Scalars = testing::Types<float, double, C, Z>;
TYPED_TEST_SUITE(ScalarTest, Scalars);

TYPED_TEST(ScalarTest, letter_size_and_type_belong_together) {
  using T = TypeParam;
  EXPECT_EQ(size_of(scalar_type<T>), static_cast<Index>(sizeof(T)));
  const bool same = with_scalar(scalar_type<T>, []<class S>() { return std::same_as<S, T>; });
  EXPECT_TRUE(same);
}

TYPED_TEST(ScalarTest, abs1_is_the_sum_of_the_parts) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    EXPECT_EQ(abs1(T(3, -4)), Real<T>(7));
    EXPECT_EQ(abs1(T(-3, 4)), Real<T>(7));
  } else {
    EXPECT_EQ(abs1(T(-3)), T(3));
  }
  EXPECT_EQ(abs1(T(0)), Real<T>(0));
}

TYPED_TEST(ScalarTest, is_finite_looks_at_both_parts) {
  using T = TypeParam;
  const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
  const Real<T> infinity = std::numeric_limits<Real<T>>::infinity();
  const Real<T> most = std::numeric_limits<Real<T>>::max();
  EXPECT_TRUE(is_finite(T(0)));
  EXPECT_TRUE(is_finite(T(most)));
  EXPECT_FALSE(is_finite(T(nan)));
  EXPECT_FALSE(is_finite(T(-infinity)));
  if constexpr (is_complex<T>) {
    EXPECT_TRUE(is_finite(T(most, most)));  // although |re| + |im| overflows
    EXPECT_FALSE(is_finite(T(0, nan)));
    EXPECT_FALSE(is_finite(T(0, infinity)));
  }
}

}  // namespace
}  // namespace cyclade
