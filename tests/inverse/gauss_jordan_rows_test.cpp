// Gauss-Jordan on row slabs, even, uneven and empty: exact inverses bitwise, residuals, the words of the
// formula, memory, and the ways it can end. What is eliminated, and in which order, does not depend on who
// holds the rows.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/inverse/gauss_jordan.hpp"
#include "cyclade/inverse/invert.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/slabs.hpp"

namespace cyclade {
namespace {

using test::awkward_partitions;
using test::Dense;

struct World {
  Traffic traffic;
  Communicator comm = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  /// Many ranks on few processors take long: then not everything for every type.
  template <Scalar T>
  bool thorough() const {
    return comm.size() <= 4 || scalar_type<T> == ScalarType::d;
  }
};

template <class T>
class GaussJordanRows : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GaussJordanRows, Scalars);

TYPED_TEST(GaussJordanRows, residuals_are_small_on_all_partitions) {
  using T = TypeParam;
  const World world;
  HostDevice host;
  if (!world.thorough<T>()) return;
  for (const Index n : {1, 2, 7, 24}) {
    const auto entry = [&](Index i, Index j) { return uniform<T>(3, i, j); };
    for (const RowPartition& rows : awkward_partitions(n, world.comm.size())) {
      BlockRows<T> a(world.comm, rows, n, host);
      fill_entries(a, entry);
      const Report report = invert(a, {.panel_width = 5});
      EXPECT_EQ(report.status, Status::ok);
      EXPECT_EQ(report.method, Method::gauss_jordan);
      const auto residual = test::scaled_residuals(test::dense_of<T>(n, n, entry), test::gathered(a));
      EXPECT_LE(residual.left, 10) << n;
      EXPECT_LE(residual.right, 30) << n;
    }
  }
}

TYPED_TEST(GaussJordanRows, permutations_are_inverted_bitwise_and_minij_exactly) {
  using T = TypeParam;
  const World world;
  HostDevice host;
  if (!world.thorough<T>()) return;
  const Index n = 29;
  for (const RowPartition& rows : awkward_partitions(n, world.comm.size())) {
    BlockRows<T> a(world.comm, rows, n, host);
    const auto target = [&](Index i) { return (i * 5 + 2) % n; };
    fill_entries(a, [&](Index i, Index j) { return T(j == target(i) ? 1 : 0); });
    const Report report = invert(a, {.panel_width = 4});
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_EQ(report.log_determinant.log_abs(), 0);
    EXPECT_EQ(test::gathered(a),
              test::dense_of<T>(n, n, [&](Index i, Index j) { return T(i == target(j) ? 1 : 0); }));

    fill_entries(a, [](Index i, Index j) { return T(static_cast<Real<T>>(std::min(i, j) + 1)); });
    invert(a);
    EXPECT_EQ(test::gathered(a), test::dense_of<T>(n, n, [&](Index i, Index j) {
                if (i == j) return T(i + 1 == n ? 1 : 2);
                return T(std::abs(i - j) == 1 ? -1 : 0);
              }));
  }
}

TEST(GaussJordanRowsWords, are_the_rows_that_a_rank_lacks) {
  const World world;
  HostDevice host;
  const Index n = 31;
  for (const RowPartition& rows : awkward_partitions(n, world.comm.size())) {
    BlockRows<double> a(world.comm, rows, n, host);
    fill_entries(a, [](Index i, Index j) { return uniform<double>(5, i, j); });
    Meter meter(world.traffic);
    EXPECT_EQ(gauss_jordan(a, {.panel_width = 6}, meter).status, Status::ok);
    const Index m_loc = a.local().rows;
    EXPECT_EQ(meter.use("exchange").traffic.words_received, n * (n - m_loc));
    // Room for messages is made in two agreements of one word, in ceil(log2 P) rounds.
    const Index agreements = 2 * std::bit_width(static_cast<unsigned>(world.comm.size() - 1));
    EXPECT_LE(meter.use("permutation").traffic.words_received, m_loc * n + agreements);
  }
}

TEST(GaussJordanRowsMemory, is_the_panels_and_the_permutations_budget) {
  const World world;
  const Index n = 96, width = 8, budget = 10000;
  for (const RowPartition& rows : awkward_partitions(n, world.comm.size())) {
    HostDevice host;
    BlockRows<double> a(world.comm, rows, n, host);
    fill_entries(a, [](Index i, Index j) { return uniform<double>(5, i, j); });
    const Index matrix = host.memory().current;
    Meter meter(world.traffic);
    host.reset_peak();
    gauss_jordan(a, {.panel_width = width, .permutation_budget = budget}, meter);
    const Index word = sizeof(double), panels = 2 * width * (a.local().rows + n) * word;
    const Index squares = (5 * width * width + 20 * width + 100) * word, line = 2 * n * word;
    EXPECT_LE(host.memory().peak - matrix, panels + squares + std::max(budget, line));
    EXPECT_EQ(host.memory().current, matrix);
  }
}

TEST(GaussJordanRowsPivots, are_those_of_the_grid) {
  const World world;
  HostDevice host;
  const Index n = 24;
  const auto entry = [](Index i, Index j) { return std::round(1.4 * uniform<double>(5, i, j)); };  // ties
  const Grid alone(MPI_COMM_SELF, {1, 1});
  Matrix<double> whole(alone, square_layout(n, n, 1, 1), host);
  fill_entries(whole, entry);
  const Report expected = invert(whole);
  for (const RowPartition& rows : awkward_partitions(n, world.comm.size())) {
    BlockRows<double> a(world.comm, rows, n, host);
    fill_entries(a, entry);
    const Report report = invert(a);
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_NEAR(report.log_determinant.log_abs(), expected.log_determinant.log_abs(), 1e-12);
    EXPECT_EQ(report.log_determinant.sign(), expected.log_determinant.sign());
    EXPECT_NEAR(report.norm1_x, expected.norm1_x, 1e-10 * expected.norm1_x);
  }
}

TEST(GaussJordanRowsBits, repeat_with_and_without_lookahead) {
  const World world;
  HostDevice host;
  const Index n = 50;
  for (const RowPartition& rows : awkward_partitions(n, world.comm.size())) {
    Dense<double> first;
    for (const bool lookahead : {true, true, false}) {
      BlockRows<double> a(world.comm, rows, n, host);
      fill_entries(a, [](Index i, Index j) { return uniform<double>(9, i, j); });
      invert(a, {.panel_width = 8, .lookahead = lookahead});
      if (first.data.empty()) first = test::gathered(a);
      EXPECT_EQ(test::gathered(a), first);
    }
  }
}

TEST(GaussJordanRowsStatus, says_what_is_wrong_on_all_ranks) {
  const World world;
  HostDevice host;
  const Index n = 9;
  for (const RowPartition& rows : awkward_partitions(n, world.comm.size())) {
    BlockRows<double> a(world.comm, rows, n, host);
    fill_entries(a, [](Index i, Index j) { return i == j && i < 8 ? 1.0 : 0.0; });
    Report report = invert(a);
    EXPECT_EQ(report.status, Status::singular);
    EXPECT_EQ(report.zero_pivot, 8);

    fill_entries(a, [](Index i, Index j) { return i == 4 && j == 2 ? std::nan("") : 1.0; });
    report = invert(a);
    EXPECT_EQ(report.status, Status::non_finite_input);
    EXPECT_EQ(report.bad_row, 4);
    EXPECT_EQ(report.bad_col, 2);
  }
}

/// No leading block of it can be eliminated without exchanges: the recursion gives up, and says so.
TEST(GaussJordanRowsFallback, takes_over_from_the_recursion) {
  const World world;
  if (world.comm.size() == 1) GTEST_SKIP() << "one rank: the recursion is one pivoted leaf";
  HostDevice host;
  const Index n = 24;
  BlockRows<double> a(world.comm, RowPartition::even(n, world.comm.size()), n, host);
  const auto antidiagonal = [&](Index i, Index j) { return i + j == n - 1 ? 2.0 : 0.0; };
  fill_entries(a, antidiagonal);
  EXPECT_EQ(invert(a, {.method = Method::schur_rows}).status, Status::singular);
  fill_entries(a, antidiagonal);
  const Report report = invert(a, {.method = Method::schur_rows, .fallback = true});
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.method, Method::gauss_jordan);
  EXPECT_EQ(report.fallback_from, Method::schur_rows);
  EXPECT_EQ(test::gathered(a),
            test::dense_of<double>(n, n, [&](Index i, Index j) { return i + j == n - 1 ? 0.5 : 0.0; }));
}

TEST(GaussJordanRowsErrors, name_what_is_wrong_before_any_message) {
  const World world;
  HostDevice host;
  const BlockRows<double> flat(world.comm, RowPartition::even(4, world.comm.size()), 5, host);
  EXPECT_THROW(invert(flat), ArgumentError);
  const BlockRows<double> a(world.comm, RowPartition::even(4, world.comm.size()), 4, host);
  EXPECT_THROW(invert(a, {.method = Method::cholesky}), ArgumentError);
  EXPECT_THROW(invert(a, {.structure = Structure::symmetric}), ArgumentError);
  EXPECT_THROW(invert(a, {.panel_width = -1}), ArgumentError);
  EXPECT_THROW(invert(a, {.permutation_budget = -1}), ArgumentError);
  const BlockRows<double> nothing(world.comm, RowPartition::even(0, world.comm.size()), 0, host);
  EXPECT_EQ(invert(nothing).status, Status::ok);
}

}  // namespace
}  // namespace cyclade
