// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/permutation.hpp"

#include <algorithm>
#include <utility>

namespace cyclade {
namespace {

/// Which local indices leave for each rank and which are filled from each, in one common order: by target.
struct Moves {
  std::vector<std::vector<Index>> out, in;
  Index out_total = 0, in_total = 0;

  /// `dealing` is an Axis or a RowPartition; `peers` may be null.
  template <class Dealing>
  Moves(const Dealing& dealing, const Communicator* peers, const std::vector<Index>& target) {
    const int me = peers ? peers->rank() : 0;
    out.resize(static_cast<std::size_t>(peers ? peers->size() : 1));
    in.resize(out.size());
    const auto at = [](const std::vector<Index>& v, Index i) { return v[static_cast<std::size_t>(i)]; };
    const auto owner = [&](Index i) { return static_cast<std::size_t>(dealing.owner(i)); };
    const std::vector<Index> source = inverse_permutation(target);
    std::vector<std::pair<Index, Index>> leaving;  // target, local
    for (Index l = 0; l < dealing.local_size(me); ++l) {
      const Index i = dealing.to_global(l, me);
      if (at(target, i) != i) leaving.emplace_back(at(target, i), l);
      if (at(source, i) != i) in[owner(at(source, i))].push_back(l);
    }
    std::ranges::sort(leaving);
    for (const auto& [to, l] : leaving) out[owner(to)].push_back(l);
    out_total = static_cast<Index>(leaving.size());
    for (const auto& list : in) in_total += static_cast<Index>(list.size());
  }
};

/// Moves the lines (rows or columns) of one slab: gather(list, packed), messages, scatter(packed, list).
/// `depth` entries a line.
template <Scalar T, class Gather, class Scatter>
void move_slab(const Communicator* peers, const Moves& moves, Index depth, const Buffer<T>& out_buffer,
               const Buffer<T>& in_buffer, Gather&& gather, Scatter&& scatter, Device& device) {
  const std::size_t ranks = moves.out.size(), me = peers ? static_cast<std::size_t>(peers->rank()) : 0;
  std::vector<Piece<const T>> out;
  std::vector<Piece<T>> in;
  T* next_out = out_buffer.data();
  T* next_in = in_buffer.data();
  std::vector<T*> arrivals(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t leaving = moves.out[r].size() * static_cast<std::size_t>(depth);
    const std::size_t coming = moves.in[r].size() * static_cast<std::size_t>(depth);
    arrivals[r] = r == me ? next_out : next_in;  // what stays here is taken from where it was packed
    gather(moves.out[r], next_out);
    if (r != me) {
      out.push_back({static_cast<int>(r), {next_out, leaving}});
      in.push_back({static_cast<int>(r), {next_in, coming}});
      next_in += coming;
    }
    next_out += leaving;
  }
  device.synchronise();
  if (peers) peers->exchange<T>(out, in);
  for (std::size_t r = 0; r < ranks; ++r) scatter(arrivals[r], moves.in[r]);
}

/// Depth of the slabs: both packed copies of the longest local part fit the budget, and no more than a cache
/// where nothing travels, or messages of a few MiB. A function of the layout alone, so equal on all ranks
/// that exchange them.
template <class T, class Dealing>
Index slab_depth(const Dealing& dealing, int ranks, Index budget_bytes) {
  constexpr Index cache = Index{1} << 19, message = Index{4} << 20, line = 64;
  Index longest = 1;
  for (int r = 0; r < ranks; ++r) longest = std::max(longest, dealing.local_size(r));
  // Slabs of rows take no less of a column than a cache line.
  const Index useful = ranks == 1 ? std::max(cache, 2 * longest * line) : 2 * message * ranks;
  return std::max<Index>(1, std::min(budget_bytes, useful) / (2 * longest * static_cast<Index>(sizeof(T))));
}

/// Buffers for what leaves and what comes in a slab, on all ranks, or the same error on all. Collective.
template <Dealt M>
auto message_room(const M& a, const Moves& moves, Index depth) {
  using T = typename M::Element;
  Buffer<T> out, in;
  agree(everyone(a), [&] {
    out = Buffer<T>(a.device(), moves.out_total * depth);
    in = Buffer<T>(a.device(), moves.in_total * depth);
  });
  return std::pair(std::move(out), std::move(in));
}

bool is_identity(const std::vector<Index>& target) {
  for (std::size_t i = 0; i < target.size(); ++i)
    if (target[i] != static_cast<Index>(i)) return false;
  return true;
}

}  // namespace

std::vector<Index> inverse_permutation(const std::vector<Index>& sigma) {
  std::vector<Index> inverse(sigma.size());
  for (std::size_t k = 0; k < sigma.size(); ++k)
    inverse[static_cast<std::size_t>(sigma[k])] = static_cast<Index>(k);
  return inverse;
}

int parity(const std::vector<Index>& sigma) {
  std::vector<bool> seen(sigma.size());
  int sign = 1;
  for (std::size_t start = 0; start < sigma.size(); ++start) {
    for (std::size_t i = start, length = 0; !seen[i]; i = static_cast<std::size_t>(sigma[i]), ++length) {
      seen[i] = true;
      if (length > 0) sign = -sign;  // a cycle of length c is c - 1 exchanges
    }
  }
  return sign;
}

template <Dealt M>
void permute_rows(const M& a, const std::vector<Index>& target, Index budget_bytes) {
  using T = typename M::Element;
  const MatrixView<T> loc = a.local();
  if (is_identity(target)) return;
  const Communicator* peers = column_peers(a);
  const Moves moves(row_dealing(a), peers, target);
  const Index depth =
      std::min(loc.cols, slab_depth<T>(row_dealing(a), static_cast<int>(moves.out.size()), budget_bytes));
  const auto [out, in] = message_room(a, moves, depth);
  const auto& kernels = a.kernels();
  for (Index j = 0; j < loc.cols; j += depth) {
    const MatrixView<T> slab = loc.column_range(j, std::min(j + depth, loc.cols));
    const auto packed = [&](T* at, const std::vector<Index>& list) {
      return MatrixView<T>(at, static_cast<Index>(list.size()), slab.cols);
    };
    move_slab<T>(
        peers, moves, slab.cols, out, in,
        [&](const std::vector<Index>& list, T* at) { kernels.gather_rows(slab, list, packed(at, list)); },
        [&](T* at, const std::vector<Index>& list) { kernels.scatter_rows(packed(at, list), list, slab); },
        a.device());
  }
}

template <Dealt M>
void permute_columns(const M& a, const std::vector<Index>& target, Index budget_bytes) {
  using T = typename M::Element;
  const MatrixView<T> loc = a.local();
  if (is_identity(target)) return;
  const Communicator* peers = row_peers(a);
  const Moves moves(column_dealing(a), peers, target);
  const Index depth =
      std::min(loc.rows, slab_depth<T>(column_dealing(a), static_cast<int>(moves.out.size()), budget_bytes));
  const auto [out, in] = message_room(a, moves, depth);
  const auto& kernels = a.kernels();
  for (Index i = 0; i < loc.rows; i += depth) {
    const MatrixView<T> slab = loc.row_range(i, std::min(i + depth, loc.rows));
    const auto packed = [&](T* at, const std::vector<Index>& list) {
      return MatrixView<T>(at, slab.rows, static_cast<Index>(list.size()));
    };
    move_slab<T>(
        peers, moves, slab.rows, out, in,
        [&](const std::vector<Index>& list, T* at) { kernels.gather_columns(slab, list, packed(at, list)); },
        [&](T* at, const std::vector<Index>& list) { kernels.scatter_columns(packed(at, list), list, slab); },
        a.device());
  }
}

#define CYCLADE_PERMUTATION(T)                                                       \
  template void permute_rows(const Matrix<T>&, const std::vector<Index>&, Index);    \
  template void permute_rows(const BlockRows<T>&, const std::vector<Index>&, Index); \
  template void permute_columns(const Matrix<T>&, const std::vector<Index>&, Index); \
  template void permute_columns(const BlockRows<T>&, const std::vector<Index>&, Index);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_PERMUTATION)

}  // namespace cyclade
