// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/multiply/summa.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cyclade/mpi/ring.hpp"

namespace cyclade {
namespace {

// --- what is refused

std::string describe(const Axis& axis) {
  return "size " + std::to_string(axis.size) + ", block " + std::to_string(axis.block) + ", first block " +
         std::to_string(axis.first()) + ", source " + std::to_string(axis.source);
}

/// Every index has the same owner in both. Weaker than ==: what the size cuts off does not matter, so two
/// windows inside one block may come from matrices of different block sizes.
bool dealt_alike(const Axis& x, const Axis& y) {
  if (x.size != y.size || x.ranks != y.ranks) return false;
  if (x.size == 0 || x.ranks == 1) return true;
  const auto cut = [](Index block, Index size) { return std::min(block, size); };
  if (x.source != y.source || cut(x.first(), x.size) != cut(y.first(), y.size)) return false;
  return x.size <= x.first() || cut(x.block, x.size - x.first()) == cut(y.block, y.size - y.first());
}

template <Scalar T>
void require_dealt(const Matrix<T>& matrix, const std::string& name) {
  const auto axis = [&](const Axis& a, const char* side) {
    require(a.source != replicated, "multiply: the " + std::string(side) + " of " + name +
                                        " are replicated; a product needs them dealt out: redistribute " +
                                        name + " first");
  };
  axis(matrix.layout().rows, "rows");
  axis(matrix.layout().cols, "columns");
}

template <Scalar T>
void require_fit(const Product<T>& product) {
  const Matrix<T>&a = *product.a, &b = *product.b, &c = *product.c;
  require(&a.grid() == &c.grid() && &b.grid() == &c.grid(), "multiply: A, B and C must live on one grid");
  const auto shape = [](const Matrix<T>& x) {
    return std::to_string(x.rows()) + " x " + std::to_string(x.cols());
  };
  require(a.rows() == c.rows() && b.cols() == c.cols() && a.cols() == b.rows(),
          "multiply: the shapes do not fit: A is " + shape(a) + ", B is " + shape(b) + ", C is " + shape(c));
  require_dealt(a, "A");
  require_dealt(b, "B");
  require_dealt(c, "C");
  const auto alike = [](const Axis& x, const char* name, const Axis& of_c, const char* side) {
    require(dealt_alike(x, of_c), "multiply: the " + std::string(side) + " of " + name + " (" + describe(x) +
                                      ") are not dealt as those of C (" + describe(of_c) +
                                      "): redistribute " + name + " or C");
  };
  alike(a.layout().rows, "A", c.layout().rows, "rows");
  alike(b.layout().cols, "B", c.layout().cols, "columns");
}

// --- panels

Index largest_part(const Axis& axis) {
  Index largest = 0;
  for (int rank = 0; rank < axis.ranks; ++rank) largest = std::max(largest, axis.local_size(rank));
  return largest;
}

/// A factor of one or more products and its panels of the current round. For a left factor the inner
/// dimension is its columns, dealt over a process row; for a right factor its rows, dealt over a process
/// column.
template <Scalar T>
struct Factor {
  Factor(const Matrix<T>& matrix_, Side side_)
      : matrix(&matrix_),
        side(side_),
        inner(side == Side::left ? matrix_.layout().cols : matrix_.layout().rows),
        outer(largest_part(side == Side::left ? matrix_.layout().rows : matrix_.layout().cols)) {}

  const Communicator& comm() const {
    return side == Side::left ? matrix->grid().row() : matrix->grid().column();
  }
  bool travels() const { return inner.ranks > 1; }
  /// Outer extent on this rank, the same on all ranks of comm().
  Index outer_loc() const { return side == Side::left ? matrix->local().rows : matrix->local().cols; }
  /// Part [k.begin, k.end) of the inner dimension, owned here, where it lies.
  MatrixView<T> own(Range k) const {
    const Range loc = inner.to_local(k.begin, k.end, comm().rank());
    const MatrixView<T> all = matrix->local();
    return side == Side::left ? all.column_range(loc.begin, loc.end) : all.row_range(loc.begin, loc.end);
  }
  MatrixView<T> shaped(T* data, Index width) const {
    return side == Side::left ? MatrixView<T>(data, outer_loc(), width)
                              : MatrixView<T>(data, width, outer_loc());
  }
  std::span<T> words(std::size_t step, Range k) const {
    return {panels[step].data, static_cast<std::size_t>(outer_loc() * k.size())};
  }

  const Matrix<T>* matrix;
  Side side;
  Axis inner;
  Index outer;           // the largest outer_loc of the grid: what budgets and buffers reckon with
  T* storage = nullptr;  // of its panels
  std::vector<MatrixView<T>> panels;  // of the steps of the round; in rank order of their owners in storage
};

/// Lays the panels of a round out in the factor's storage, in rank order of their owners (as an allgather
/// wants them), and copies those that this rank owns into place. Returns the words that each rank owns.
template <Scalar T>
std::vector<Index> pack(Factor<T>& factor, std::span<const Range> round) {
  const int ranks = factor.comm().size();
  std::vector<Index> counts(static_cast<std::size_t>(ranks));
  factor.panels.resize(round.size());
  T* next = factor.storage;
  for (int rank = 0; rank < ranks; ++rank) {
    T* const first = next;
    for (std::size_t s = 0; s < round.size(); ++s) {
      if (factor.inner.owner(round[s].begin) != rank) continue;
      factor.panels[s] = factor.shaped(next, round[s].size());
      if (rank == factor.comm().rank()) factor.matrix->kernels().copy(factor.own(round[s]), factor.panels[s]);
      next += factor.panels[s].size();
    }
    counts[static_cast<std::size_t>(rank)] = next - first;
  }
  return counts;
}

/// Panels of one round to all ranks of the factor's process row or column. An empty panel sends nothing: its
/// outer extent is zero on all those ranks alike.
template <Scalar T>
void exchange(Factor<T>& factor, std::span<const Range> round, std::span<const Index> counts,
              Transport transport) {
  const Communicator& comm = factor.comm();
  if (transport == Transport::ring_allgather) {
    Index total = 0;
    for (const Index count : counts) total += count;
    ring_allgather(comm, std::span<T>(factor.storage, static_cast<std::size_t>(total)), counts);
    return;
  }
  for (std::size_t s = 0; s < round.size(); ++s) {
    const int owner = factor.inner.owner(round[s].begin);
    if (transport == Transport::ring)
      ring_broadcast(comm, factor.words(s, round[s]), owner);
    else
      comm.broadcast(factor.words(s, round[s]), owner);
  }
}

constexpr std::string_view name_of(Transport transport) {
  switch (transport) {
    case Transport::automatic:
      return "automatic";
    case Transport::ring:
      return "ring";
    case Transport::ring_allgather:
      return "ring_allgather";
    case Transport::broadcast:
      return "broadcast";
  }
  return "";
}

// --- the loop over the inner dimension

/// Products with each distinct factor named once, and the steps of the loop.
template <Scalar T>
struct Plan {
  struct Term {
    std::size_t left, right;  // positions in `factors`
  };
  std::vector<Factor<T>> factors;
  std::vector<Term> terms;  // one a product
  std::vector<Range> steps;
  std::size_t steps_a_round = 1;
  Index width = 1;  // of the widest step, or of all steps of a round together
  Transport transport = Transport::ring;
};

template <Scalar T>
std::size_t position(std::vector<Factor<T>>& factors, const Matrix<T>& matrix, Side side) {
  for (std::size_t f = 0; f < factors.size(); ++f)
    if (factors[f].matrix == &matrix && factors[f].side == side) return f;
  factors.emplace_back(matrix, side);
  return factors.size() - 1;
}

/// Words of all panels that travel, for one index of the inner dimension, on the rank that holds the most.
template <Scalar T>
Index words_an_index(const std::vector<Factor<T>>& factors) {
  Index words = 0;
  for (const auto& factor : factors)
    if (factor.travels()) words += factor.outer;
  return words;
}

/// A step lies inside one block of every factor that travels, and its panels inside the budget.
template <Scalar T>
std::vector<Range> cut(Index k, const std::vector<Factor<T>>& factors, Index widest) {
  std::vector<Range> steps;
  for (Index begin = 0, end = 0; begin < k; begin = end) {
    end = widest < k - begin ? begin + widest : k;
    for (const auto& factor : factors)
      if (factor.travels()) end = std::min(end, factor.inner.block_end(begin));
    steps.push_back({begin, end});
  }
  return steps;
}

template <Scalar T>
Plan<T> plan(std::span<const Product<T>> products, const SummaOptions& options) {
  Plan<T> result;
  for (const auto& product : products) {
    const std::size_t left = position(result.factors, *product.a, Side::left);
    result.terms.push_back({left, position(result.factors, *product.b, Side::right)});
  }
  const Index k = products.front().a->cols();
  const Index budget = options.panel_bytes / static_cast<Index>(sizeof(T));
  const Index words = words_an_index(result.factors);
  const Index widest = words == 0 ? k : std::max<Index>(1, budget / words);
  result.steps = cut(k, result.factors, widest);
  for (const Range& step : result.steps) result.width = std::max(result.width, step.size());

  const Grid& grid = products.front().c->grid();
  const auto wanted = static_cast<std::size_t>(std::max(grid.p(), grid.q()));
  const auto fit = static_cast<std::size_t>(std::max<Index>(1, widest / result.width));
  result.transport = options.transport;
  if (result.transport == Transport::automatic)
    result.transport = fit > 1 ? Transport::ring_allgather : Transport::ring;
  if (result.transport == Transport::ring_allgather) {
    result.steps_a_round = std::min({wanted, fit, std::max<std::size_t>(1, result.steps.size())});
    result.width *= static_cast<Index>(result.steps_a_round);
  }
  return result;
}

template <Scalar T>
void bring(Plan<T>& plan, std::span<const Range> round, Device& device, MultiplyTelemetry& telemetry) {
  Stopwatch watch;
  for (auto& factor : plan.factors) {
    if (!factor.travels()) {
      factor.panels.clear();
      for (const Range& k : round) factor.panels.push_back(factor.own(k));
      continue;
    }
    const std::vector<Index> counts = pack(factor, round);
    device.synchronise();
    watch.lap(telemetry.pack);
    const Traffic before = factor.matrix->grid().traffic();
    exchange(factor, round, counts, plan.transport);
    const Traffic arrived = factor.matrix->grid().traffic() - before;
    telemetry.count(name_of(plan.transport), arrived.words_received);
    for (const auto& panel : factor.panels) telemetry.panel_words += panel.size();
    watch.lap(telemetry.transfer);
  }
}

}  // namespace

template <Scalar T>
Summa<T>::Summa(const SummaOptions& options) : options_(options) {
  require(options.panel_bytes > 0,
          "multiply: the panel budget must be 1 byte or more, got " + std::to_string(options.panel_bytes));
}

template <Scalar T>
void Summa<T>::reserve(const Grid& grid, Device& device, Index words) {
  if (grid.inside()) panels_.reserve(grid.all(), device, words);
}

template <Scalar T>
void Summa<T>::run(std::span<const Product<T>> products) {
  if (products.empty()) return;
  for (const auto& product : products) {
    require_fit(product);
    require(
        &product.c->grid() == &products.front().c->grid() && product.a->cols() == products.front().a->cols(),
        "multiply: the products of one list must have one grid and one inner dimension");
  }
  const Grid& grid = products.front().c->grid();
  Device& device = products.front().c->device();
  if (!grid.inside()) return;
  const double start = now();
  const Traffic before = grid.traffic();
  MultiplyTelemetry unasked;
  MultiplyTelemetry& telemetry = options_.telemetry ? *options_.telemetry : unasked;

  Plan<T> plan = cyclade::plan(products, options_);
  reserve(grid, device, plan.width * words_an_index(plan.factors));
  T* storage = panels_.data();
  for (auto& factor : plan.factors) {
    factor.storage = storage;
    if (factor.travels()) storage += plan.width * factor.outer;
  }
  const auto gemm = [&](std::size_t t, ConstMatrixView<T> a, ConstMatrixView<T> b, T beta) {
    products[t].c->kernels().gemm(Op::none, Op::none, products[t].alpha, a, b, beta, products[t].c->local());
  };
  for (std::size_t first = 0; first < plan.steps.size(); first += plan.steps_a_round) {
    const auto round =
        std::span(plan.steps).subspan(first, std::min(plan.steps_a_round, plan.steps.size() - first));
    bring(plan, round, device, telemetry);
    Stopwatch watch;
    for (std::size_t s = 0; s < round.size(); ++s)
      for (std::size_t t = 0; t < products.size();
           ++t)  // C := beta C + alpha A(:,k) B(k,:), beta in the first step
        gemm(t, plan.factors[plan.terms[t].left].panels[s], plan.factors[plan.terms[t].right].panels[s],
             first + s == 0 ? products[t].beta : T(1));
    device.synchronise();  // the next round writes where these products read
    watch.lap(telemetry.gemm);
  }
  if (plan.steps.empty())
    for (std::size_t t = 0; t < products.size(); ++t)  // C := beta C
      gemm(t, products[t].a->local(), products[t].b->local(), products[t].beta);
  telemetry.calls.push_back({now() - start, (grid.traffic() - before).words_received});
}

template <Scalar T>
void multiply(T alpha, const Matrix<T>& a, const Matrix<T>& b, T beta, const Matrix<T>& c,
              const SummaOptions& options) {
  const Product<T> product{alpha, &a, &b, beta, &c};
  Summa<T>(options).run(std::span(&product, 1));
}

#define CYCLADE_SUMMA(T)   \
  template class Summa<T>; \
  template void multiply<T>(T, const Matrix<T>&, const Matrix<T>&, T, const Matrix<T>&, const SummaOptions&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SUMMA)

}  // namespace cyclade
