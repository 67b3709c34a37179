// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/schur.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cyclade/certify/diagnosis.hpp"
#include "cyclade/matrix/symmetry.hpp"

namespace cyclade {
namespace {

Index largest_part(const Axis& axis) {
  Index largest = 0;
  for (int rank = 0; rank < axis.ranks; ++rank) largest = std::max(largest, axis.local_size(rank));
  return largest;
}

/// Where a span is split: in the middle, or at the edge of a block of columns nearby, so that panels stay
/// whole.
Index middle_of(Range r, const Axis& cols) {
  const Index half = r.begin + r.size() / 2, block = cols.block_of(half);
  const Index before = block == 0 ? 0 : cols.first() + (block - 1) * cols.block, after = cols.block_end(half);
  const Index edge = half - before <= after - half ? before : after;
  return edge > r.begin && edge < r.end && std::abs(edge - half) <= r.size() / 8 ? edge : half;
}

/// Calls split(range, middle) and leaf(range) in the order of the recursion.
template <class Split, class Leaf>
void walk(Range r, Index largest_leaf, const Axis& cols, Split&& split, Leaf&& leaf) {
  if (r.size() <= largest_leaf) return leaf(r);
  const Index middle = middle_of(r, cols);
  walk({r.begin, middle}, largest_leaf, cols, split, leaf);
  split(r, middle);
  walk({middle, r.end}, largest_leaf, cols, split, leaf);
}

/// What the process that inverted a leaf tells the others: the column of a zero pivot, or -1; the largest
/// |re|+|im| of U and of the inverse; log|det| and its phase.
using Verdict = std::array<double, 6>;

template <Scalar T>
class SchurRecursion {
 public:
  SchurRecursion(const Matrix<T>& a, const SchurOptions& options, double largest_a, const Progress& progress,
                 Meter& meter, RecursionTelemetry& telemetry)
      : a_(a),
        kernels_(a.kernels()),
        grid_(a.grid()),
        options_(options),
        limit_(largest_a / std::sqrt(static_cast<double>(unit_roundoff<T>))),
        progress_(progress),
        meter_(meter),
        telemetry_(telemetry),
        leaf_(options.leaf > 0 ? options.leaf : default_leaf(a.rows(), grid_.p() * grid_.q())),
        summa_({options.transport, options.panel_bytes - options.panel_bytes / 4, &products_}) {}

  SweepResult run() {
    allocate();
    telemetry_.leaf = leaf_;
    invert({0, a_.rows()}, 0);
    share_norms();
    combine(telemetry_, products_, meter_.use("leaves").seconds, static_cast<Index>(sizeof(T)), grid_.all());
    return result_;
  }

 private:
  void allocate();
  bool invert(Range r, int depth);
  bool invert_leaf(Range r);
  bool form_complement(Range r, Index middle, int depth);
  void form_inverse(Range r, Index middle);
  Verdict invert_here(MatrixView<T> block) const;
  void share_norms();
  void advance(double flops);

  /// The process that inverts a leaf that begins at i: the one that holds the entry (i,i).
  std::pair<int, int> owner(Index i) const { return {a_.layout().rows.owner(i), a_.layout().cols.owner(i)}; }
  bool is_mine(Range r) const { return owner(r.begin) == std::pair(grid_.my_row(), grid_.my_col()); }
  /// It holds the leaf as a whole.
  bool is_whole(Range r) const {
    const auto on_one = [&](const Axis& axis) { return axis.ranks == 1 || axis.block_end(r.begin) >= r.end; };
    return on_one(a_.layout().rows) && on_one(a_.layout().cols);
  }

  Matrix<T> window(Range rows, Range cols) const {
    return a_.window({rows.begin, rows.end, cols.begin, cols.end});
  }
  /// The scratch window, dealt as that part of A.
  Matrix<T> scratch(Range rows, Range cols) const {
    const Layout part = a_.layout().sub({rows.begin, rows.end, cols.begin, cols.end});
    return {grid_, part, a_.device(), scratch_.data(),
            std::max<Index>(1, part.rows.local_size(grid_.my_row()))};
  }
  void run_products(std::initializer_list<Product<T>> products) { summa_.run(std::span(products)); }
  double squares(const Matrix<T>& x) const {
    std::vector<double> sums(static_cast<std::size_t>(x.local().cols));
    kernels_.column_squares(x.local(), sums);
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
  }

  const Matrix<T>& a_;
  const Kernels<T>& kernels_;
  const Grid& grid_;
  SchurOptions options_;
  double limit_;  // entries above it are too much growth
  const Progress& progress_;
  Meter& meter_;
  RecursionTelemetry& telemetry_;
  Index leaf_;
  Index leaf_budget_ = 0;  // bytes of the messages that bring a leaf to one process: what the panels leave
  MultiplyTelemetry products_;
  Summa<T> summa_;
  Buffer<T> scratch_;            // this rank's part of the largest A12 or A21; or a leaf that it is brought
  std::vector<double> squares_;  // for each node: of B, A22 and S, this rank's part of the sums
  Verdict verdict_{};
  SweepResult result_;
  double flops_ = 0;
};

/// All that the recursion will hold, before it begins: the panels of its largest products, too.
template <Scalar T>
void SchurRecursion<T>::allocate() {
  const auto& [rows, cols] = a_.layout();
  Index most = 0, largest_leaf = 0, height = 0, width = 0;
  walk(
      {0, a_.rows()}, leaf_, cols,
      [&](Range r, Index middle) {
        const auto size = [&](Range i, Range j) {
          return rows.to_local(i.begin, i.end, grid_.my_row()).size() *
                 cols.to_local(j.begin, j.end, grid_.my_col()).size();
        };
        const Range first{r.begin, middle}, second{middle, r.end};
        most = std::max({most, size(first, second), size(second, first)});
        for (const Range half : {first, second}) {
          height = std::max(height, largest_part(rows.sub(half.begin, half.end)));
          width = std::max(width, largest_part(cols.sub(half.begin, half.end)));
        }
      },
      [&](Range r) {
        if (is_mine(r) && !is_whole(r)) largest_leaf = std::max(largest_leaf, r.size());
      });
  most = std::max(most, largest_leaf * largest_leaf);  // leaves and products take turns
  agree(grid_.all(), [&] { scratch_ = Buffer<T>(a_.device(), most); });
  // Two factors of one side and one of the other, a step inside one block, a round of max(p,q) steps.
  const Index left = grid_.q() > 1 ? height : 0, right = grid_.p() > 1 ? width : 0;
  const Index step =
      std::min({std::max(rows.block, rows.first()), std::max(cols.block, cols.first()), a_.rows()});
  const Index budget = summa_.options().panel_bytes / static_cast<Index>(sizeof(T));
  const Index round = (left + right + std::max(left, right)) * step * std::max(grid_.p(), grid_.q());
  const Index words = std::min(budget, round);
  summa_.reserve(grid_, a_.device(), words);
  leaf_budget_ = std::max(options_.panel_bytes - words * static_cast<Index>(sizeof(T)), Index{1} << 12);
}

/// A[r,r] := its inverse. False, on all ranks, if there is none to be had this way.
template <Scalar T>
bool SchurRecursion<T>::invert(Range r, int depth) {
  if (r.size() <= leaf_) return r.empty() || invert_leaf(r);
  const Index middle = middle_of(r, a_.layout().cols);
  if (!invert({r.begin, middle}, depth + 1)) return false;
  if (!form_complement(r, middle, depth)) return false;
  if (!invert({middle, r.end}, depth + 1)) return false;
  form_inverse(r, middle);
  return true;
}

/// With A11 inverted: A12 := B, A21 := C, A22 := S.
template <Scalar T>
bool SchurRecursion<T>::form_complement(Range r, Index middle, int depth) {
  const Range i{r.begin, middle}, j{middle, r.end};
  const Matrix<T> a11 = window(i, i), a12 = window(i, j), a21 = window(j, i), a22 = window(j, j);
  const double before = squares(a22);
  {
    const auto scope = meter_.phase("products");
    const Matrix<T> b = scratch(i, j);
    run_products({{T(1), &a11, &a12, T(0), &b}});  // B = A11^-1 A12
    kernels_.copy(b.local(), a12.local());
    const Matrix<T> c = scratch(j, i);
    run_products({{T(1), &a21, &a11, T(0), &c},       // C = A21 A11^-1
                  {T(-1), &a21, &a12, T(1), &a22}});  // S = A22 - A21 B, and A21 travels once
    kernels_.copy(c.local(), a21.local());
    a_.device().synchronise();
  }
  const auto scope = meter_.phase("check");
  squares_.insert(squares_.end(), {squares(a12), before, squares(a22)});
  telemetry_.nodes.push_back({r, middle, depth});
  const double largest = grid_.all().max(static_cast<double>(kernels_.max_abs1(a22.local())));
  result_.largest = std::max(result_.largest, largest);
  if (!(largest <= limit_)) result_.status = Status::growth_too_large;
  const auto h = static_cast<double>(i.size()), w = static_cast<double>(j.size());
  advance(2 * h * w * (2 * h + w));
  return result_.status == Status::ok;
}

/// With S inverted: the rest of the inverse.
template <Scalar T>
void SchurRecursion<T>::form_inverse(Range r, Index middle) {
  const auto scope = meter_.phase("products");
  const Range i{r.begin, middle}, j{middle, r.end};
  const Matrix<T> a11 = window(i, i), a12 = window(i, j), a21 = window(j, i), a22 = window(j, j);
  const Matrix<T> u = scratch(i, j);
  run_products({{T(-1), &a12, &a22, T(0), &u}});  // A12 := -U = -B S^-1
  kernels_.copy(u.local(), a12.local());
  const Matrix<T> x21 = scratch(j, i);
  run_products({{T(-1), &a22, &a21, T(0), &x21},    // A21 := -S^-1 C
                {T(-1), &a12, &a21, T(1), &a11}});  // A11 := A11^-1 + U C, and C travels once
  kernels_.copy(x21.local(), a21.local());
  a_.device().synchronise();
  const auto h = static_cast<double>(i.size()), w = static_cast<double>(j.size());
  advance(2 * h * w * (2 * w + h));
}

/// A[r,r] := its inverse by one process, which has it already or is brought it; all learn the verdict.
template <Scalar T>
bool SchurRecursion<T>::invert_leaf(Range r) {
  const auto scope = meter_.phase("leaves");
  const auto [row, col] = owner(r.begin);
  const Layout on_one{{r.size(), r.size(), grid_.p(), row}, {r.size(), r.size(), grid_.q(), col}};
  const Matrix<T> part = window(r, r);
  if (is_whole(r)) {
    if (is_mine(r)) verdict_ = invert_here(part.local());
  } else {
    const Matrix<T> block(grid_, on_one, a_.device(), scratch_.data(), r.size());
    redistribute(grid_.all(), part, block, Op::none, leaf_budget_);
    if (is_mine(r)) verdict_ = invert_here(block.local());
    redistribute(grid_.all(), block, part, Op::none, leaf_budget_);
  }
  grid_.all().broadcast(std::span<double>(verdict_), grid_.rank_of(row, col));
  const auto [zero_pivot, largest_u, largest_x, log_abs, re, im] = verdict_;
  telemetry_.leaves.push_back({r, largest_x});
  result_.largest = std::max(result_.largest, largest_u);
  if (zero_pivot >= 0) {
    result_.status = Status::singular;
    result_.zero_pivot = r.begin + static_cast<Index>(zero_pivot);
    return false;
  }
  if (!(largest_u <= limit_) || !std::isfinite(largest_x)) {
    result_.status = Status::growth_too_large;
    return false;
  }
  result_.log_determinant.multiply_block(log_abs, {re, im});
  const auto size = static_cast<double>(r.size());
  advance(2 * size * size * size);
  return true;
}

template <Scalar T>
Verdict SchurRecursion<T>::invert_here(MatrixView<T> block) const {
  std::vector<T> pivots(static_cast<std::size_t>(block.rows));
  const BlockInversion<T> done = kernels_.invert(block, pivots);
  a_.device().synchronise();
  LogDeterminant determinant;
  for (const T& pivot : pivots) determinant.multiply(pivot);
  determinant.flip_sign(done.parity);
  const std::complex<double> sign = determinant.sign();
  return {static_cast<double>(done.zero_pivot),
          static_cast<double>(done.largest),
          done.zero_pivot < 0 ? static_cast<double>(kernels_.max_abs1(block)) : 0,
          determinant.log_abs(),
          sign.real(),
          sign.imag()};
}

/// The norms of all nodes, by one sum at the end.
template <Scalar T>
void SchurRecursion<T>::share_norms() {
  const auto scope = meter_.phase("check");
  grid_.all().all_reduce_sum(std::span(squares_));
  for (std::size_t k = 0; k < telemetry_.nodes.size(); ++k) {
    RecursionNode& node = telemetry_.nodes[k];
    node.norm_b = std::sqrt(squares_[3 * k]);
    node.norm_a22 = std::sqrt(squares_[3 * k + 1]);
    node.norm_s = std::sqrt(squares_[3 * k + 2]);
  }
}

template <Scalar T>
void SchurRecursion<T>::advance(double flops) {
  flops_ += flops;
  const auto n = static_cast<double>(a_.rows());
  if (progress_) progress_("recursion", std::min(1.0, flops_ / (2 * n * n * n)));
}

}  // namespace

Index default_leaf(Index n, int ranks) {
  const auto share =
      static_cast<Index>(static_cast<double>(n) / (4.5 * std::sqrt(static_cast<double>(ranks))));
  return std::max<Index>(share, 32);
}

template <Scalar T>
SweepResult schur(const Matrix<T>& a, const SchurOptions& options, double largest_a, const Progress& progress,
                  Meter& meter, RecursionTelemetry& telemetry) {
  return SchurRecursion<T>(a, options, largest_a, progress, meter, telemetry).run();
}

template <Scalar T>
Preflight preflight(const Matrix<T>& a) {
  const MatrixView<T> loc = a.local();
  const std::vector<double> row_sums = row_magnitudes(a);
  std::vector<double> column_sums(static_cast<std::size_t>(loc.cols));
  a.kernels().column_sums(loc, column_sums);
  a.grid().column().all_reduce_sum(std::span(column_sums));
  std::array<double, 2> margins;
  margins.fill(std::numeric_limits<double>::infinity());
  for (Index j = 0; j < loc.cols; ++j) {
    const Index i = a.global_col(j);
    if (a.layout().rows.owner(i) != a.grid().my_row()) continue;
    const auto diagonal = static_cast<double>(std::abs(loc(a.layout().rows.to_local(i), j)));
    margins[0] = std::min(margins[0], 2 * diagonal - row_sums[static_cast<std::size_t>(i)]);
    margins[1] = std::min(margins[1], 2 * diagonal - column_sums[static_cast<std::size_t>(j)]);
  }
  a.grid().all().all_reduce_min(std::span<double>(margins));
  const Index budget = std::max<Index>(a.rows() * a.rows() / (a.grid().p() * a.grid().q()) / 4, 1024);
  const double asymmetry = largest_asymmetry(a, Symmetry::hermitian, budget * static_cast<Index>(sizeof(T)));
  return {margins[0], margins[1], asymmetry};
}

#define CYCLADE_SCHUR(T)                                                                                \
  template SweepResult schur<T>(const Matrix<T>&, const SchurOptions&, double, const Progress&, Meter&, \
                                RecursionTelemetry&);                                                   \
  template Preflight preflight<T>(const Matrix<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SCHUR)

}  // namespace cyclade
