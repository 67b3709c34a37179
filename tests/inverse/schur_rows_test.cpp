// The recursion on row slabs: against LAPACK on gathered data, for even, uneven and empty slabs and all
// transports; words against closed forms; what it says when it must stop.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/schur_rows.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/device/reference.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/inverse/preflight.hpp"
#include "cyclade/matrix/symmetry.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/slabs.hpp"

namespace cyclade {
namespace {

using test::Dense;
using test::gathered;

constexpr GatherTransport transports[] = {GatherTransport::zero_fill_allreduce, GatherTransport::allgatherv,
                                          GatherTransport::broadcast_per_rank, GatherTransport::direct,
                                          GatherTransport::ring};

bool is_grids(GatherTransport t) { return t != GatherTransport::direct && t != GatherTransport::ring; }

GatherOptions by(GatherTransport transport, Index panel_bytes = Index{1} << 20) {
  return {.transport = transport, .panel_bytes = panel_bytes, .force = true};
}

struct World {
  Traffic traffic;
  Communicator comm = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  int ranks = comm.size();
  /// Many ranks on few processors take long: then one type will do.
  template <Scalar T>
  bool thorough() const {
    return ranks <= 4 || scalar_type<T> == ScalarType::d;
  }
};

/// One inversion and all that it tells.
struct Outcome {
  SweepResult result;
  RecursionTelemetry telemetry;
};
template <Scalar T>
Outcome run(const BlockRows<T>& a, const GatherOptions& options, double largest_a = 1e3) {
  Outcome r;
  Meter meter(*a.comm().traffic());
  r.result = schur_rows(a, options, largest_a, nullptr, meter, r.telemetry);
  return r;
}

enum class Family { moderate, large_condition, small_leading_block };

/// `leading`: rows of the first half of the ranks.
template <Scalar T>
T entry(Family family, Index n, Index leading, Index i, Index j) {
  const auto size = static_cast<Real<T>>(n);
  T x = uniform<T>(5, i, j) + (i == j ? T(Real<T>(1.5) * std::sqrt(size)) : T(0));
  if (family == Family::large_condition)
    x *= std::pow(Real<T>(10), Real<T>(sizeof(Real<T>) == 8 ? -8 : -3) * static_cast<Real<T>>(i) / size);
  if (family == Family::small_leading_block && i < leading && j < leading) x *= Real<T>(1e-2);
  return x;
}

/// X against LAPACK's inverse: ||X - X0||_1 / ||X0||_1 over n u kappa max(1, growth).
template <Scalar T>
double scaled_distance(const Dense<T>& a, const Dense<T>& x, double growth, HostDevice& host) {
  Dense<T> reference = a;
  std::vector<T> pivots(static_cast<std::size_t>(a.rows));
  host.kernels<T>().invert(reference.view(), pivots);
  const double size = test::norm1(reference), kappa = size * test::norm1(a);
  Dense<T> difference = x;
  host.kernels<T>().subtract(reference.view(), difference.view());
  return test::norm1(difference) / size /
         (static_cast<double>(a.rows) * static_cast<double>(unit_roundoff<T>) * kappa *
          std::max(1.0, growth));
}

template <class T>
class SchurRows : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SchurRows, Scalars);

TYPED_TEST(SchurRows, inverts_three_families) {
  using T = TypeParam;
  const World world;
  HostDevice host;
  for (const Index n : {64, 200, 513}) {
    if (n == 513 && (scalar_type<T> != ScalarType::d || world.ranks > 6)) continue;
    const RowPartition even = RowPartition::even(n, world.ranks);
    const Index leading = even.begin(world.ranks / 2);
    for (const Family family : {Family::moderate, Family::large_condition, Family::small_leading_block}) {
      BlockRows<T> a(world.comm, even, n, host);
      fill_entries(a, [&](Index i, Index j) { return entry<T>(family, n, leading, i, j); });
      const Dense<T> original = gathered(a);
      const double largest = static_cast<double>(host.kernels<T>().max_abs1({original.data.data(), n, n}));
      const Outcome r = run(a, by(GatherTransport::automatic), largest);
      EXPECT_EQ(r.result.status, Status::ok);
      EXPECT_LE(scaled_distance(original, gathered(a), r.result.largest / largest, host), 10);
      if (family == Family::small_leading_block && world.ranks > 1) {
        EXPECT_GT(r.telemetry.largest_b(), 10);
      }
    }
  }
}

TYPED_TEST(SchurRows, inverts_slabs_of_any_size_by_any_transport) {
  using T = TypeParam;
  const World world;
  HostDevice host;
  if (!world.thorough<T>()) return;
  for (const Index n : world.ranks <= 4 ? std::vector<Index>{0, 1, 5, 19} : std::vector<Index>{1, 11}) {
    for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
      for (const GatherTransport transport : transports) {
        for (const Index budget : {Index{world.ranks <= 4 ? 64 : 512}, Index{1} << 30}) {
          BlockRows<T> a(world.comm, slabs, n, host);
          fill_entries(a, [&](Index i, Index j) { return entry<T>(Family::moderate, n, 0, i, j); });
          const Dense<T> original = gathered(a);
          const Outcome r = run(a, by(transport, budget));
          EXPECT_EQ(r.result.status, Status::ok);
          if (n > 0) {
            EXPECT_LE(scaled_distance(original, gathered(a), 1, host), 10);
          }
        }
      }
    }
  }
}

TYPED_TEST(SchurRows, log_determinant) {
  using T = TypeParam;
  const World world;
  HostDevice host;
  const Index n = 23;
  for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
    BlockRows<T> a(world.comm, slabs, n, host);
    fill_entries(
        a, [&](Index i, Index j) {  // rows 0 and 1 exchanged: pivoting inside a slab changes the sign
          return entry<T>(Family::moderate, n, 0, slabs.count(slabs.owner(0)) > 1 && i < 2 ? 1 - i : i, j);
        });
    Dense<T> original = gathered(a);
    std::vector<T> pivots(static_cast<std::size_t>(n));
    LogDeterminant expected;
    const int parity = host.kernels<T>().invert(original.view(), pivots).parity;
    for (const T& pivot : pivots) expected.multiply(pivot);
    expected.flip_sign(parity);
    const LogDeterminant found = run(a, {}).result.log_determinant;
    const double tolerance = 1e3 * static_cast<double>(unit_roundoff<T>);
    EXPECT_NEAR(found.log_abs(), expected.log_abs(), tolerance);
    EXPECT_LE(std::abs(found.sign() - expected.sign()), tolerance);
  }
}

TYPED_TEST(SchurRows, is_the_same_to_the_bit_again_and_by_every_transport) {
  using T = TypeParam;
  const World world;
  HostDevice host;
  if (!world.thorough<T>()) return;
  ReferenceDevice reference;  // entry by entry: the width of chunks makes no difference
  const Index n = 26;
  for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
    const auto inverse = [&](Device& device, const GatherOptions& options) {
      BlockRows<T> a(world.comm, slabs, n, device);
      fill_entries(a, [&](Index i, Index j) { return entry<T>(Family::moderate, n, 0, i, j); });
      run(a, options);
      return gathered(a);
    };
    EXPECT_EQ(inverse(host, {}), inverse(host, {}));
    const Dense<T> first = inverse(reference, by(GatherTransport::direct));
    for (const GatherTransport transport : transports) {
      EXPECT_EQ(inverse(reference, by(transport)), first);
      EXPECT_EQ(inverse(reference, by(transport, 200)), first);
    }
  }
}

/// Words received by each transport in a product, from the telemetry: min and max over the ranks.
OverRanks words_of(const Outcome& r, Index word_bytes) {
  EXPECT_LE(r.telemetry.transports.size(), 1u);
  if (r.telemetry.transports.empty()) return {};
  const OverRanks& bytes = r.telemetry.transports[0].bytes;
  return {bytes.min / static_cast<double>(word_bytes), bytes.max / static_cast<double>(word_bytes)};
}

TEST(SchurRowsWords, follow_the_closed_forms) {
  using T = double;
  const World world;
  HostDevice host;
  const int p = world.ranks;
  if (!std::has_single_bit(static_cast<unsigned>(p))) return;  // equal halves at every level
  const Index n = 12 * p;
  const double n2 = static_cast<double>(n * n), share = 1.0 / p;
  for (const GatherTransport transport : transports) {
    BlockRows<T> a(world.comm, RowPartition::even(n, p), n, host);
    fill_entries(a, [&](Index i, Index j) { return entry<T>(Family::moderate, n, 0, i, j); });
    const Outcome r = run(a, by(transport, 5000));
    const OverRanks words = words_of(r, sizeof(T));
    EXPECT_EQ(words.min, words.max);
    const double panels = r.telemetry.panel_bytes.max / sizeof(T);
    if (is_grids(transport)) {
      EXPECT_EQ(panels, 3 * n2 * (1 - share));
    }
    switch (transport) {
      case GatherTransport::zero_fill_allreduce:  // as reductions are counted: every round
        EXPECT_EQ(words.max, 3 * n2 * (1 - share) * std::log2(p));
        break;
      case GatherTransport::allgatherv:
      case GatherTransport::broadcast_per_rank:  // all but the own part of the payload
        EXPECT_EQ(words.max, 3 * n2 * (1 - share) * (1 - share));
        break;
      default:
        EXPECT_EQ(words.max, n2 * (1 - share));
    }
    EXPECT_EQ(schur_rows_words(a.partition(), transport), words.max);
  }
}

TEST(SchurRowsWords, are_foretold_for_any_slabs) {
  using T = std::complex<float>;
  const World world;
  HostDevice host;
  const Index n = 29;
  for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
    for (const GatherTransport transport : transports) {
      BlockRows<T> a(world.comm, slabs, n, host);
      fill_entries(a, [&](Index i, Index j) { return entry<T>(Family::moderate, n, 0, i, j); });
      Meter meter(*world.comm.traffic());
      RecursionTelemetry telemetry;
      schur_rows(a, by(transport), 1e3, nullptr, meter, telemetry);
      const double foretold = schur_rows_words(slabs, transport);
      const OverRanks words = words_of({{}, telemetry}, sizeof(T));
      EXPECT_LE(words.min, foretold + 1e-9);
      EXPECT_GE(words.max, foretold - 1e-9);
      if (transport == GatherTransport::zero_fill_allreduce) {
        EXPECT_DOUBLE_EQ(words.max, foretold);
      }
    }
  }
}

TEST(SchurRowsStops, where_a_leading_block_is_singular) {
  const World world;
  HostDevice host;
  // [[0, I], [I, 0]]: on one rank pivoting finds its way; on more the first slab's block is zero
  const Index n = 8;
  for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
    BlockRows<double> a(world.comm, slabs, n, host);
    fill_entries(a, [&](Index i, Index j) { return (i + n / 2) % n == j ? 1.0 : 0.0; });
    const Dense<double> original = gathered(a);
    const Outcome r = run(a, {}, 1);
    const Index first = slabs.count(slabs.owner(0));
    if (first == n) {
      EXPECT_EQ(r.result.status, Status::ok);
      EXPECT_EQ(gathered(a), original);  // its own inverse
    } else if (first <= n / 2) {
      EXPECT_EQ(r.result.status, Status::singular);
      EXPECT_EQ(r.result.zero_pivot, 0);
    }
  }
  // A zero column inside the last slab: the pivot of its Schur complement
  BlockRows<double> a(world.comm, RowPartition::even(24, world.ranks), 24, host);
  fill_entries(a,
               [&](Index i, Index j) { return j == 22 ? 0 : entry<double>(Family::moderate, 24, 0, i, j); });
  const Outcome r = run(a, {}, 10);
  EXPECT_EQ(r.result.status, Status::singular);
  EXPECT_EQ(r.result.zero_pivot, 22);
}

TYPED_TEST(SchurRows, stops_at_growth_and_at_what_is_not_a_number) {
  using T = TypeParam;
  using R = Real<T>;
  const World world;
  HostDevice host;
  const Index n = 24;
  const RowPartition even = RowPartition::even(n, world.ranks);
  const Index leading = even.begin(world.ranks / 2);
  const auto status_of = [&](auto&& f) {
    BlockRows<T> a(world.comm, even, n, host);
    fill_entries(a, f);
    return run(a, {}, 10).result.status;
  };
  const auto plain = [&](Index i, Index j) { return entry<T>(Family::moderate, n, 0, i, j); };
  const R tiny = unit_roundoff<T>;
  const Status grown = status_of(
      [&](Index i, Index j) { return i < leading && j < leading ? plain(i, j) * tiny : plain(i, j); });
  EXPECT_EQ(grown, world.ranks > 1 ? Status::growth_too_large : Status::ok);
  for (const R bad : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()}) {
    for (const auto& [row, col] : {std::pair<Index, Index>{0, 0}, {3, 20}, {20, 3}, {23, 23}}) {
      const Status status = status_of(
          [&, r = row, c = col](Index i, Index j) { return i == r && j == c ? T(bad) : plain(i, j); });
      EXPECT_NE(status, Status::ok);
    }
  }
  // An inverse beyond the largest number
  const R small = std::numeric_limits<R>::denorm_min() * 4;
  const Status over = status_of([&](Index i, Index j) { return i == j ? T(small) : T(0); });
  EXPECT_EQ(over, Status::growth_too_large);
}

TEST(SchurRowsTelemetry, tells_what_happened) {
  using T = double;
  const World world;
  HostDevice host;
  const Index n = 40;
  for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
    std::vector<int> owners;
    for (int rank = 0; rank < world.ranks; ++rank)
      if (slabs.count(rank) > 0) owners.push_back(rank);
    for (const GatherTransport transport : transports) {
      BlockRows<T> a(world.comm, slabs, n, host);
      fill_entries(a, [&](Index i, Index j) { return entry<T>(Family::moderate, n, 0, i, j); });
      Dense<T> original = gathered(a);
      GatherOptions options = by(transport);
      options.barrier = true;
      options.describe_calls = 2;
      const Outcome r = run(a, options);
      const RecursionTelemetry& t = r.telemetry;
      EXPECT_EQ(t.leaves.size(), owners.size());
      EXPECT_EQ(t.nodes.size(), owners.size() - 1);
      for (std::size_t k = 0; k < t.leaves.size(); ++k) EXPECT_EQ(t.leaves[k].range, slabs.range(owners[k]));
      EXPECT_EQ(t.leaf, std::ranges::max(t.leaves, {}, [](const auto& leaf) {
                          return leaf.range.size();
                        }).range.size());
      const auto calls = static_cast<Index>(t.nodes.size()) * (is_grids(transport) ? 6 : 5);
      EXPECT_EQ(t.calls_min.calls, calls);
      EXPECT_EQ(t.calls_max.calls, calls);
      if (t.nodes.empty() || t.transports.empty()) continue;
      EXPECT_EQ(t.transports.size(), 1u);
      EXPECT_EQ(t.transports[0].name, to_string(transport));
      EXPECT_EQ(t.transports[0].collectives.max, static_cast<double>(calls));
      EXPECT_EQ(t.gathers.size(), 2u);
      EXPECT_GT(t.wait.max, 0);
      EXPECT_GT(t.transfer.max, 0);
      EXPECT_GT(t.gemm.max, 0);
      // The root: ||A11^-1 A12||_F, ||A22||_F and ||A22 - A21 B||_F from the whole matrix
      const RecursionNode& root = *std::ranges::find(t.nodes, 0, &RecursionNode::depth);
      EXPECT_EQ(root.range, (Range{0, n}));
      EXPECT_EQ(root.middle, slabs.begin(owners[owners.size() / 2]));
      const Index m = root.middle;
      const auto& kernels = host.kernels<T>();
      const MatrixView<T> w = original.view();
      const MatrixView<T> a11 = w.sub(0, m, 0, m), a12 = w.sub(0, m, m, n), a22 = w.sub(m, n, m, n);
      EXPECT_NEAR(root.norm_a22, std::sqrt(sum_of_squares<T>(kernels, a22)), 1e-10);
      std::vector<T> pivots(static_cast<std::size_t>(m));
      kernels.invert(a11, pivots);
      Dense<T> b(m, n - m);
      kernels.gemm(Op::none, Op::none, 1, a11, a12, 0, b.view());
      kernels.gemm(Op::none, Op::none, -1, w.sub(m, n, 0, m), b.view(), 1, a22);
      EXPECT_NEAR(root.norm_b, std::sqrt(sum_of_squares<T>(kernels, b.view())), 1e-10);
      EXPECT_NEAR(root.norm_s, std::sqrt(sum_of_squares<T>(kernels, a22)), 1e-10);
    }
  }
}

TYPED_TEST(SchurRows, reports_as_the_other_layout_does) {
  using T = TypeParam;
  const World world;
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, nearest_square(world.ranks));
  if (!world.thorough<T>()) return;
  for (const Index n : world.ranks <= 4 ? std::vector<Index>{1, 7, 24} : std::vector<Index>{24}) {
    const auto f = [&](Index i, Index j) { return entry<T>(Family::large_condition, n, 0, i, j); };
    Matrix<T> x(grid, square_layout(n, 3, grid.p(), grid.q()), host);
    fill_entries(x, f);
    const Preflight before = preflight(x);
    const Report other = invert(x);
    for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
      BlockRows<T> a(world.comm, slabs, n, host);
      fill_entries(a, f);
      const Dense<T> original = gathered(a);
      const Report r = invert(a, {.method = Method::schur_rows});
      EXPECT_EQ(r.status, Status::ok);
      EXPECT_EQ(r.method, Method::schur_rows);
      EXPECT_EQ(r.grid, (GridShape{world.ranks, 1}));
      EXPECT_TRUE(r.certificate.taken);
      EXPECT_GE(r.certificate.digits, sizeof(Real<T>) == 8 ? 6 : 1);
      const double u = static_cast<double>(unit_roundoff<T>);
      EXPECT_NEAR(r.norm1_a / other.norm1_a, 1, 100 * u);
      EXPECT_NEAR(r.norm1_x / other.norm1_x, 1, 100 * u * other.cond1);
      EXPECT_NEAR(r.row_scale / other.row_scale, 1, 100 * u);
      // The certificate bounds the truth.
      const Dense<T> inverse = gathered(a);
      const double truth = test::distance_from_identity(inverse, original) / static_cast<double>(n);
      EXPECT_LE(truth, r.certificate.left + 100 * u * r.cond1);
      const Preflight seen = r.recursion.value_or(RecursionTelemetry{}).preflight;
      const double tolerance = 100 * u * r.norm1_a;
      EXPECT_NEAR(seen.row_margin, before.row_margin, tolerance);
      EXPECT_NEAR(seen.column_margin, before.column_margin, tolerance);
      EXPECT_NEAR(seen.asymmetry, before.asymmetry, tolerance);
      // The same figures on all ranks
      for (const double figure : {r.seconds, r.certificate.left, r.growth, r.cond1, r.recursion->wait.max,
                                  static_cast<double>(r.traffic.words_received)}) {
        EXPECT_EQ(world.comm.max(figure), figure);
        EXPECT_EQ(world.comm.min(figure), figure);
      }
    }
  }
}

TEST(SchurRowsReport, says_why_there_is_no_inverse) {
  using T = double;
  const World world;
  HostDevice host;
  const Index n = 16;
  for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
    BlockRows<T> a(world.comm, slabs, n, host);
    const InvertOptions options{.method = Method::schur_rows};
    fill_entries(a, [&](Index i, Index j) { return i == 9 && j == 3 ? NAN : i == j ? 1.0 : 0.0; });
    const Report bad = invert(a, options);
    EXPECT_EQ(bad.status, Status::non_finite_input);
    EXPECT_EQ(bad.bad_row, 9);
    EXPECT_EQ(bad.bad_col, 3);
    // Two rows that rounding alone tells apart
    fill_entries(a, [&](Index i, Index j) {
      const Index row = i == n - 1 ? 2 : i;
      return entry<T>(Family::moderate, n, 0, row, j) + (i == n - 1 && j == 5 ? 1e-15 : 0);
    });
    const Report near = invert(a, options);
    EXPECT_NE(near.status, Status::ok);
    if (near.status == Status::numerically_singular) {
      const std::vector<Index>& rows = near.dependence.rows;
      EXPECT_NE(std::ranges::find(rows, 2), rows.end());
      EXPECT_NE(std::ranges::find(rows, n - 1), rows.end());
    }
  }
}

TEST(SchurRowsReport, finds_what_is_not_hermitian_in_any_slabs) {
  using T = std::complex<double>;
  const World world;
  HostDevice host;
  const Index n = 21;
  for (const RowPartition& slabs : test::awkward_partitions(n, world.ranks)) {
    BlockRows<T> a(world.comm, slabs, n, host);
    const auto hermitian = [](Index i, Index j) {
      return i == j ? T(3) : i > j ? uniform<T>(4, i, j) : std::conj(uniform<T>(4, j, i));
    };
    for (const Index budget : {Index{1}, Index{1} << 20}) {
      fill_entries(a, hermitian);
      EXPECT_EQ(largest_asymmetry(a, Symmetry::hermitian, budget), 0);
      for (const auto& [row, col] : {std::pair<Index, Index>{20, 1}, {1, 20}, {6, 5}, {12, 12}}) {
        fill_entries(a, [&, r = row, c = col](Index i, Index j) {
          return hermitian(i, j) + (i == r && j == c ? T(0, 0.5) : T(0));
        });
        EXPECT_NEAR(largest_asymmetry(a, Symmetry::hermitian, budget), row == col ? 1.0 : 0.5, 1e-12);
      }
    }
  }
}

TEST(SchurRowsOptions, are_checked) {
  const World world;
  HostDevice host;
  BlockRows<double> a(world.comm, RowPartition::even(4, world.ranks), 4, host);
  EXPECT_THROW(run(a, {.panel_bytes = 0}), ArgumentError);
  EXPECT_THROW(run(a, {.transport = GatherTransport::allgatherv}), ArgumentError);
  EXPECT_THROW(invert(a, {.method = Method::schur}), ArgumentError);
  EXPECT_THROW(invert(a, {.method = Method::schur_rows, .structure = Structure::symmetric}), ArgumentError);
  EXPECT_THROW(invert(a, {.method = Method::schur_rows, .gather = {.panel_bytes = 0}}), ArgumentError);
  BlockRows<double> wide(world.comm, RowPartition::even(4, world.ranks), 5, host);
  EXPECT_THROW(invert(wide, {.method = Method::schur_rows}), ArgumentError);
}

}  // namespace
}  // namespace cyclade
