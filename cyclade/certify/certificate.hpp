// Is X the inverse of A, and to how many digits? A randomised proof: with k standard normal vectors and
// m = max_i ||(I - XA) z_i||_2, the true ||I - XA||_2 exceeds alpha m with a probability of at most
//
//   (sqrt(2/pi) / alpha)^k  for real,    alpha^(-2k)  for complex matrices     (alpha = 10: below 1e-10 with
//   10 and 6 vectors)
//
// and the same for I - AX. From r = ||I - XA||_2 < 1 it follows that A is nonsingular and that X has a
// relative error of at most r. The scaled residual alone proves nothing: a singular matrix can have a small
// one, but never r < 1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "cyclade/certify/sketch.hpp"

namespace cyclade {

/// How an inversion ended. Equal on all ranks.
enum class Status {
  ok,                     ///< the inverse, with its certificate
  singular,               ///< a pivot was exactly zero: the matrix has no inverse
  numerically_singular,   ///< so close to a singular matrix that no digit can be certified in this precision
  not_positive_definite,  ///< stated to be positive definite, and is not
  non_finite_input,       ///< the matrix holds a NaN or an infinity
  growth_too_large,       ///< the elimination lost its accuracy to growing intermediate entries
  certificate_failed,     ///< the result is wrong and none of the above explains it: a fault, or corruption
};

/// "ok", "singular", ...: the words of the JSON report.
std::string_view to_string(Status status);

/// Bounds that hold with a probability of at least `confidence`.
struct Certificate {
  bool taken = false;     ///< false: not asked for; the rest means nothing then
  double left = 0;        ///< r_L >= ||I - XA||_2
  double right = 0;       ///< r_R >= ||I - AX||_2
  double tolerance = 0;   ///< t: what rounding explains; both bounds must stay below it
  double confidence = 0;  ///< 1 - the probability that one of the two bounds is exceeded
  int digits = 0;         ///< floor(-log10(min(r_L, r_R))): correct decimal digits of X, in norm
};

/// The safety factor alpha between what was measured and what is claimed.
inline constexpr double certificate_alpha = 10;

/// Vectors with which both bounds hold with a probability of at least 1 - 2e-10.
template <Scalar T>
inline constexpr Index certificate_vectors = is_complex<T> ? 6 : 10;

/// What rounding may leave of a right inverse: t = 10 max(n,8) u kappa max(1, growth).
template <Scalar T>
double residual_tolerance(Index n, double cond1, double growth);

/// The certificate of X from the sketch of A. Collective over its ranks; 4 n^2 k/P flops (x4 complex).
/// cond1 = ||A||_1 ||X||_1; growth as measured by the method (1 if it has none).
template <Dealt M>
Certificate certify(const Sketch<typename M::Element>& sketch, const M& x, double cond1, double growth);

/// The verdict on a finished elimination that met no zero pivot: ok if both bounds are below t and the
/// smaller is below 1/2; otherwise the first explanation that holds. Local.
template <Scalar T>
Status decide(const Certificate& certificate, Index n, double cond1, double growth);

}  // namespace cyclade
