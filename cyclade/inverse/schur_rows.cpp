// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/schur_rows.hpp"

#include <algorithm>
#include <bit>

namespace cyclade {
namespace {

/// A span of the recursion: some of the ranks that have rows, and the rows that are theirs.
struct Span {
  std::span<const int> ranks;
  Range rows;
};

std::vector<int> ranks_with_rows(const RowPartition& partition) {
  std::vector<int> ranks;
  for (int rank = 0; rank < partition.ranks(); ++rank)
    if (partition.count(rank) > 0) ranks.push_back(rank);
  return ranks;
}

Span span_of(const RowPartition& partition, std::span<const int> ranks) {
  if (ranks.empty()) return {ranks, {0, 0}};
  return {ranks, {partition.begin(ranks.front()), partition.end(ranks.back())}};
}

std::pair<Span, Span> halves(const RowPartition& partition, const Span& span) {
  const std::size_t half = span.ranks.size() / 2;
  return {span_of(partition, span.ranks.first(half)), span_of(partition, span.ranks.subspan(half))};
}

/// C goes to two products: at once where that is free. The transports of Grid are run as Grid runs them.
bool brings_once(GatherTransport transport) {
  return transport == GatherTransport::automatic || transport == GatherTransport::direct ||
         transport == GatherTransport::ring;
}

template <Scalar T>
class SlabRecursion {
 public:
  SlabRecursion(const BlockRows<T>& a, GatherOptions options, double largest_a, const Progress& progress,
                Meter& meter, RecursionTelemetry& telemetry)
      : a_(a),
        kernels_(a.kernels()),
        once_(brings_once(options.transport)),
        meter_(meter),
        telemetry_(telemetry),
        course_(a.comm(), a.rows(), largest_a, static_cast<double>(unit_roundoff<T>), progress, telemetry) {
    options.telemetry = &products_;
    gather_ = GatherMultiply<T>(options);
  }

  SweepResult run() {
    const std::vector<int> ranks = ranks_with_rows(a_.partition());
    const Span all = span_of(a_.partition(), ranks);
    allocate(all);
    for (const int rank : ranks) telemetry_.leaf = std::max(telemetry_.leaf, a_.partition().count(rank));
    invert(all, 0);
    for (const GatherDescriptor& each : gather_.descriptors()) telemetry_.gathers.push_back(to_string(each));
    const double leaf_seconds = meter_.use("leaves").seconds;
    const auto scope = meter_.phase("check");
    return course_.finish(products_, leaf_seconds, static_cast<Index>(sizeof(T)));
  }

 private:
  void allocate(const Span& all);
  bool invert(const Span& span, int depth);
  bool invert_leaf_of(const Span& span);
  bool form_complement(const Span& span, const Span& i, const Span& j, int depth);
  void form_inverse(const Span& i, const Span& j);

  BlockRows<T> columns(const Span& span) const { return a_.columns(span.rows.begin, span.rows.end); }
  /// The scratch memory as a matrix with as many columns as A has in the span.
  BlockRows<T> scratch(const Span& span) const {
    return {a_.comm(),   a_.partition(),  span.rows.size(),
            a_.device(), scratch_.data(), std::max<Index>(1, a_.local().rows)};
  }
  MatrixView<T> local(const BlockRows<T>& x, const Span& rows) const {
    return x.local({rows.rows.begin, rows.rows.end, 0, x.cols()});
  }
  void run_products(const BlockRows<T>& b, const Span& inner,
                    std::initializer_list<SlabProduct<T>> products) {
    gather_.run(b, inner.rows, std::span(products));
  }
  void keep(const BlockRows<T>& from, const BlockRows<T>& to, const Span& rows) const {
    kernels_.copy(local(from, rows), local(to, rows));
    a_.device().synchronise();
  }

  const BlockRows<T>& a_;
  const Kernels<T>& kernels_;
  bool once_;
  Meter& meter_;
  RecursionTelemetry& telemetry_;
  Course course_;
  MultiplyTelemetry products_;
  GatherMultiply<T> gather_;
  Buffer<T> scratch_;  // this rank's rows of the widest result that cannot be formed in its place
};

/// A rank's rows are of one half at every node; what it cannot form in its place has the columns of the other
/// half. The most of them at any node.
Index widest_result(const RowPartition& partition, const Span& span, int rank) {
  if (span.ranks.size() < 2) return 0;
  const auto [i, j] = halves(partition, span);
  const bool in_first = rank <= i.ranks.back();
  const Index here = (in_first ? j : i).rows.size();
  return std::max(here, widest_result(partition, in_first ? i : j, rank));
}

template <Scalar T>
void SlabRecursion<T>::allocate(const Span& all) {
  const Index widest = a_.local().rows > 0 ? widest_result(a_.partition(), all, a_.comm().rank()) : 0;
  agree(a_.comm(), [&] { scratch_ = Buffer<T>(a_.device(), a_.local().rows * widest); });
}

/// The diagonal block of the span := its inverse. False, on all ranks, if there is none to be had this way.
template <Scalar T>
bool SlabRecursion<T>::invert(const Span& span, int depth) {
  if (span.ranks.empty()) return true;
  if (span.ranks.size() == 1) return invert_leaf_of(span);
  const auto [i, j] = halves(a_.partition(), span);
  if (!invert(i, depth + 1)) return false;
  if (!form_complement(span, i, j, depth)) return false;
  if (!invert(j, depth + 1)) return false;
  form_inverse(i, j);
  return true;
}

template <Scalar T>
bool SlabRecursion<T>::invert_leaf_of(const Span& span) {
  const auto scope = meter_.phase("leaves");
  LeafVerdict verdict{};
  const int owner = span.ranks.front();
  if (owner == a_.comm().rank()) verdict = invert_leaf(a_.device(), local(columns(span), span));
  return course_.take_leaf(span.rows, verdict, owner);
}

/// With A11 inverted: A12 := B, A21 := C, A22 := S.
template <Scalar T>
bool SlabRecursion<T>::form_complement(const Span& span, const Span& i, const Span& j, int depth) {
  const BlockRows<T> of_i = columns(i), of_j = columns(j);
  ComplementPart part;
  part.a22 = sum_of_squares<T>(kernels_, local(of_j, j));
  {
    const auto scope = meter_.phase("products");
    const BlockRows<T> b = scratch(j), c = scratch(i);
    run_products(of_j, i, {{i.rows, T(1), &of_i, T(0), &b}});      // B = A11^-1 A12
    keep(b, of_j, i);                                              //
    run_products(of_i, i, {{j.rows, T(1), &of_i, T(0), &c}});      // C = A21 A11^-1
    run_products(of_j, i, {{j.rows, T(-1), &of_i, T(1), &of_j}});  // S = A22 - A21 B
    keep(c, of_i, j);
  }
  const auto scope = meter_.phase("check");
  part.b = sum_of_squares<T>(kernels_, local(of_j, i));
  part.s = sum_of_squares<T>(kernels_, local(of_j, j));
  part.largest_s = static_cast<double>(kernels_.max_abs1(local(of_j, j)));
  const auto h = static_cast<double>(i.rows.size()), w = static_cast<double>(j.rows.size());
  course_.advance(h * w * (2 * h + w));
  return course_.take_complement(span.rows, i.rows.end, depth, part);
}

/// With S inverted: the rest of the inverse.
template <Scalar T>
void SlabRecursion<T>::form_inverse(const Span& i, const Span& j) {
  const auto scope = meter_.phase("products");
  const BlockRows<T> of_i = columns(i), of_j = columns(j);
  const BlockRows<T> u = scratch(j), x21 = scratch(i);
  run_products(of_j, j, {{i.rows, T(-1), &of_j, T(0), &u}});  // A12 := -U = -B S^-1
  keep(u, of_j, i);
  const SlabProduct<T> lower{j.rows, T(-1), &of_j, T(0), &x21};   // A21 := -S^-1 C
  const SlabProduct<T> upper{i.rows, T(-1), &of_j, T(1), &of_i};  // A11 := A11^-1 + U C
  if (once_) {
    run_products(of_i, j, {lower, upper});
  } else {
    run_products(of_i, j, {lower});
    run_products(of_i, j, {upper});
  }
  keep(x21, of_i, j);
  const auto h = static_cast<double>(i.rows.size()), w = static_cast<double>(j.rows.size());
  course_.advance(h * w * (2 * w + h));
}

/// Words that all ranks together receive in the products of a span.
double words_of(const RowPartition& partition, const Span& span, bool to_users) {
  if (span.ranks.size() < 2) return 0;
  const auto [i, j] = halves(partition, span);
  const auto a = static_cast<double>(i.rows.size()), b = static_cast<double>(j.rows.size());
  const auto ni = static_cast<double>(i.ranks.size()), nj = static_cast<double>(j.ranks.size());
  // Whoever owns a piece of a panel does not receive it: of an own panel, the users together lack one.
  const double here = to_users ? (ni - 1) * a * b + nj * (a * a + a * b)        // A12; A11^-1 and B
                                     + ni * (b * b + a * b) + (nj - 1) * a * b  // S^-1 and C; C
                               : static_cast<double>(partition.ranks()) * (4 * a * b + a * a + b * b);
  return here + words_of(partition, i, to_users) + words_of(partition, j, to_users);
}

}  // namespace

double schur_rows_words(const RowPartition& rows, GatherTransport transport) {
  const std::vector<int> ranks = ranks_with_rows(rows);
  const bool to_users = brings_once(transport);
  const double words = words_of(rows, span_of(rows, ranks), to_users);
  const auto p = static_cast<unsigned>(rows.ranks());
  if (to_users) return words / p;
  if (transport == GatherTransport::zero_fill_allreduce) return words / p * std::bit_width(p - 1);
  return words / p * (p - 1) / p;
}

template <Scalar T>
SweepResult schur_rows(const BlockRows<T>& a, const GatherOptions& options, double largest_a,
                       const Progress& progress, Meter& meter, RecursionTelemetry& telemetry) {
  return SlabRecursion<T>(a, options, largest_a, progress, meter, telemetry).run();
}

#define CYCLADE_SCHUR_ROWS(T)                                                                            \
  template SweepResult schur_rows<T>(const BlockRows<T>&, const GatherOptions&, double, const Progress&, \
                                     Meter&, RecursionTelemetry&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SCHUR_ROWS)

}  // namespace cyclade
