// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/symmetry.hpp"

#include <algorithm>
#include <limits>

namespace cyclade {
namespace {

Op op_of(Symmetry symmetry) { return symmetry == Symmetry::hermitian ? Op::conjugate : Op::transpose; }

/// Calls f(slab, image, r0) for slabs of rows of the triangle `target` (with the blocks on the diagonal):
/// `image` has the layout of `slab` and holds what the other triangle says about the same entries. r0: the
/// first global row and column of an upper slab (lower: the slab's rows start at r0, its columns at 0 and end
/// at r1).
template <Scalar T, class F>
void for_each_slab(const Matrix<T>& a, Uplo target, Symmetry symmetry, Index budget_bytes, F&& f) {
  const Index n = a.rows();
  const Index held = budget_bytes / 2 / static_cast<Index>(sizeof(T));  // half for the image, half to move it
  const Index ranks = a.grid().p() * a.grid().q();
  const Index depth = std::clamp<Index>(held / std::max<Index>(1, n) * ranks, 1, std::max<Index>(1, n));
  for (Index r0 = 0; r0 < n; r0 += depth) {
    const Index r1 = std::min(r0 + depth, n);
    const Window here = target == Uplo::upper ? Window{r0, r1, r0, n} : Window{r0, r1, 0, r1};
    const Window there{here.j0, here.j1, here.i0, here.i1};
    const Matrix<T> slab = a.window(here);
    const Matrix<T> image(a.grid(), slab.layout(), a.device());
    redistribute(a.grid().all(), a.window(there), image, op_of(symmetry), budget_bytes / 2);
    if (symmetry == Symmetry::skew) a.kernels().scale(T(-1), image.local());
    f(slab, image, here);
  }
}

/// Calls f(column of slab, column of image, j) with the rows strictly inside the triangle, contiguous for
/// every local column.
template <Scalar T, class F>
void for_each_column(const Matrix<T>& slab, const Matrix<T>& image, const Window& here, Uplo target, F&& f) {
  const Index rows = slab.rows();
  for (Index j = 0; j < slab.local().cols; ++j) {
    const Index diagonal =
        here.j0 + slab.global_col(j) - here.i0;  // the row of the slab that meets the diagonal
    const Index cut = std::clamp<Index>(target == Uplo::upper ? diagonal : diagonal + 1, 0, rows);
    const Index local_cut = slab.layout().rows.count_before(cut, slab.grid().my_row());
    const Range part = target == Uplo::upper ? Range{0, local_cut} : Range{local_cut, slab.local().rows};
    if (part.empty()) continue;
    f(slab.local().sub(part.begin, part.end, j, j + 1), image.local().sub(part.begin, part.end, j, j + 1), j);
  }
}

/// Calls f(i, a_ii) for the diagonal entries that lie here.
template <Scalar T, class F>
void for_each_diagonal(const Matrix<T>& a, F&& f) {
  const Axis& rows = a.layout().rows;
  for (Index j = 0; j < a.local().cols; ++j) {
    const Index i = a.global_col(j);
    if (rows.owner(i) == a.grid().my_row()) f(i, a.local()(rows.to_local(i), j));
  }
}

}  // namespace

template <Scalar T>
void mirror_triangle(const Matrix<T>& a, Uplo from, Symmetry symmetry, Index budget_bytes) {
  const Uplo target = from == Uplo::lower ? Uplo::upper : Uplo::lower;
  for_each_slab(a, target, symmetry, budget_bytes,
                [&](const Matrix<T>& slab, const Matrix<T>& image, const Window& here) {
                  for_each_column(
                      slab, image, here, target,
                      [&](MatrixView<T> x, MatrixView<T> mirrored, Index) { a.kernels().copy(mirrored, x); });
                });
  for_each_diagonal(a, [&](Index, T& entry) {
    if (symmetry == Symmetry::hermitian) entry = T(std::real(entry));
    if (symmetry == Symmetry::skew) entry = T(0);
  });
  a.device().synchronise();
}

template <Scalar T>
void symmetrise(const Matrix<T>& a, Symmetry symmetry, Index budget_bytes) {
  const auto& kernels = a.kernels();
  const T half(Real<T>(0.5));
  for_each_slab(a, Uplo::upper, symmetry, budget_bytes,
                [&](const Matrix<T>& slab, const Matrix<T>& image, const Window& here) {
                  for_each_column(slab, image, here, Uplo::upper,
                                  [&](MatrixView<T> x, MatrixView<T> mirrored, Index) {
                                    kernels.scale(half, x);
                                    kernels.scale(-half, mirrored);
                                    kernels.subtract(mirrored, x);
                                  });
                });
  mirror_triangle(a, Uplo::upper, symmetry, budget_bytes);
}

template <Scalar T>
std::optional<std::pair<Index, Index>> first_asymmetry(const Matrix<T>& a, Symmetry symmetry,
                                                       double tolerance, Index budget_bytes) {
  const Index none = std::numeric_limits<Index>::max();
  Index row = none, col = none;  // the first that this rank sees
  const auto see = [&](Index i, Index j) {
    if (std::pair(i, j) < std::pair(row, col)) std::tie(row, col) = std::pair(i, j);
  };
  for_each_slab(a, Uplo::upper, symmetry, budget_bytes,
                [&](const Matrix<T>& slab, const Matrix<T>& image, const Window& here) {
                  for_each_column(slab, image, here, Uplo::upper,
                                  [&](MatrixView<T> x, MatrixView<T> mirrored, Index j) {
                                    a.kernels().subtract(x, mirrored);
                                    if (static_cast<double>(a.kernels().max_abs1(mirrored)) <= tolerance)
                                      return;
                                    for (Index i = 0; i < x.rows; ++i) {
                                      if (static_cast<double>(abs1(mirrored(i, 0))) <= tolerance) continue;
                                      return see(here.i0 + slab.global_row(i), here.j0 + slab.global_col(j));
                                    }
                                  });
                });
  for_each_diagonal(a, [&](Index i, const T& entry) {
    const T image = symmetry == Symmetry::skew        ? -entry
                    : symmetry == Symmetry::hermitian ? conjugate(entry)
                                                      : entry;
    if (static_cast<double>(abs1(entry - image)) > tolerance) see(i, i);
  });
  const Index first_row = a.grid().all().min(row);
  if (first_row == none) return std::nullopt;
  return std::pair(first_row, a.grid().all().min(row == first_row ? col : none));
}

template <Scalar T>
double largest_asymmetry(const Matrix<T>& a, Symmetry symmetry, Index budget_bytes) {
  double largest = 0;
  for_each_slab(a, Uplo::upper, symmetry, budget_bytes,
                [&](const Matrix<T>& slab, const Matrix<T>& image, const Window& here) {
                  for_each_column(
                      slab, image, here, Uplo::upper, [&](MatrixView<T> x, MatrixView<T> mirrored, Index) {
                        a.kernels().subtract(x, mirrored);
                        largest = std::max(largest, static_cast<double>(a.kernels().max_abs1(mirrored)));
                      });
                });
  if (symmetry == Symmetry::hermitian) {
    for_each_diagonal(a, [&](Index, const T& entry) {
      largest = std::max(largest, 2 * std::abs(static_cast<double>(std::imag(entry))));
    });
  }
  return a.grid().all().max(largest);
}

/// At distance d rank r compares its block (r, r+d) with the mirror image of block (r+d, r), which comes in
/// parts of as many columns as the budget allows; at d = 0 with its own.
template <Scalar T>
double largest_asymmetry(const BlockRows<T>& a, Symmetry symmetry, Index budget_bytes) {
  const RowPartition& slabs = a.partition();
  const Communicator& comm = a.comm();
  const int ranks = comm.size(), me = comm.rank();
  Index tallest = 0;
  for (int rank = 0; rank < ranks; ++rank) tallest = std::max(tallest, slabs.count(rank));
  if (tallest == 0) return 0;
  const Index width =
      std::clamp<Index>(budget_bytes / 3 / static_cast<Index>(sizeof(T)) / tallest, 1, tallest);
  Buffer<T> out, in, turned;
  agree(comm, [&] {
    for (Buffer<T>* buffer : {&out, &in, &turned}) *buffer = Buffer<T>(a.device(), tallest * width);
  });
  double largest = 0;
  for (int distance = 0; distance <= ranks / 2; ++distance) {
    const int to = (me - distance + ranks) % ranks, from = (me + distance) % ranks;
    for (Index k = 0; k < tallest; k += width) {
      const auto part = [&](int rank) {
        return Range{std::min(slabs.begin(rank) + k, slabs.end(rank)),
                     std::min(slabs.begin(rank) + k + width, slabs.end(rank))};
      };
      const Range theirs = part(to), mine = part(me), beside = slabs.range(from);
      const MatrixView<T> sent = out.view(a.local().rows, theirs.size());
      const MatrixView<T> arrived = (distance == 0 ? out : in).view(beside.size(), mine.size());
      const MatrixView<T> image = turned.view(mine.size(), beside.size());
      a.kernels().copy(a.local({0, a.rows(), theirs.begin, theirs.end}), sent);
      a.device().synchronise();
      if (distance > 0)
        comm.send_receive(std::span<const T>(sent.data, static_cast<std::size_t>(sent.size())), to,
                          std::span<T>(arrived.data, static_cast<std::size_t>(arrived.size())), from);
      a.kernels().transpose(op_of(symmetry), arrived, image);
      a.kernels().subtract(a.local({mine.begin, mine.end, beside.begin, beside.end}), image);
      largest = std::max(largest, static_cast<double>(a.kernels().max_abs1(image)));
      a.device().synchronise();
    }
  }
  return comm.max(largest);
}

template <Scalar T>
std::optional<Index> first_imaginary_diagonal(const Matrix<T>& a) {
  const Index none = std::numeric_limits<Index>::max();
  Index first = none;
  for_each_diagonal(a, [&](Index i, const T& entry) {
    const Real<T> dust = 100 * unit_roundoff<T> * std::abs(std::real(entry));
    if (!(std::abs(std::imag(entry)) <= dust) && is_finite(entry)) first = std::min(first, i);
  });
  first = a.grid().all().min(first);
  return first == none ? std::nullopt : std::optional(first);
}

#define CYCLADE_SYMMETRY(T)                                                                              \
  template void mirror_triangle<T>(const Matrix<T>&, Uplo, Symmetry, Index);                             \
  template void symmetrise<T>(const Matrix<T>&, Symmetry, Index);                                        \
  template double largest_asymmetry<T>(const BlockRows<T>&, Symmetry, Index);                            \
  template double largest_asymmetry<T>(const Matrix<T>&, Symmetry, Index);                               \
  template std::optional<Index> first_imaginary_diagonal<T>(const Matrix<T>&);                           \
  template std::optional<std::pair<Index, Index>> first_asymmetry<T>(const Matrix<T>&, Symmetry, double, \
                                                                     Index);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SYMMETRY)

}  // namespace cyclade
