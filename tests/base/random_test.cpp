// Philox against the known answers that its authors publish with Random123, and the distributions by their
// moments. Nothing here is random: the same numbers come every time.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/base/random.hpp"

#include <gtest/gtest.h>

namespace cyclade {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Random123, kat_vectors: zeros, ones, and the digits of pi.
static_assert(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
              Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

// The first 52 of 64 bits, then the middle of the cell.
static_assert(uniform_pair(0, 0, 0)[0] == (static_cast<double>(0x6627e8d5e169cULL) + 0.5) * 0x1p-52);
static_assert(uniform_pair(0, 0, 0)[1] == (static_cast<double>(0xbc57ac4c9b00dULL) + 0.5) * 0x1p-52);

// All 64 bits of the seed and of both indices count, and i and j are not the same thing.
static_assert(uniform_pair(1, 2, 3) == uniform_pair(1, 2, 3));
static_assert(uniform_pair(1, 2, 3) != uniform_pair(1, 3, 2));
static_assert(uniform_pair(1, 2, 3) != uniform_pair(1 + (std::uint64_t{1} << 32), 2, 3));
static_assert(uniform_pair(1, 2, 3) != uniform_pair(1, 2 + (Index{1} << 32), 3));
static_assert(uniform_pair(1, 2, 3) != uniform_pair(1, 2, 3 + (Index{1} << 32)));

template <class T>
class Random : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Random, Scalars);

/// Means over n x n entries of f(value).
template <class T, class F>
double mean(Index n, F&& f) {
  double sum = 0;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) sum += f(i, j);
  return sum / static_cast<double>(n * n);
}

constexpr Index n = 300;               // 90 000 entries: the mean of them varies by 1/300
constexpr double allowed = 5.0 / 300;  // five standard deviations of a variable of variance 1

TYPED_TEST(Random, uniform_has_the_moments_of_the_uniform_distribution) {
  using T = TypeParam;
  const auto re = [](Index i, Index j) { return static_cast<double>(std::real(uniform<T>(5, i, j))); };
  const auto im = [](Index i, Index j) { return static_cast<double>(std::imag(uniform<T>(5, i, j))); };
  EXPECT_NEAR(mean<T>(n, re), 0, allowed);
  EXPECT_NEAR(mean<T>(n, [&](Index i, Index j) { return re(i, j) * re(i, j); }), 1.0 / 3, allowed);
  EXPECT_NEAR(mean<T>(n, [&](Index i, Index j) { return re(i, j) * re(i, j + 1); }), 0, allowed);
  EXPECT_NEAR(mean<T>(n, [&](Index i, Index j) { return re(i, j) * re(i + 1, j); }), 0, allowed);
  EXPECT_EQ(mean<T>(n, [&](Index i, Index j) { return std::abs(re(i, j)) <= 1; }), 1);
  if constexpr (is_complex<T>) {
    EXPECT_NEAR(mean<T>(n, im), 0, allowed);
    EXPECT_NEAR(mean<T>(n, [&](Index i, Index j) { return im(i, j) * im(i, j); }), 1.0 / 3, allowed);
    EXPECT_NEAR(mean<T>(n, [&](Index i, Index j) { return re(i, j) * im(i, j); }), 0, allowed);
  }
}

TYPED_TEST(Random, gaussian_has_the_moments_of_the_normal_distribution) {
  using T = TypeParam;
  const auto re = [](Index i, Index j) { return static_cast<double>(std::real(gaussian<T>(6, i, j))); };
  const auto im = [](Index i, Index j) { return static_cast<double>(std::imag(gaussian<T>(6, i, j))); };
  const double variance = is_complex<T> ? 0.5 : 1;  // of the real part: E|x|^2 = 1
  const auto power = [&](int p) {
    return mean<T>(n, [&](Index i, Index j) { return std::pow(re(i, j), p); });
  };
  EXPECT_NEAR(power(1), 0, allowed);
  EXPECT_NEAR(power(2), variance, allowed * std::sqrt(2.0));
  EXPECT_NEAR(power(3), 0, allowed * std::sqrt(15.0));
  EXPECT_NEAR(power(4), 3 * variance * variance, allowed * std::sqrt(96.0));
  if constexpr (is_complex<T>) {
    EXPECT_NEAR(mean<T>(n, im), 0, allowed);
    EXPECT_NEAR(mean<T>(n, [&](Index i, Index j) { return im(i, j) * im(i, j); }), 0.5, allowed);
    EXPECT_NEAR(mean<T>(n, [&](Index i, Index j) { return re(i, j) * im(i, j); }), 0, allowed);
  }
}

TYPED_TEST(Random, an_entry_depends_on_its_place_alone) {
  using T = TypeParam;
  const T before = gaussian<T>(9, 123456789012, 7);
  for (Index i = 0; i < 10; ++i) (void)gaussian<T>(9, i, i);
  EXPECT_EQ(gaussian<T>(9, 123456789012, 7), before);
  EXPECT_NE(gaussian<T>(10, 123456789012, 7), before);
  EXPECT_NE(gaussian<T>(9, 7, 123456789012), before);
}

TEST(RandomTypes, the_types_round_the_same_numbers) {
  for (Index i = 0; i < 100; ++i) {
    EXPECT_EQ(uniform<float>(3, i, 2), static_cast<float>(uniform<double>(3, i, 2)));
    EXPECT_EQ(uniform<std::complex<double>>(3, i, 2).real(), uniform<double>(3, i, 2));
  }
}

}  // namespace
}  // namespace cyclade
