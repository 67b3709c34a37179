// Random numbers that depend on where they stand, not on when they are drawn: entry (i,j) of a random matrix
// is a function of (seed, i, j) alone, so every grid builds the same matrix, and any part can be made again.
//
// The function is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3,
// SC'11): ten rounds of a 128-bit block cipher with the counter (i,j) and the key `seed`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "cyclade/base/scalar.hpp"

namespace cyclade {

/// Philox4x32-10: four 32-bit words from a 128-bit counter and a 64-bit key.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Two independent uniform numbers in the open interval (0,1), for entry (i,j) of stream `seed`; 52 bits
/// each.
constexpr std::array<double, 2> uniform_pair(std::uint64_t seed, Index i, Index j) {
  const auto a = static_cast<std::uint64_t>(i), b = static_cast<std::uint64_t>(j);
  const auto bits = philox({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32),
                            static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(b >> 32)},
                           {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const auto unit = [](std::uint32_t high, std::uint32_t low) {
    const std::uint64_t word =
        (std::uint64_t{high} << 32 | low) >> 12;  // 52 bits, then the middle of its cell
    return (static_cast<double>(word) + 0.5) * 0x1p-52;
  };
  return {unit(bits[0], bits[1]), unit(bits[2], bits[3])};
}

/// Uniform in (-1,1), to the precision of T; both parts of a complex number are.
template <Scalar T>
constexpr T uniform(std::uint64_t seed, Index i, Index j) {
  const auto u = uniform_pair(seed, i, j);
  const auto real = static_cast<Real<T>>(2 * u[0] - 1), imag = static_cast<Real<T>>(2 * u[1] - 1);
  if constexpr (is_complex<T>) {
    return T(real, imag);
  } else {
    (void)imag;
    return real;
  }
}

/// Standard normal: E|x|^2 = 1, real and imaginary parts independent (Box and Muller 1958).
template <Scalar T>
T gaussian(std::uint64_t seed, Index i, Index j) {
  const auto u = uniform_pair(seed, i, j);
  const double angle = 2 * std::numbers::pi * u[1];
  if constexpr (is_complex<T>) {
    const double radius = std::sqrt(-std::log(u[0]));
    return T(static_cast<Real<T>>(radius * std::cos(angle)), static_cast<Real<T>>(radius * std::sin(angle)));
  } else {
    return static_cast<T>(std::sqrt(-2 * std::log(u[0])) * std::cos(angle));
  }
}

}  // namespace cyclade
