// The course of a recursive Schur complement inversion, whatever the layout: it collects what leaves and
// Schur complements tell, sees when to stop, and tells all ranks the same.
//
//   leaf, inverted by one rank   --verdict-->  all ranks: go on, or singular, or too much growth
//   S, a part on every rank      --max|S|-->   all ranks: go on, or too much growth
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "cyclade/base/progress.hpp"
#include "cyclade/device/device.hpp"
#include "cyclade/inverse/gauss_jordan.hpp"
#include "cyclade/inverse/recursion.hpp"

namespace cyclade {

/// What the rank that inverted a leaf tells the others: the column of a zero pivot, or -1; the largest
/// |re|+|im| of U and of the inverse; log|det|, and its sign or phase.
using LeafVerdict = std::array<double, 6>;

/// A := A^-1, pivoted, on this rank alone. 2n^3 flops (x4 complex).
template <Scalar T>
LeafVerdict invert_leaf(Device& device, MatrixView<T> block);

/// Sum of |x_ij|^2.
template <Scalar T>
double sum_of_squares(const Kernels<T>& kernels, ConstMatrixView<T> x);

/// This rank's part of what is measured where a Schur complement is formed: sums of squares, max |re|+|im|.
struct ComplementPart {
  double b = 0, a22 = 0, s = 0;
  double largest_s = 0;
};

class Course {
 public:
  /// Of the inversion of an n x n matrix with max |re|+|im| = largest_a, in a precision of unit roundoff u:
  /// growth over u^-1/2 ends it. All must outlive the course.
  Course(const Communicator& all, Index n, double largest_a, double unit_roundoff, const Progress& progress,
         RecursionTelemetry& telemetry);

  /// `verdict` counts on the rank `owner`. False, on all ranks, if the inversion must stop. Collective: one
  /// broadcast.
  bool take_leaf(Range range, LeafVerdict verdict, int owner);
  /// A22 has become S. False, on all ranks, if the inversion must stop. Collective: one reduction.
  bool take_complement(Range range, Index middle, int depth, const ComplementPart& mine);
  /// Work that all ranks together have done since the last call: half of the flops of real arithmetic.
  void advance(double multiply_adds);
  /// Completes the telemetry. Collective.
  SweepResult finish(const MultiplyTelemetry& products, double leaf_seconds, Index word_bytes);

 private:
  const Communicator& all_;
  double n_;
  double limit_;  // entries above it are too much growth
  const Progress& progress_;
  RecursionTelemetry& telemetry_;
  std::vector<double> squares_;  // of each node: this rank's part of the sums
  double done_ = 0;
  SweepResult result_;
};

}  // namespace cyclade
