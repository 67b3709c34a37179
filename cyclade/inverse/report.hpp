// What an inversion tells: the same on every rank of the grid. Also the words for methods and structures.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cyclade/certify/certificate.hpp"
#include "cyclade/certify/diagnosis.hpp"
#include "cyclade/inverse/recursion.hpp"
#include "cyclade/mpi/grid.hpp"
#include "cyclade/mpi/meter.hpp"

namespace cyclade {

enum class Method {
  automatic,     ///< cholesky for a positive definite structure, else gauss_jordan
  gauss_jordan,  ///< in place, partial pivoting; any nonsingular matrix on any layout
  schur,         ///< recursive Schur complement on the 2-D layout; no pivoting between blocks
  schur_rows,    ///< the same on row slabs
  cholesky,      ///< Hermitian positive definite: half the work
};

/// What the caller promises about the matrix.
enum class Structure { general, symmetric, hermitian, positive_definite };

std::string_view to_string(Method method);
std::string_view to_string(Structure structure);

/// log|det A| and det A / |det A|. Of the empty matrix: 0 and 1. Of a singular one: minus infinity and 0.
class LogDeterminant {
 public:
  /// Takes one more factor of the determinant into account: a pivot.
  template <Scalar T>
  void multiply(const T& pivot) {
    const std::complex<double> p(pivot);
    const double size = std::abs(p);
    add_log(std::log(size));
    if (size > 0) sign_ *= p / size;
    if constexpr (is_complex<T>) sign_ /= std::abs(sign_);
  }
  /// The same for a block: log|det| of it, and its sign or phase.
  void multiply_block(double log_abs, std::complex<double> sign) {
    add_log(log_abs);
    sign_ *= sign;
    sign_ /= std::abs(sign_);
  }
  void flip_sign(int parity) { sign_ *= parity; }

  double log_abs() const { return log_abs_; }
  std::complex<double> sign() const { return sign_; }
  static LogDeterminant of_singular();
  /// Of a matrix whose elimination was broken off: not a number.
  static LogDeterminant unknown();

 private:
  void add_log(double term);  // compensated

  double log_abs_ = 0;
  double carry_ = 0;
  std::complex<double> sign_ = 1;
};

/// One phase of the run: the slowest rank's seconds, and the most that a rank received.
using PhaseReport = PhaseUse;

struct Report {
  Status status = Status::ok;
  bool in_grid = true;  ///< false on ranks that have no place in the grid: the rest means nothing there
  Index zero_pivot =
      -1;  ///< column of the first pivot that is exactly zero (singular), or order - 1 of the first
           ///< leading minor that is not positive (not_positive_definite); 0-based; -1: none
  Index bad_row = -1;  ///< first entry that is not a finite number (non_finite_input), 0-based
  Index bad_col = -1;

  Index n = 0;
  ScalarType type = ScalarType::d;
  Method method = Method::gauss_jordan;  ///< the one whose result this is
  std::optional<Method> fallback_from;   ///< the one that was tried first and did not do
  Status fallback_status = Status::ok;   ///< how that one ended
  Structure structure = Structure::general;
  GridShape grid;
  GridOrder order = GridOrder::row;
  Index row_block = 1;    ///< mb of the layout
  Index col_block = 1;    ///< nb of the layout
  Index panel_width = 0;  ///< columns that a step of the sweep eliminates at the most

  bool redistributed = false;  ///< done on a copy in wider blocks: see InvertOptions::copy_budget

  LogDeterminant log_determinant;
  double norm1_a = 0;  ///< ||A||_1
  double norm1_x = 0;  ///< ||X||_1
  double cond1 = 0;    ///< kappa_1 = ||A||_1 ||X||_1
  double growth = 1;   ///< largest entry met in the elimination / largest entry of A
  Certificate certificate;

  // What advice is made of; filled when the certificate is taken and something is doubtful
  double row_scale = 1;  ///< largest row of A over the smallest that is not zero (sums of moduli)
  double cond_skeel =
      0;  ///< || |X| |A| ||_inf: what scaling the rows would leave of the condition; 0: not needed
  NearDependence
      dependence;  ///< rows and columns of a numerically singular matrix that nearly depend on each other
  double sufficient_shift =
      0;  ///< A + s I is certainly positive definite for larger s (not_positive_definite)

  std::optional<RecursionTelemetry> recursion;  ///< of schur and schur_rows

  double seconds = 0;  ///< matrix in memory to inverse in memory, certificate included; the slowest rank
  double flops = 0;    ///< 2 n^3, or 8 n^3 complex: what the rate is counted from, whatever the method spends
  std::vector<PhaseReport> phases;
  Traffic traffic;         ///< the most that a rank received
  double words_model = 0;  ///< words a rank must receive by the formula of the method, on average
  Index matrix_bytes = 0;  ///< the largest local part
  Index peak_bytes = 0;  ///< the most that a rank held through its Device, the matrix included if it owns it

  /// Of the inversion: flops / seconds / 1e9.
  double gflops() const { return seconds > 0 ? flops / seconds / 1e9 : 0; }
  /// Certified residuals over n u ||A||_1 ||X||_1: 1 or less is what a backward stable method reaches.
  double scaled_left() const;
  double scaled_right() const;
};

}  // namespace cyclade
