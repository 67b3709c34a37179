// Entries that make products exact in every scalar type, so that results are compared to the bit.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/base/scalar.hpp"

namespace cyclade::test {

/// A small integer (both parts of a complex number are), different for each of several matrices `which`.
template <Scalar T>
T integer_entry(int which, Index i, Index j) {
  const auto part = [&](Index salt) {
    return static_cast<Real<T>>((i * 7 + j * 5 + i * j + which * 3 + salt) % 9 - 4);
  };
  if constexpr (is_complex<T>) {
    return T(part(0), part(4));
  } else {
    return part(0);
  }
}

/// beta c + alpha sum_k a(k) b(k); with beta = 0, c is not looked at.
template <Scalar T, class A, class B>
T expected_entry(T alpha, T beta, T c, Index k_begin, Index k_end, A&& a, B&& b) {
  T sum(0);
  for (Index k = k_begin; k < k_end; ++k) sum += a(k) * b(k);
  return beta == T(0) ? alpha * sum : beta * c + alpha * sum;
}

}  // namespace cyclade::test
