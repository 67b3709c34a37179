// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/course.hpp"

#include <algorithm>
#include <cmath>

namespace cyclade {

template <Scalar T>
LeafVerdict invert_leaf(Device& device, MatrixView<T> block) {
  const Kernels<T>& kernels = device.template kernels<T>();
  std::vector<T> pivots(static_cast<std::size_t>(block.rows));
  const BlockInversion<T> done = kernels.invert(block, pivots);
  device.synchronise();
  LogDeterminant determinant;
  for (const T& pivot : pivots) determinant.multiply(pivot);
  determinant.flip_sign(done.parity);
  const std::complex<double> sign = determinant.sign();
  return {static_cast<double>(done.zero_pivot),
          static_cast<double>(done.largest),
          done.zero_pivot < 0 ? static_cast<double>(kernels.max_abs1(block)) : 0,
          determinant.log_abs(),
          sign.real(),
          sign.imag()};
}

template <Scalar T>
double sum_of_squares(const Kernels<T>& kernels, ConstMatrixView<T> x) {
  std::vector<double> sums(static_cast<std::size_t>(x.cols));
  kernels.column_squares(x, sums);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

Course::Course(const Communicator& all, Index n, double largest_a, double unit_roundoff,
               const Progress& progress, RecursionTelemetry& telemetry)
    : all_(all),
      n_(static_cast<double>(n)),
      limit_(largest_a / std::sqrt(unit_roundoff)),
      progress_(progress),
      telemetry_(telemetry) {}

bool Course::take_leaf(Range range, LeafVerdict verdict, int owner) {
  all_.broadcast(std::span<double>(verdict), owner);
  const auto [zero_pivot, largest_u, largest_x, log_abs, re, im] = verdict;
  telemetry_.leaves.push_back({range, largest_x});
  result_.largest = std::max(result_.largest, largest_u);
  if (zero_pivot >= 0) {
    result_.status = Status::singular;
    result_.zero_pivot = range.begin + static_cast<Index>(zero_pivot);
    return false;
  }
  if (!(largest_u <= limit_) || !std::isfinite(largest_x)) {
    result_.status = Status::growth_too_large;
    return false;
  }
  result_.log_determinant.multiply_block(log_abs, {re, im});
  const auto size = static_cast<double>(range.size());
  advance(size * size * size);
  return true;
}

bool Course::take_complement(Range range, Index middle, int depth, const ComplementPart& mine) {
  squares_.insert(squares_.end(), {mine.b, mine.a22, mine.s});
  telemetry_.nodes.push_back({range, middle, depth});
  const double largest = all_.max(mine.largest_s);
  result_.largest = std::max(result_.largest, largest);
  if (!(largest <= limit_)) result_.status = Status::growth_too_large;
  return result_.status == Status::ok;
}

void Course::advance(double multiply_adds) {
  done_ += multiply_adds;
  if (progress_) progress_("recursion", std::min(1.0, done_ / (n_ * n_ * n_)));
}

/// The norms of all nodes by one sum, here at the end: nothing waits for them.
SweepResult Course::finish(const MultiplyTelemetry& products, double leaf_seconds, Index word_bytes) {
  all_.all_reduce_sum(std::span(squares_));
  for (std::size_t k = 0; k < telemetry_.nodes.size(); ++k) {
    RecursionNode& node = telemetry_.nodes[k];
    node.norm_b = std::sqrt(squares_[3 * k]);
    node.norm_a22 = std::sqrt(squares_[3 * k + 1]);
    node.norm_s = std::sqrt(squares_[3 * k + 2]);
  }
  combine(telemetry_, products, leaf_seconds, word_bytes, all_);
  return result_;
}

#define CYCLADE_COURSE(T)                                      \
  template LeafVerdict invert_leaf<T>(Device&, MatrixView<T>); \
  template double sum_of_squares<T>(const Kernels<T>&, ConstMatrixView<T>);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_COURSE)

}  // namespace cyclade
