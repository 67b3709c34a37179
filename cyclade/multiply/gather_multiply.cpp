// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/multiply/gather_multiply.hpp"

#include <algorithm>

#include "cyclade/mpi/ring.hpp"

namespace cyclade {
namespace {

constexpr Index large_piece_bytes = Index{64}
                                    << 10;  // from here on a rank's bandwidth counts more than latency

// --- what is refused

std::string range(const Range& r) {
  return "[" + std::to_string(r.begin) + "," + std::to_string(r.end) + ")";
}

void require_range(const Range& r, Index size, const std::string& name) {
  require(
      0 <= r.begin && r.begin <= r.end && r.end <= size,
      "gather_multiply: " + name + " " + range(r) + " do not lie in the " + std::to_string(size) + " rows");
}

template <Scalar T>
void require_fit(const BlockRows<T>& b, const Range& inner, const SlabProduct<T>& product) {
  const BlockRows<T>&a = *product.a, &c = *product.c;
  require(&a.comm() == &b.comm() && &c.comm() == &b.comm(),
          "gather_multiply: A, B and C must live on one communicator");
  require(a.partition() == b.partition() && c.partition() == b.partition(),
          "gather_multiply: A, B and C must have the same row partition");
  require_range(product.rows, c.rows(), "the rows");
  require(a.cols() == inner.size() && c.cols() == b.cols(),
          "gather_multiply: the shapes do not fit: A has " + std::to_string(a.cols()) + " columns for " +
              std::to_string(inner.size()) + " inner rows, C has " + std::to_string(c.cols()) +
              " columns and B " + std::to_string(b.cols()));
}

// --- who owns and who uses

/// Rows of the panel that one rank owns.
struct Share {
  int rank;
  Range rows;  // counted from the first of the panel
};

template <Scalar T>
struct Gather {
  const BlockRows<T>* b;
  Range inner;
  std::vector<Share> owners;  // ascending; none is empty
  std::vector<int> users;     // ascending
  GatherTransport transport;
  bool staged;  // pieces arrive one after the other, and are put in order in the panel
  T* panel = nullptr;
  T* message = nullptr;

  const Communicator& comm() const { return b->comm(); }
  Index rows() const { return inner.size(); }
  bool to_all() const { return transport != GatherTransport::direct && transport != GatherTransport::ring; }
  bool uses(int rank) const { return std::ranges::binary_search(users, rank); }
  const Share* share_of(int rank) const {
    const auto found = std::ranges::find(owners, rank, &Share::rank);
    return found == owners.end() ? nullptr : &*found;
  }
  std::span<T> piece(const Share& share, Index cols) const {
    return {message + share.rows.begin * cols, static_cast<std::size_t>(share.rows.size() * cols)};
  }
  MatrixView<T> piece_view(const Share& share, Index cols) const {
    return {piece(share, cols).data(), share.rows.size(), cols};
  }
};

/// Every row of the panel comes from exactly one rank. Cheap, so it is checked always: a transport that is
/// given counts with a gap or an overlap delivers garbage without a word.
void require_tiles(const std::vector<Share>& owners, Index rows) {
  Index next = 0;
  for (const Share& share : owners) {
    if (share.rows.begin != next || share.rows.empty())
      throw InternalError("gather_multiply: rank " + std::to_string(share.rank) + " brings rows " +
                          range(share.rows) + " of a panel whose next row is " + std::to_string(next));
    next = share.rows.end;
  }
  if (next != rows)
    throw InternalError("gather_multiply: the pieces end at row " + std::to_string(next) + " of a panel of " +
                        std::to_string(rows));
}

GatherTransport choose(const GatherOptions& options, Index panel_bytes, std::size_t owners,
                       std::size_t users) {
  if (panel_bytes <= options.small_bytes) return GatherTransport::zero_fill_allreduce;
  if (options.transport != GatherTransport::automatic) return options.transport;
  const Index piece_bytes =
      std::min(panel_bytes, options.panel_bytes) / std::max<Index>(1, static_cast<Index>(owners));
  return users > 2 && piece_bytes >= large_piece_bytes ? GatherTransport::ring : GatherTransport::direct;
}

template <Scalar T>
Gather<T> plan(const BlockRows<T>& b, Range inner, std::span<const SlabProduct<T>> products,
               const GatherOptions& options) {
  Gather<T> gather{&b, inner, {}, {}, options.transport, false};
  const RowPartition& partition = b.partition();
  for (int rank = 0; rank < partition.ranks(); ++rank) {
    const Range own = partition.overlap(inner.begin, inner.end, rank);
    if (!own.empty()) gather.owners.push_back({rank, {own.begin - inner.begin, own.end - inner.begin}});
    const bool uses = std::ranges::any_of(products, [&](const auto& product) {
      return !partition.overlap(product.rows.begin, product.rows.end, rank).empty();
    });
    if (uses) gather.users.push_back(rank);
  }
  require_tiles(gather.owners, inner.size());
  gather.transport = choose(options, inner.size() * b.cols() * static_cast<Index>(sizeof(T)),
                            gather.owners.size(), gather.users.size());
  // The piece of a single owner is the panel already.
  gather.staged = gather.transport != GatherTransport::zero_fill_allreduce && gather.owners.size() > 1;
  return gather;
}

// --- the transports: from message pieces of the owners to message pieces everywhere they are wanted

template <Scalar T>
void gather_by_allgatherv(const Gather<T>& gather, Index cols) {
  std::vector<Index> counts(static_cast<std::size_t>(gather.comm().size()));
  for (const Share& share : gather.owners)
    counts[static_cast<std::size_t>(share.rank)] = share.rows.size() * cols;
  gather.comm().all_gather_v(std::span<T>(gather.message, static_cast<std::size_t>(gather.rows() * cols)),
                             std::span<const Index>(counts));
}

/// From every owner to every user.
template <Scalar T>
void gather_directly(const Gather<T>& gather, Index cols) {
  const int me = gather.comm().rank();
  std::vector<Piece<const T>> out;
  std::vector<Piece<T>> in;
  if (const Share* mine = gather.share_of(me))
    for (const int user : gather.users)
      if (user != me) out.push_back({user, gather.piece(*mine, cols)});
  if (gather.uses(me))
    for (const Share& share : gather.owners)
      if (share.rank != me) in.push_back({share.rank, gather.piece(share, cols)});
  gather.comm().exchange(std::span<const Piece<const T>>(out), std::span<const Piece<T>>(in));
}

/// Each piece enters the ring of users where its owner stands, or, if the owner does not use the panel, at a
/// user that the owner sends it to, those spread evenly; then every user passes on what it received last.
template <Scalar T>
void gather_by_ring(const Gather<T>& gather, Index cols) {
  const int me = gather.comm().rank();
  const std::size_t users = gather.users.size();
  const auto outsiders = static_cast<std::size_t>(
      std::ranges::count_if(gather.owners, [&](const Share& share) { return !gather.uses(share.rank); }));
  std::vector<std::vector<std::span<T>>> held(users);
  std::vector<Piece<const T>> out;
  std::vector<Piece<T>> in;
  std::size_t outsider = 0;
  for (const Share& share : gather.owners) {
    const std::span<T> piece = gather.piece(share, cols);
    std::size_t place = 0;
    if (gather.uses(share.rank)) {
      place =
          static_cast<std::size_t>(std::ranges::lower_bound(gather.users, share.rank) - gather.users.begin());
    } else {
      place = outsider++ * users / outsiders;
      if (share.rank == me) out.push_back({gather.users[place], piece});
      if (gather.users[place] == me) in.push_back({share.rank, piece});
    }
    held[place].push_back(piece);
  }
  gather.comm().exchange(std::span<const Piece<const T>>(out), std::span<const Piece<T>>(in));
  ring_allgather_among<T>(gather.comm(), gather.users, held);
}

template <Scalar T>
void transfer(const Gather<T>& gather, Index cols) {
  switch (gather.transport) {
    case GatherTransport::zero_fill_allreduce:
      gather.comm().all_reduce_sum(
          std::span<T>(gather.panel, static_cast<std::size_t>(gather.rows() * cols)));
      return;
    case GatherTransport::allgatherv:
      gather_by_allgatherv(gather, cols);
      return;
    case GatherTransport::broadcast_per_rank:
      for (const Share& share : gather.owners) gather.comm().broadcast(gather.piece(share, cols), share.rank);
      return;
    case GatherTransport::ring:
      gather_by_ring(gather, cols);
      return;
    case GatherTransport::direct:
    case GatherTransport::automatic:
      gather_directly(gather, cols);
      return;
  }
}

/// B(inner, j0:j1) in one piece, on the ranks that use it.
template <Scalar T>
ConstMatrixView<T> bring(const Gather<T>& gather, Index j0, Index j1, bool barrier,
                         MultiplyTelemetry& telemetry) {
  const BlockRows<T>& b = *gather.b;
  const auto& kernels = b.kernels();
  const Index cols = j1 - j0;
  const bool zero_fill = gather.transport == GatherTransport::zero_fill_allreduce;
  const MatrixView<T> panel(zero_fill || gather.staged ? gather.panel : gather.message, gather.rows(), cols);
  Stopwatch watch;
  if (zero_fill) {
    kernels.fill(panel, T(0));
    watch.lap(telemetry.zero_fill);
  }
  if (const Share* mine = gather.share_of(b.comm().rank())) {
    const ConstMatrixView<T> own = b.local({gather.inner.begin, gather.inner.end, j0, j1});
    kernels.copy(
        own, zero_fill ? panel.row_range(mine->rows.begin, mine->rows.end) : gather.piece_view(*mine, cols));
  }
  b.device().synchronise();
  watch.lap(telemetry.pack);
  if (barrier) b.comm().barrier();
  watch.lap(telemetry.wait);
  transfer(gather, cols);
  watch.lap(telemetry.transfer);
  if (gather.staged && gather.uses(b.comm().rank()))
    for (const Share& share : gather.owners)
      kernels.copy(gather.piece_view(share, cols), panel.row_range(share.rows.begin, share.rows.end));
  watch.lap(telemetry.repack);
  return panel;
}

template <Scalar T>
GatherDescriptor describe(const Gather<T>& gather, Index j0, Index j1) {
  GatherDescriptor result{gather.transport,
                          gather.inner,
                          j0,
                          j1,
                          static_cast<int>(gather.owners.size()),
                          static_cast<int>(gather.users.size())};
  const auto [least, most] =
      std::ranges::minmax(gather.owners, {}, [](const Share& s) { return s.rows.size(); });
  result.smallest_piece = least.rows.size() * (j1 - j0);
  result.largest_piece = most.rows.size() * (j1 - j0);
  return result;
}

/// C(rows, j0:j1) := beta C(rows, j0:j1) + alpha A(rows,:) * panel, this rank's rows.
template <Scalar T>
void multiply_slab(const SlabProduct<T>& product, Index j0, Index j1, ConstMatrixView<T> panel) {
  const Range& rows = product.rows;
  const ConstMatrixView<T> a = product.a->local({rows.begin, rows.end, 0, product.a->cols()});
  const MatrixView<T> c = product.c->local({rows.begin, rows.end, j0, j1});
  product.c->kernels().gemm(Op::none, Op::none, product.alpha, a, panel, product.beta, c);
}

}  // namespace

std::string_view to_string(GatherTransport transport) {
  switch (transport) {
    case GatherTransport::automatic:
      return "automatic";
    case GatherTransport::zero_fill_allreduce:
      return "zero_fill_allreduce";
    case GatherTransport::allgatherv:
      return "allgatherv";
    case GatherTransport::broadcast_per_rank:
      return "broadcast_per_rank";
    case GatherTransport::direct:
      return "direct";
    case GatherTransport::ring:
      return "ring";
  }
  return "";
}

std::string to_string(const GatherDescriptor& g) {
  return std::string(to_string(g.transport)) + ": rows " + range(g.inner) + " x columns " +
         range({g.j0, g.j1}) + " from " + std::to_string(g.owners) + " ranks, for " +
         std::to_string(g.users) + "; pieces of " + std::to_string(g.smallest_piece) + " to " +
         std::to_string(g.largest_piece) + " words";
}

template <Scalar T>
GatherMultiply<T>::GatherMultiply(const GatherOptions& options) : options_(options) {
  require(options.panel_bytes > 0, "gather_multiply: the panel budget must be 1 byte or more, got " +
                                       std::to_string(options.panel_bytes));
  require(options.transport != GatherTransport::allgatherv || options.force,
          "gather_multiply: the transport allgatherv is pathological where some ranks contribute nothing (a "
          "recursion's "
          "panels always have such ranks): take ring or direct, or force it");
}

template <Scalar T>
void GatherMultiply<T>::reserve(const Communicator& comm, Device& device, Index words) {
  panel_.reserve(comm, device, words);
  message_.reserve(comm, device, words);
}

template <Scalar T>
void GatherMultiply<T>::run(const BlockRows<T>& b, Range inner, std::span<const SlabProduct<T>> products) {
  require_range(inner, b.rows(), "the inner rows");
  for (const auto& product : products) require_fit(b, inner, product);
  const Communicator& comm = b.comm();
  const double start = now();
  const Traffic before = comm.traffic() ? *comm.traffic() : Traffic{};
  MultiplyTelemetry unasked;
  MultiplyTelemetry& telemetry = options_.telemetry ? *options_.telemetry : unasked;

  Gather<T> gather = plan(b, inner, products, options_);
  const bool nothing = gather.users.empty() || inner.empty() || b.cols() == 0;
  const Index budget = options_.panel_bytes / static_cast<Index>(sizeof(T)) / (gather.staged ? 2 : 1);
  const Index width = nothing ? b.cols() : std::clamp<Index>(budget / inner.size(), 1, b.cols());
  if (!nothing) {
    const bool zero_fill = gather.transport == GatherTransport::zero_fill_allreduce;
    if (zero_fill || gather.staged) panel_.reserve(comm, b.device(), inner.size() * width);
    if (!zero_fill) message_.reserve(comm, b.device(), inner.size() * width);
    gather.panel = panel_.data();
    gather.message = message_.data();
  }
  for (Index j0 = 0; j0 < b.cols(); j0 += width) {
    const Index j1 = std::min(b.cols(), j0 + width);
    ConstMatrixView<T> panel(nullptr, inner.size(), j1 - j0);
    if (!nothing) {
      if (calls_ < options_.describe_calls) descriptors_.push_back(describe(gather, j0, j1));
      const Traffic earlier = comm.traffic() ? *comm.traffic() : Traffic{};
      panel = bring(gather, j0, j1, options_.barrier, telemetry);
      telemetry.count(to_string(gather.transport),
                      comm.traffic() ? (*comm.traffic() - earlier).words_received : 0);
      if (gather.to_all() || gather.uses(comm.rank())) telemetry.panel_words += panel.size();
    }
    Stopwatch watch;
    for (const auto& product : products) multiply_slab(product, j0, j1, panel);
    b.device().synchronise();  // the next chunk arrives where these products read
    watch.lap(telemetry.gemm);
  }
  ++calls_;
  telemetry.calls.push_back({now() - start, comm.traffic() ? (*comm.traffic() - before).words_received : 0});
}

template <Scalar T>
void gather_multiply(Range rows, T alpha, const BlockRows<T>& a, const BlockRows<T>& b, Range inner, T beta,
                     const BlockRows<T>& c, const GatherOptions& options) {
  const SlabProduct<T> product{rows, alpha, &a, beta, &c};
  GatherMultiply<T>(options).run(b, inner, std::span(&product, 1));
}

#define CYCLADE_GATHER_MULTIPLY(T)                                                               \
  template class GatherMultiply<T>;                                                              \
  template void gather_multiply<T>(Range, T, const BlockRows<T>&, const BlockRows<T>&, Range, T, \
                                   const BlockRows<T>&, const GatherOptions&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_GATHER_MULTIPLY)

}  // namespace cyclade
