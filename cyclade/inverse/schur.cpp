// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/schur.hpp"

#include <algorithm>
#include <cmath>

#include "cyclade/matrix/redistribute.hpp"

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

template <Scalar T>
class SchurRecursion {
 public:
  SchurRecursion(const Matrix<T>& a, const SchurOptions& options, double largest_a, const Progress& progress,
                 Meter& meter, RecursionTelemetry& telemetry)
      : a_(a),
        kernels_(a.kernels()),
        grid_(a.grid()),
        options_(options),
        meter_(meter),
        telemetry_(telemetry),
        leaf_(options.leaf > 0 ? options.leaf : default_leaf(a.rows(), grid_.p() * grid_.q())),
        course_(grid_.all(), a.rows(), largest_a, static_cast<double>(unit_roundoff<T>), progress, telemetry),
        summa_({options.transport, options.panel_bytes - options.panel_bytes / 4, &products_}) {}

  SweepResult run() {
    allocate();
    telemetry_.leaf = leaf_;
    invert({0, a_.rows()}, 0);
    const double leaf_seconds = meter_.use("leaves").seconds;
    const auto scope = meter_.phase("check");
    return course_.finish(products_, leaf_seconds, static_cast<Index>(sizeof(T)));
  }

 private:
  void allocate();
  bool invert(Range r, int depth);
  bool invert_leaf(Range r);
  bool form_complement(Range r, Index middle, int depth);
  void form_inverse(Range r, Index middle);

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
  double squares(const Matrix<T>& x) const { return sum_of_squares<T>(kernels_, x.local()); }

  const Matrix<T>& a_;
  const Kernels<T>& kernels_;
  const Grid& grid_;
  SchurOptions options_;
  Meter& meter_;
  RecursionTelemetry& telemetry_;
  Index leaf_;
  Index leaf_budget_ = 0;  // bytes of the messages that bring a leaf to one process: what the panels leave
  Course course_;
  MultiplyTelemetry products_;
  Summa<T> summa_;
  Buffer<T> scratch_;  // this rank's part of the largest A12 or A21; or a leaf that it is brought
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
  const auto h = static_cast<double>(i.size()), w = static_cast<double>(j.size());
  course_.advance(h * w * (2 * h + w));
  const auto largest = static_cast<double>(kernels_.max_abs1(a22.local()));
  return course_.take_complement(r, middle, depth, {squares(a12), before, squares(a22), largest});
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
  course_.advance(h * w * (2 * w + h));
}

/// A[r,r] := its inverse by one process, which has it already or is brought it; all learn the verdict.
template <Scalar T>
bool SchurRecursion<T>::invert_leaf(Range r) {
  const auto scope = meter_.phase("leaves");
  const auto [row, col] = owner(r.begin);
  const Layout on_one{{r.size(), r.size(), grid_.p(), row}, {r.size(), r.size(), grid_.q(), col}};
  const Matrix<T> part = window(r, r);
  LeafVerdict verdict{};
  if (is_whole(r)) {
    if (is_mine(r)) verdict = cyclade::invert_leaf(a_.device(), part.local());
  } else {
    const Matrix<T> block(grid_, on_one, a_.device(), scratch_.data(), r.size());
    redistribute(grid_.all(), part, block, Op::none, leaf_budget_);
    if (is_mine(r)) verdict = cyclade::invert_leaf(a_.device(), block.local());
    redistribute(grid_.all(), block, part, Op::none, leaf_budget_);
  }
  return course_.take_leaf(r, verdict, grid_.rank_of(row, col));
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

#define CYCLADE_SCHUR(T)                                                                                \
  template SweepResult schur<T>(const Matrix<T>&, const SchurOptions&, double, const Progress&, Meter&, \
                                RecursionTelemetry&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SCHUR)

}  // namespace cyclade
