// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/report.hpp"

#include <cmath>
#include <limits>

namespace cyclade {
namespace {

double scaled(const Report& r, double residual) {
  const bool single = r.type == ScalarType::s || r.type == ScalarType::c;
  const double u = single ? static_cast<double>(unit_roundoff<float>) : unit_roundoff<double>;
  const double unit = static_cast<double>(r.n) * u * r.cond1;
  return unit > 0 ? residual / unit : 0;
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::automatic:
      return "automatic";
    case Method::gauss_jordan:
      return "gauss_jordan";
    case Method::schur:
      return "schur";
    case Method::schur_rows:
      return "schur_rows";
    case Method::cholesky:
      return "cholesky";
  }
  return "unknown";
}

std::string_view to_string(Structure structure) {
  switch (structure) {
    case Structure::general:
      return "general";
    case Structure::symmetric:
      return "symmetric";
    case Structure::hermitian:
      return "hermitian";
    case Structure::positive_definite:
      return "positive_definite";
  }
  return "unknown";
}

/// Kahan's summation: the error of the sum does not grow with the number of terms.
void LogDeterminant::add_log(double term) {
  const double corrected = term - carry_, sum = log_abs_ + corrected;
  carry_ = std::isfinite(sum) ? (sum - log_abs_) - corrected : 0;
  log_abs_ = sum;
}

LogDeterminant LogDeterminant::of_singular() {
  LogDeterminant zero;
  zero.log_abs_ = -std::numeric_limits<double>::infinity();
  zero.sign_ = 0;
  return zero;
}

LogDeterminant LogDeterminant::unknown() {
  LogDeterminant none;
  none.log_abs_ = std::numeric_limits<double>::quiet_NaN();
  none.sign_ = none.log_abs_;
  return none;
}

double Report::scaled_left() const { return scaled(*this, certificate.left); }
double Report::scaled_right() const { return scaled(*this, certificate.right); }

}  // namespace cyclade
