// What a number is: the four scalar types of BLAS and LAPACK, their real parts, and the few functions that
// must mean the same for real and complex. Everything is constexpr or inline; nothing here allocates.
//
//   letter   s       d        c                    z
//   type     float   double   complex<float>       complex<double>
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>

namespace cyclade {

/// Every global or local index and every count of matrix entries. Ranks are `int`.
using Index = std::int64_t;

/// The four types that a matrix may hold.
template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>>;

namespace detail {
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
}  // namespace detail

/// `float` for `float` and `complex<float>`, `double` for the other two.
template <class T>
using Real = typename detail::RealOf<T>::type;

template <class T>
inline constexpr bool is_complex = !std::same_as<T, Real<T>>;

/// The LAPACK letter of a scalar type.
enum class ScalarType : char { s = 'S', d = 'D', c = 'C', z = 'Z' };

template <Scalar T>
inline constexpr ScalarType scalar_type = is_complex<T> ? (sizeof(T) == 8 ? ScalarType::c : ScalarType::z)
                                                        : (sizeof(T) == 4 ? ScalarType::s : ScalarType::d);

/// Bytes of one entry of the given type.
constexpr Index size_of(ScalarType type) {
  switch (type) {
    case ScalarType::s:
      return 4;
    case ScalarType::d:
      return 8;
    case ScalarType::c:
      return 8;
    case ScalarType::z:
      return 16;
  }
  return 0;
}

/// Calls `f.template operator()<T>()` with the T that the letter stands for.
template <class F>
decltype(auto) with_scalar(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::s:
      return f.template operator()<float>();
    case ScalarType::c:
      return f.template operator()<std::complex<float>>();
    case ScalarType::z:
      return f.template operator()<std::complex<double>>();
    case ScalarType::d:
      break;
  }
  return f.template operator()<double>();
}

/// Unit roundoff u: 2^-24 or 2^-53, half the distance from 1 to the next number.
template <class T>
inline constexpr Real<T> unit_roundoff = std::numeric_limits<Real<T>>::epsilon() / 2;

/// Complex conjugate; a real number is its own.
template <Scalar T>
constexpr T conjugate(const T& x) {
  if constexpr (is_complex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

/// |re| + |im|: the magnitude that BLAS and LAPACK pivot by. Within sqrt(2) of the modulus, and no square
/// root.
template <Scalar T>
inline Real<T> abs1(const T& x) {
  if constexpr (is_complex<T>) {
    return std::abs(x.real()) + std::abs(x.imag());
  } else {
    return std::abs(x);
  }
}

template <Scalar T>
inline bool is_finite(const T& x) {
  if constexpr (is_complex<T>) {
    return std::isfinite(x.real()) && std::isfinite(x.imag());
  } else {
    return std::isfinite(x);
  }
}

}  // namespace cyclade

/// Explicit instantiation for the four scalar types: `CYCLADE_FOR_EACH_SCALAR(M)` expands M(T) for each.
#define CYCLADE_FOR_EACH_SCALAR(M) \
  M(float)                         \
  M(double)                        \
  M(std::complex<float>)           \
  M(std::complex<double>)
