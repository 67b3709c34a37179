// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/pivot_panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cyclade/mpi/ring.hpp"

namespace cyclade {
namespace {

/// Entries of T that hold a Choice: messages are of one basic type.
template <class T, class Header>
constexpr Index header_words = (sizeof(Header) + sizeof(T) - 1) / sizeof(T);

}  // namespace

template <Scalar T>
PivotPanel<T>::PivotPanel(Device& device, Index width)
    : device_(device),
      kernels_(device.kernels<T>()),
      storage_(device, width * width),
      message_(device, header_words<T, Choice> + leaf),
      reply_(device, header_words<T, Choice> + leaf),
      shared_(device, leaf * width) {}

template <Scalar T>
PivotOutcome PivotPanel<T>::factor(MatrixView<T> s, std::span<const Index> ids, const Communicator* column) {
  s_ = s;
  ids_ = ids;
  column_ = column;
  me_ = column ? column->rank() : 0;
  f_ = storage_.view(s.cols, s.cols);
  rows_.clear();
  owners_.clear();
  return factor_range(0, s.cols);
}

template <Scalar T>
Real<T> PivotPanel<T>::largest() const {
  Real<T> most = 0;
  for (Index c = 0; c < f_.cols; ++c) most = std::max(most, kernels_.max_abs1(f_.sub(0, c + 1, c, c + 1)));
  return most;
}

template <Scalar T>
PivotOutcome PivotPanel<T>::factor_range(Index c0, Index c1) {
  if (c1 - c0 <= leaf) return factor_leaf(c0, c1);
  const Index middle = c0 + (c1 - c0) / 2;
  if (const auto outcome = factor_range(c0, middle); outcome.status != Status::ok) return outcome;
  // U12 := L11^-1 F12, S2 -= L21 U12
  const MatrixView<T> u12 = f_.sub(c0, middle, middle, c1);
  kernels_.trsm(Side::left, Uplo::lower, Op::none, Diag::unit, T(1), f_.sub(c0, middle, c0, middle), u12);
  kernels_.gemm(Op::none, Op::none, T(-1), s_.column_range(c0, middle), u12, T(1),
                s_.column_range(middle, c1));
  return factor_range(middle, c1);
}

template <Scalar T>
PivotOutcome PivotPanel<T>::factor_leaf(Index c0, Index c1) {
  for (Index c = c0; c < c1; ++c) {
    // Column c of U above the diagonal, by the rows chosen in this leaf: L^-1 F[c0:c, c]; then S[:,c] -=
    // S[:,c0:c] U[c0:c, c]
    const MatrixView<T> u = f_.sub(c0, c, c, c + 1);
    kernels_.trsm(Side::left, Uplo::lower, Op::none, Diag::unit, T(1), f_.sub(c0, c, c0, c), u);
    const Candidate<T> mine = kernels_.update_and_search(s_.column_range(c0, c1), c - c0, f_.column(c) + c0);
    const Choice choice = choose(c0, c1, c, mine);
    if (choice.magnitude <= 0) return {Status::singular, c};
    if (!std::isfinite(choice.magnitude)) return {Status::growth_too_large, c};
    rows_.push_back(choice.row);
    owners_.push_back(static_cast<int>(choice.owner));
    if (owners_.back() == me_) {
      // The whole row is the factors' from now on; in the leaf they have it already, from the exchange.
      const MatrixView<T> row = s_.row_range(mine.row, mine.row + 1);
      kernels_.copy(row.column_range(0, c0), f_.sub(c, c + 1, 0, c0));
      kernels_.copy(row.column_range(c1, s_.cols), f_.sub(c, c + 1, c1, s_.cols));
      kernels_.fill(row, T(0));
    }
    kernels_.divide(s_.column_range(c, c + 1), f_(c, c));
  }
  share_rows(c0, c1);
  return {};
}

/// The best candidate of the process column for column c, with its row F[c, c0:c1], on every rank.
/// Dissemination: in round r every rank passes the best that it knows to the rank 2^r further on; the maximum
/// does not mind hearing of a candidate twice.
template <Scalar T>
typename PivotPanel<T>::Choice PivotPanel<T>::choose(Index c0, Index c1, Index c, const Candidate<T>& mine) {
  constexpr Index head = header_words<T, Choice>;
  const int p = column_ ? column_->size() : 1;
  const bool any = mine.row >= 0;
  Choice best{static_cast<double>(mine.magnitude), any ? ids_[static_cast<std::size_t>(mine.row)] : -1, me_};
  const MatrixView<T> row{message_.data() + head, 1, c1 - c0};
  if (any) kernels_.copy(s_.sub(mine.row, mine.row + 1, c0, c1), row);
  device_.synchronise();
  const auto words = static_cast<std::size_t>(head + c1 - c0);
  for (int step = 1; step < p; step *= 2) {
    std::memcpy(static_cast<void*>(message_.data()), &best, sizeof best);
    column_->send_receive<T>(message_.span().first(words), (me_ + step) % p, reply_.span().first(words),
                             (me_ - step + p) % p);
    Choice other;
    std::memcpy(&other, reply_.data(), sizeof other);
    const bool better =
        other.magnitude > best.magnitude || (other.magnitude == best.magnitude && other.row < best.row);
    if (!better) continue;
    best = other;
    std::swap(message_, reply_);
  }
  kernels_.copy({message_.data() + head, 1, c1 - c0}, f_.sub(c, c + 1, c0, c1));
  return best;
}

/// Rows [c0,c1) of F, from the ranks that owned them, outside the columns of the leaf.
template <Scalar T>
void PivotPanel<T>::share_rows(Index c0, Index c1) {
  const Index width = f_.cols, rest = width - (c1 - c0);
  const int p = column_ ? column_->size() : 1;
  if (p == 1 || rest == 0) return;
  std::vector<Index> counts(static_cast<std::size_t>(p));
  for (Index c = c0; c < c1; ++c)
    counts[static_cast<std::size_t>(owners_[static_cast<std::size_t>(c)])] += rest;
  // By owner, then by column: each row is its part left of the leaf, then its part right of it.
  const auto each_row = [&](auto&& f) {
    T* at = shared_.data();
    for (int r = 0; r < p; ++r) {
      for (Index c = c0; c < c1; ++c) {
        if (owners_[static_cast<std::size_t>(c)] != r) continue;
        f(r, MatrixView<T>{at, 1, c0}, f_.sub(c, c + 1, 0, c0));
        f(r, MatrixView<T>{at + c0, 1, width - c1}, f_.sub(c, c + 1, c1, width));
        at += rest;
      }
    }
  };
  each_row([&](int r, MatrixView<T> packed, MatrixView<T> row) {
    if (r == me_) kernels_.copy(row, packed);
  });
  device_.synchronise();
  ring_allgather(*column_, shared_.span().first(static_cast<std::size_t>((c1 - c0) * rest)),
                 std::span<const Index>(counts));
  each_row([&](int r, MatrixView<T> packed, MatrixView<T> row) {
    if (r != me_) kernels_.copy(packed, row);
  });
}

#define CYCLADE_PIVOT_PANEL(T) template class PivotPanel<T>;
CYCLADE_FOR_EACH_SCALAR(CYCLADE_PIVOT_PANEL)

}  // namespace cyclade
