// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/certify/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cyclade {
namespace {

/// Correct digits that a bound r on the relative error proves; never more than the precision has.
template <Scalar T>
int digits_of(double r) {
  const int most = static_cast<int>(-std::log10(static_cast<double>(unit_roundoff<T>)));
  if (!(r < 1)) return 0;
  return r <= static_cast<double>(unit_roundoff<T>)
             ? most
             : std::min(most, static_cast<int>(std::floor(-std::log10(r))));
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::singular:
      return "singular";
    case Status::numerically_singular:
      return "numerically_singular";
    case Status::not_positive_definite:
      return "not_positive_definite";
    case Status::non_finite_input:
      return "non_finite_input";
    case Status::growth_too_large:
      return "growth_too_large";
    case Status::certificate_failed:
      return "certificate_failed";
  }
  return "unknown";
}

template <Scalar T>
double residual_tolerance(Index n, double cond1, double growth) {
  return 10 * static_cast<double>(std::max<Index>(n, 8)) * static_cast<double>(unit_roundoff<T>) * cond1 *
         std::max(1.0, growth);
}

template <Dealt M>
Certificate certify(const Sketch<typename M::Element>& sketch, const M& x, double cond1, double growth) {
  using T = typename M::Element;
  const SketchResidual e = sketch_residual(sketch, x);
  const double alpha = certificate_alpha;
  const double per_vector = is_complex<T> ? 1 / (alpha * alpha) : std::sqrt(2 / std::numbers::pi) / alpha;
  Certificate c;
  c.taken = true;
  c.left = alpha * e.left;
  c.right = alpha * e.right;
  c.tolerance = residual_tolerance<T>(x.rows(), cond1, growth);
  c.confidence = 1 - 2 * std::pow(per_vector, static_cast<double>(sketch.vectors));
  c.digits = digits_of<T>(std::min(c.left, c.right));
  return c;
}

template <Scalar T>
Status decide(const Certificate& c, Index n, double cond1, double growth) {
  const auto u = static_cast<double>(unit_roundoff<T>);
  const bool good = c.left <= c.tolerance && c.right <= c.tolerance && std::min(c.left, c.right) < 0.5;
  if (good) return Status::ok;
  if (static_cast<double>(std::max<Index>(n, 8)) * u * cond1 >= 0.1) return Status::numerically_singular;
  if (growth > 1 / std::sqrt(u)) return Status::growth_too_large;
  return Status::certificate_failed;
}

#define CYCLADE_CERTIFICATE(T)                                                         \
  template double residual_tolerance<T>(Index, double, double);                        \
  template Certificate certify(const Sketch<T>&, const Matrix<T>&, double, double);    \
  template Certificate certify(const Sketch<T>&, const BlockRows<T>&, double, double); \
  template Status decide<T>(const Certificate&, Index, double, double);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_CERTIFICATE)

}  // namespace cyclade
