// The recursive Schur complement on every grid: right where it claims to be, honest where it cannot be, with
// the words and the memory of its formulas.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/inverse/schur.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/device/reference.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/inverse/preflight.hpp"
#include "cyclade/io/generate.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

using test::Dense;

/// All shapes; on more than six ranks, where two processors are shared by many, in one order only.
template <class F>
void for_each_grid(F&& f) {
  test::for_each_grid([&](const Grid& grid) {
    if (grid.order() == GridOrder::row || grid.p() * grid.q() <= 6) f(grid);
  });
}

template <class T>
class Schur : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Schur, Scalars);

Layout awkward(Index n, const Grid& grid, Index mb, Index nb) {
  return {{n, mb, grid.p(), grid.p() - 1, mb + 2}, {n, nb, grid.q(), grid.q() / 2, 1}};
}

InvertOptions schur_options(Index leaf, Transport transport = Transport::automatic,
                            Index panel_bytes = Index{1} << 20) {
  InvertOptions options{.method = Method::schur};
  options.schur = {transport, panel_bytes, leaf};
  return options;
}

/// Random and diagonally dominant, so safe without pivoting.
template <Scalar T>
T dominant_entry(Index n, Index i, Index j) {
  return uniform<T>(5, i, j) + (i == j ? T(static_cast<Real<T>>(2 * n)) : T(0));
}

TYPED_TEST(Schur, inverts_dominant_matrices_of_any_size_on_any_layout) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const std::pair<Index, Index> cases[] = {{0, 1}, {1, 1}, {2, 1}, {7, 1}, {16, 3}, {37, 5}, {37, 16}};
    for (const auto& [size, leaf] : cases) {
      const Index n = size;
      Matrix<T> a(grid, awkward(n, grid, 4, 3), host);
      fill_entries(a, [&](Index i, Index j) { return dominant_entry<T>(n, i, j); });
      const Report report = invert(a, schur_options(leaf));
      EXPECT_EQ(report.status, Status::ok) << n << " " << leaf;
      EXPECT_EQ(report.method, Method::schur);
      if (n == 0) continue;
      const Dense<T> whole =
          test::dense_of<T>(n, n, [&](Index i, Index j) { return dominant_entry<T>(n, i, j); });
      const auto residual = test::scaled_residuals(whole, test::gathered(a));
      EXPECT_LE(residual.left, 10);
      EXPECT_LE(residual.right, 10);
      EXPECT_LE(report.growth, 2);
      EXPECT_EQ(report.recursion->nodes.size() + 1, report.recursion->leaves.size());
      EXPECT_TRUE(report.recursion->preflight.dominant());
    }
  });
}

/// ||X - Y||_1 <= 10 n u kappa_1 growth ||X||_1, and the same determinant.
template <Scalar T>
void expect_agreement(const Dense<T>& x, const Report& of_x, const Dense<T>& y, const Report& of_y) {
  const double bound = 10 * static_cast<double>(std::max<Index>(of_x.n, 8)) *
                       static_cast<double>(unit_roundoff<T>) * of_y.cond1 *
                       std::max(of_x.growth, of_y.growth);
  Dense<T> difference = x;
  for (std::size_t i = 0; i < x.data.size(); ++i) difference.data[i] -= y.data[i];
  EXPECT_LE(test::norm1(difference), bound * test::norm1(y));
  EXPECT_NEAR(of_x.log_determinant.log_abs(), of_y.log_determinant.log_abs(), bound);
  EXPECT_LE(std::abs(of_x.log_determinant.sign() - of_y.log_determinant.sign()), bound);
}

TYPED_TEST(Schur, agrees_with_gauss_jordan) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const std::pair<std::string_view, Index> cases[] = {
        {"dominant", 41}, {"hpd", 24}, {"random", 41}, {"lattice", 24}};
    for (const auto& [kind, n] : cases) {
      Matrix<T> a(grid, awkward(n, grid, 5, 4), host), b(grid, square_layout(n, 3, grid.p(), grid.q()), host);
      generate(kind, a);
      generate(kind, b);
      const Report one = invert(a, schur_options(6)), other = invert(b);
      EXPECT_EQ(other.status, Status::ok);
      EXPECT_EQ(one.status, Status::ok) << kind << " " << n << ": growth " << one.growth;
      expect_agreement(test::gathered(a), one, test::gathered(b), other);
      if (kind == "hpd") {
        EXPECT_LE(one.growth, 2);
        EXPECT_LE(one.recursion->preflight.asymmetry, 100 * unit_roundoff<T> * one.norm1_a);
      }
    }
  });
}

/// Matrices that need pivoting, some of them badly: what is called ok is right, and what is not falls back.
TYPED_TEST(Schur, never_says_ok_of_a_wrong_result) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 32;
    int refused = 0;
    for (const std::string_view kind : {"accretive", "hartley", "saddle", "circulant"}) {
      Matrix<T> a(grid, awkward(n, grid, 5, 4), host);
      generate(kind, a);
      const Dense<T> whole = test::gathered(a);
      InvertOptions options = schur_options(5);
      options.fallback = true;
      const Report report = invert(a, options);
      EXPECT_EQ(report.status, Status::ok) << kind;
      refused += report.fallback_from.has_value();
      const auto residual = test::scaled_residuals(whole, test::gathered(a));
      EXPECT_LE(std::max(residual.left, residual.right), 30 * report.growth) << kind;
    }
    EXPECT_GE(refused, 1);
  });
}

TYPED_TEST(Schur, all_transports_and_runs_give_the_same_bits) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 45;
    Dense<T> first;
    for (const Transport transport : {Transport::ring, Transport::ring, Transport::ring_allgather,
                                      Transport::broadcast, Transport::automatic}) {
      Matrix<T> a(grid, awkward(n, grid, 4, 4), host);
      generate("dominant", a);
      const Report report = invert(a, schur_options(7, transport, 1500));
      EXPECT_EQ(report.status, Status::ok);
      const Dense<T> x = test::gathered(a);
      if (first.data.empty()) first = x;
      EXPECT_TRUE(x == first);
      const auto& transports = report.recursion->transports;
      const bool mixed = transport == Transport::automatic;  // narrow panels go in rounds, wide ones do not
      EXPECT_LE(transports.size(), mixed ? 2u : 1u);
      for (const RecursionTransport& used : transports)
        EXPECT_TRUE(transport != Transport::broadcast || used.name == "broadcast");
    }
  });
}

/// Powers of two on rows, one for each leaf, and on columns: every operation scales exactly.
TYPED_TEST(Schur, is_equivariant_to_the_bit_under_powers_of_two) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 32, leaf = 4;  // blocks of one, so that splits are halves
    const auto row_scale = [&](Index i) {
      return static_cast<Real<T>>(std::ldexp(1.0, static_cast<int>(i / leaf % 3)));
    };
    const auto col_scale = [](Index j) {
      return static_cast<Real<T>>(std::ldexp(1.0, static_cast<int>(j % 5) - 2));
    };
    Matrix<T> a(grid, square_layout(n, 1, grid.p(), grid.q()), host), b(grid, a.layout(), host);
    fill_entries(a, [&](Index i, Index j) { return dominant_entry<T>(n, i, j); });
    fill_entries(b,
                 [&](Index i, Index j) { return dominant_entry<T>(n, i, j) * row_scale(i) * col_scale(j); });
    EXPECT_EQ(invert(a, schur_options(leaf)).status, Status::ok);
    EXPECT_EQ(invert(b, schur_options(leaf)).status, Status::ok);
    const Dense<T> x = test::gathered(a), y = test::gathered(b);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) EXPECT_EQ(y(i, j) * row_scale(j) * col_scale(i), x(i, j));
  });
}

TYPED_TEST(Schur, a_singular_leaf_stops_all_ranks_with_its_column) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 21;
    Matrix<T> a(grid, awkward(n, grid, 4, 3), host);
    fill_entries(a, [&](Index i, Index j) { return i == j && i != 13 ? T(2) : T(0); });
    const Report report = invert(a, schur_options(4));
    EXPECT_EQ(report.status, Status::singular);
    EXPECT_EQ(report.zero_pivot, 13);
    EXPECT_TRUE(std::isnan(report.log_determinant.log_abs()));  // a leading block is singular: A need not be
    EXPECT_EQ(grid.all().sum(1), grid.p() * grid.q());          // nobody was left behind in a collective
  });
}

TYPED_TEST(Schur, growth_and_overflow_are_a_status) {
  using T = TypeParam;
  using R = Real<T>;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 16;
    const auto fill = [&](const Matrix<T>& a, R leading) {  // [leading*I I; I 0]
      fill_entries(a, [&](Index i, Index j) {
        if (i == j && i < n / 2) return T(leading);
        return T(i - j == n / 2 || j - i == n / 2 ? R(1) : R(0));
      });
    };
    Matrix<T> a(grid, square_layout(n, 2, grid.p(), grid.q()), host);
    fill(a, R(1e-12));
    const Report report = invert(a, schur_options(4));
    EXPECT_EQ(report.status, Status::growth_too_large);
    EXPECT_GE(report.growth, 0.9e12);
    EXPECT_EQ(report.norm1_x, 0);
    fill(a, R(1e-12));
    InvertOptions options = schur_options(4);
    options.fallback = true;
    const Report again = invert(a, options);
    EXPECT_EQ(again.status, Status::ok);
    EXPECT_EQ(again.fallback_status, Status::growth_too_large);
    const R tiny = std::numeric_limits<R>::denorm_min();
    fill_entries(a, [&](Index i, Index j) { return i == j ? T(tiny) : T(0); });
    EXPECT_NE(invert(a, schur_options(4)).status, Status::ok);
  });
}

TYPED_TEST(Schur, falls_back_to_pivoting_where_the_leading_block_is_zero) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index n = 18;
    Matrix<T> a(grid, awkward(n, grid, 4, 3), host);
    generate("antidiagonal", a);
    const Dense<T> whole = test::gathered(a);
    EXPECT_EQ(invert(a, schur_options(5)).status, Status::singular);
    generate("antidiagonal", a);
    InvertOptions options = schur_options(5);
    options.fallback = true;
    const Report report = invert(a, options);
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_EQ(report.method, Method::gauss_jordan);
    EXPECT_EQ(report.fallback_from, Method::schur);
    EXPECT_EQ(report.fallback_status, Status::singular);
    EXPECT_TRUE(test::gathered(a) == whole);  // its own inverse

    generate("dominant", a);
    const Report safe = invert(a, options);
    EXPECT_EQ(safe.method, Method::schur);  // nothing to fall back from
    EXPECT_FALSE(safe.fallback_from.has_value());
  });
}

TEST(SchurTelemetry, a_small_leading_block_shows_in_the_norm_of_b) {
  HostDevice host;
  using T = std::complex<double>;
  for_each_grid([&](const Grid& grid) {
    const Index n = 64;
    Matrix<T> a(grid, square_layout(n, 4, grid.p(), grid.q()), host);
    fill_entries(a, [&](Index i, Index j) {
      const T entry = uniform<T>(3, i, j) + (i == j ? T(4) : T(0));
      return i < n / 2 && j < n / 2 ? entry * 1e-2 : entry;
    });
    const Dense<T> whole = test::gathered(a);
    const Report report = invert(a, schur_options(8));
    EXPECT_EQ(report.status, Status::ok);
    const RecursionTelemetry& t = *report.recursion;
    EXPECT_GT(t.largest_b(), 10);
    EXPECT_EQ(t.nodes.size(), 7u);
    EXPECT_EQ(t.leaves.size(), 8u);
    EXPECT_FALSE(t.preflight.dominant());
    // The root's complement is formed when the first half is done: node 3 of the seven. Its A22 is A's.
    const RecursionNode& root = t.nodes[3];
    EXPECT_EQ(root.depth, 0);
    EXPECT_EQ(root.middle, n / 2);
    double squares = 0;
    for (Index j = n / 2; j < n; ++j)
      for (Index i = n / 2; i < n; ++i) squares += std::norm(whole(i, j));
    EXPECT_NEAR(root.norm_a22, std::sqrt(squares), 1e-10);
    EXPECT_GT(root.schur_ratio(), 10);
    EXPECT_LE(t.bytes.min, t.bytes.max);
    EXPECT_LE(t.calls_min.p50, t.calls_max.p99);
    EXPECT_EQ(t.calls_min.calls, 4 * 7);  // four lists of products a node
    EXPECT_GT(t.largest_leaf(), 0);
  });
}

TEST(SchurTelemetry, margins_and_asymmetry_are_those_of_the_definition) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    // rows: |5|-3, |4|-1, |-6|-2; columns: |5|-3, |4|-3, |-6|-1
    const double entries[3][3] = {{5, -2, 1}, {1, 4, 0}, {2, 0, -6}};
    Matrix<double> a(grid, square_layout(3, 1, grid.p(), grid.q()), host);
    fill_entries(a, [&](Index i, Index j) { return entries[i][j]; });
    const Preflight seen = preflight(a);
    EXPECT_EQ(seen.row_margin, 2);
    EXPECT_EQ(seen.column_margin, 2);
    EXPECT_EQ(seen.asymmetry, 3);
  });
}

Index least_common_multiple(Index a, Index b) {
  for (Index m = std::max(a, b);; ++m)
    if (m % a == 0 && m % b == 0) return m;
}

TEST(SchurCost, words_are_those_of_the_formula) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    const Index nb = 2, p = grid.p(), q = grid.q(), ranks = p * q;
    const Index leaf = nb * least_common_multiple(p, q), n = leaf * 4;
    for (const Transport transport : {Transport::ring, Transport::ring_allgather, Transport::broadcast}) {
      Matrix<double> a(grid, square_layout(n, nb, grid.p(), grid.q()), host);
      generate("dominant", a);
      const Report report = invert(a, schur_options(leaf, transport));
      EXPECT_EQ(report.status, Status::ok);
      const auto words_of = [&](std::string_view name) {
        for (const PhaseUse& use : report.phases)
          if (use.name == name) return use.traffic.words_received;
        return Index{-1};
      };
      // 2.5 n^2 (1 - leaf/n) ((1 - 1/q)/p + (1 - 1/p)/q), on every rank
      EXPECT_EQ(2 * words_of("products") * n * p * q * q * p,
                5 * n * n * (n - leaf) * ((q - 1) * p * q + (p - 1) * p * q));
      EXPECT_EQ(report.recursion->bytes.min, report.recursion->bytes.max);
      EXPECT_NEAR(report.words_model, static_cast<double>(words_of("products")), 1e-6 * report.words_model);
      // A leaf: all of it to process (0,0), less what that has, and back; the verdict of six words; two
      // agreements of one word, which takes ceil(log2 P) rounds.
      Index rounds = 0;
      while ((Index{1} << rounds) < ranks) ++rounds;
      const Index owner = leaf * leaf - leaf * leaf / ranks + 2 * rounds;
      const Index other = leaf * leaf / ranks + 6 + 2 * rounds;
      EXPECT_EQ(words_of("leaves"), ranks == 1 ? 0 : 4 * std::max(owner, other));
    }
  });
}

TEST(SchurCost, memory_is_a_quarter_more_and_the_panels) {
  for_each_grid([&](const Grid& grid) {
    const Index period = 16 * least_common_multiple(grid.p(), grid.q()), ranks = grid.p() * grid.q();
    Index n = period;
    while (n * n / ranks * 8 < Index{256} << 10) n *= 2;  // so large that the quarter is most of the bound
    HostDevice host;
    Matrix<double> a(grid, square_layout(n, 16, grid.p(), grid.q()), host);
    generate("dominant", a);
    const Index held = host.memory().current, local = a.local().size() * 8;
    const Index panels = Index{32} << 10;
    host.reset_peak();
    InvertOptions options = schur_options(n / 8, Transport::automatic, panels);
    options.certificate = false;
    EXPECT_EQ(invert(a, options).status, Status::ok);
    // A leaf takes the scratch; its messages what the panels leave of their budget, or 4 KiB.
    EXPECT_LE(host.memory().peak - held, local / 4 + panels + (Index{4} << 10));
  });
}

TEST(SchurOptionsTest, wrong_use_is_refused) {
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  Matrix<double> a(grid, square_layout(4, 2, 1, 1), host);
  EXPECT_THROW(invert(a, schur_options(-1)), ArgumentError);
  EXPECT_THROW(invert(a, schur_options(1, Transport::ring, -5)), ArgumentError);
  EXPECT_THROW(invert(a, {.method = Method::schur_rows}), ArgumentError);
}

TEST(SchurRandom, reference_and_host_agree) {
  HostDevice host;
  ReferenceDevice reference;
  for_each_grid([&](const Grid& grid) {
    const Index n = 30;
    Matrix<double> a(grid, awkward(n, grid, 4, 3), host), b(grid, a.layout(), reference);
    generate("dominant", a);
    generate("dominant", b);
    const Report one = invert(a, schur_options(5)), other = invert(b, schur_options(5));
    expect_agreement(test::gathered(a), one, test::gathered(b), other);
  });
}

}  // namespace
}  // namespace cyclade
