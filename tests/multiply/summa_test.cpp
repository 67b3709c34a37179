// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/multiply/summa.hpp"

#include <cstring>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "tests/multiply/integer_entries.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

using test::expected_entry;
using test::integer_entry;

constexpr Transport transports[] = {Transport::automatic, Transport::ring, Transport::ring_allgather,
                                    Transport::broadcast};

/// The dealing of a product: big matrices, and the windows of them that are multiplied.
struct Case {
  Axis rows, cols;          // of A and C, of B and C
  Axis inner_a, inner_b;    // columns of A, rows of B
  Range i, j;               // window in rows and cols
  Index a0 = 0, b0 = 0, k;  // window in inner_a and inner_b
};

/// Blocks of many sizes, sources and first blocks that fit the grid; windows that begin and end anywhere.
std::vector<Case> cases(const Grid& grid) {
  const int p = grid.p(), q = grid.q();
  const int sp = p - 1, sq = q / 2;
  return {
      {{16, 4, p}, {16, 4, q}, {16, 4, q}, {16, 4, p}, {0, 16}, {0, 16}, 0, 0, 16},
      {{17, 3, p, sp}, {13, 2, q, sq}, {19, 5, q, sq, 2}, {21, 1, p, sp, 3}, {0, 17}, {0, 13}, 0, 2, 19},
      {{23, 8, p, 0, 3}, {11, 1, q, sq, 4}, {16, 3, q}, {29, 4, p, sp}, {5, 22}, {2, 9}, 3, 11, 12},
      {{9, 64, p, sp}, {7, 64, q, sq}, {12, 64, q, sq}, {12, 64, p}, {2, 8}, {1, 6}, 1, 4, 7},  // one owner
                                                                                                // each
      {{1, 1, p}, {1, 1, q}, {40, 1, q}, {40, 2, p}, {0, 1}, {0, 1}, 0, 0, 40},                 // empty parts
      {{12, 2, p}, {12, 2, q}, {12, 2, q}, {12, 2, p}, {3, 3}, {2, 7}, 1, 1, 5},                // m = 0
      {{12, 2, p}, {12, 2, q}, {12, 2, q}, {12, 2, p}, {3, 8}, {7, 7}, 1, 1, 5},                // n = 0
      {{12, 2, p}, {12, 2, q}, {12, 2, q}, {12, 2, p}, {3, 8}, {2, 7}, 5, 1, 0},                // k = 0
      {{0, 1, p}, {0, 1, q}, {0, 1, q}, {0, 1, p}, {0, 0}, {0, 0}, 0, 0, 0},
  };
}

/// C (a window) against the sum of products of entries; and that nothing beside the window has changed.
template <Scalar T>
void expect_product(const Grid& grid, Device& device, const Case& dealing, T alpha, T beta,
                    const SummaOptions& options) {
  const Matrix<T> a(grid, {dealing.rows, dealing.inner_a}, device),
      b(grid, {dealing.inner_b, dealing.cols}, device), c(grid, {dealing.rows, dealing.cols}, device);
  const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
  const Window wc{dealing.i.begin, dealing.i.end, dealing.j.begin, dealing.j.end};
  const auto inside = [&](Index i, Index j) { return i >= wc.i0 && i < wc.i1 && j >= wc.j0 && j < wc.j1; };
  fill_entries(a, [](Index i, Index j) { return integer_entry<T>(1, i, j); });
  fill_entries(b, [](Index i, Index j) { return integer_entry<T>(2, i, j); });
  fill_entries(
      c, [&](Index i, Index j) { return beta == T(0) && inside(i, j) ? nan : integer_entry<T>(3, i, j); });
  multiply(alpha, a.window({wc.i0, wc.i1, dealing.a0, dealing.a0 + dealing.k}),
           b.window({dealing.b0, dealing.b0 + dealing.k, wc.j0, wc.j1}), beta, c.window(wc), options);
  Index wrong = 0;
  for (Index jl = 0; jl < c.local().cols; ++jl) {
    for (Index il = 0; il < c.local().rows; ++il) {
      const Index i = c.global_row(il), j = c.global_col(jl);
      const T old = integer_entry<T>(3, i, j);
      const T want = !inside(i, j) ? old
                                   : expected_entry<T>(
                                         alpha, beta, old, 0, dealing.k,
                                         [&](Index k) { return integer_entry<T>(1, i, dealing.a0 + k); },
                                         [&](Index k) { return integer_entry<T>(2, dealing.b0 + k, j); });
      wrong += c.local()(il, jl) != want;
    }
  }
  EXPECT_EQ(wrong, 0);
}

template <class T>
class SummaTyped : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SummaTyped, Scalars);

TYPED_TEST(SummaTyped, IsExactForAnyDealingWindowAndTransport) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    int number = 0;
    for (const Case& dealing : cases(grid)) {
      SCOPED_TRACE("case " + std::to_string(number++));
      for (const Transport transport : transports) {
        SCOPED_TRACE(std::string("transport ") + static_cast<char>(transport));
        for (const Index bytes : {Index{64}, Index{1000}, Index{1} << 30})
          expect_product<T>(grid, host, dealing, T(1), T(0), {transport, bytes});
      }
    }
  });
}

TYPED_TEST(SummaTyped, AppliesAlphaAndBeta) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    for (const Case& dealing : cases(grid)) {
      expect_product<T>(grid, host, dealing, T(-1), T(1), {});
      expect_product<T>(grid, host, dealing, T(2), T(-3), {});
      expect_product<T>(grid, host, dealing, T(0), T(1), {});
      expect_product<T>(grid, host, dealing, T(0), T(0), {});
    }
  });
}

/// X22 := X22 - X21 X12 inside one matrix, halves cut anywhere: a step of the recursive inversion.
TYPED_TEST(SummaTyped, WorksInPlaceOnDisjointWindows) {
  using T = TypeParam;
  HostDevice host;
  const Index n = 21;
  test::for_each_grid([&](const Grid& grid) {
    for (const Index h : {Index{0}, Index{1}, Index{10}, Index{12}, n}) {
      for (const Transport transport : transports) {
        const Matrix<T> x(grid, {{n, 3, grid.p(), grid.p() - 1, 2}, {n, 4, grid.q()}}, host);
        fill_entries(x, [](Index i, Index j) { return integer_entry<T>(1, i, j); });
        multiply(T(-1), x.window({h, n, 0, h}), x.window({0, h, h, n}), T(1), x.window({h, n, h, n}),
                 {transport, 256});
        Index wrong = 0;
        for (Index jl = 0; jl < x.local().cols; ++jl) {
          for (Index il = 0; il < x.local().rows; ++il) {
            const Index i = x.global_row(il), j = x.global_col(jl);
            const T old = integer_entry<T>(1, i, j);
            const T want = i < h || j < h ? old
                                          : expected_entry<T>(
                                                T(-1), T(1), old, 0, h,
                                                [&](Index k) { return integer_entry<T>(1, i, k); },
                                                [&](Index k) { return integer_entry<T>(1, k, j); });
            wrong += x.local()(il, jl) != want;
          }
        }
        EXPECT_EQ(wrong, 0) << "h = " << h;
      }
    }
  });
}

/// The same bytes from every transport, and from every repetition: the sums run in the same order and shapes.
TYPED_TEST(SummaTyped, GivesTheSameBitsByEveryTransport) {
  using T = TypeParam;
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const int p = grid.p(), q = grid.q();
    const Matrix<T> a(grid, {{53, 5, p}, {61, 7, q}}, host), b(grid, {{61, 4, p, p - 1}, {47, 6, q}}, host);
    fill_entries(a, [](Index i, Index j) { return uniform<T>(1, i, j); });
    fill_entries(b, [](Index i, Index j) { return uniform<T>(2, i, j); });
    for (const Index bytes : {Index{2000}, Index{20000}, Index{1} << 30}) {
      const Matrix<T> first(grid, {{53, 5, p}, {47, 6, q}}, host);
      multiply(T(1), a, b, T(0), first, {Transport::broadcast, bytes});
      for (const Transport transport : transports) {
        const Matrix<T> again(grid, {{53, 5, p}, {47, 6, q}}, host);
        multiply(T(1), a, b, T(0), again, {transport, bytes});
        Index differ = 0;
        for (Index j = 0; j < again.local().cols; ++j)
          differ += std::memcmp(again.local().column(j), first.local().column(j),
                                static_cast<std::size_t>(again.local().rows) * sizeof(T)) != 0;
        EXPECT_EQ(differ, 0);
      }
    }
  });
}

/// mloc (k - own columns of A) + nloc (k - own rows of B), exactly.
TEST(Summa, ReceivesTheWordsOfTheFormula) {
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    for (const Case& d : cases(grid)) {
      for (const Transport transport : transports) {
        const Matrix<double> a(grid, {d.rows, d.inner_a}, host), b(grid, {d.inner_b, d.cols}, host),
            c(grid, {d.rows, d.cols}, host);
        for (const auto* m : {&a, &b}) fill_entries(*m, [](Index, Index) { return 1.0; });
        const auto aw = a.window({d.i.begin, d.i.end, d.a0, d.a0 + d.k});
        const auto bw = b.window({d.b0, d.b0 + d.k, d.j.begin, d.j.end});
        const auto cw = c.window({d.i.begin, d.i.end, d.j.begin, d.j.end});
        const Product<double> product{1, &aw, &bw, 0, &cw};
        MultiplyTelemetry telemetry;
        Summa<double> summa({transport, 500, &telemetry});
        summa.reserve(grid, host, 500 / 8);
        const Traffic before = grid.traffic();
        summa.run(std::span(&product, 1));
        const Index words =
            cw.local().rows * (d.k - aw.local().cols) + cw.local().cols * (d.k - bw.local().rows);
        EXPECT_EQ((grid.traffic() - before).words_received, words);
        EXPECT_EQ(telemetry.statistics().words, words);
        EXPECT_EQ(telemetry.statistics().calls, 1);
      }
    }
  });
}

/// One loop over A(:,k) for two products, and one over B(k,:): the shared factor arrives once.
TEST(Summa, SendsASharedFactorOnce) {
  HostDevice host;
  const Index m = 14, n = 11, n2 = 6, k = 17;
  test::for_each_grid([&](const Grid& grid) {
    const Axis rows{m, 3, grid.p()}, cols{n, 2, grid.q()}, cols2{n2, 4, grid.q()};
    const Axis inner_a{k, 4, grid.q()}, inner_b{k, 3, grid.p()}, inner_b2{k, 5, grid.p(), grid.p() - 1};
    const Matrix<double> a(grid, {rows, inner_a}, host), b1(grid, {inner_b, cols}, host),
        b2(grid, {inner_b2, cols2}, host), c1(grid, {rows, cols}, host), c2(grid, {rows, cols2}, host);
    fill_entries(a, [](Index i, Index j) { return integer_entry<double>(1, i, j); });
    fill_entries(b1, [](Index i, Index j) { return integer_entry<double>(2, i, j); });
    fill_entries(b2, [](Index i, Index j) { return integer_entry<double>(3, i, j); });
    fill_entries(c2, [](Index i, Index j) { return integer_entry<double>(4, i, j); });
    const Product<double> products[] = {{1, &a, &b1, 0, &c1}, {-1, &a, &b2, 1, &c2}};
    Summa<double> summa({Transport::ring, 2000});
    summa.reserve(grid, host, 2000 / 8);
    const Traffic before = grid.traffic();
    summa.run(products);
    EXPECT_EQ((grid.traffic() - before).words_received, a.local().rows * (k - a.local().cols) +
                                                            b1.local().cols * (k - b1.local().rows) +
                                                            b2.local().cols * (k - b2.local().rows));
    Index wrong = 0;
    const auto check = [&](const Matrix<double>& c, int b, double alpha, double beta) {
      for (Index j = 0; j < c.local().cols; ++j)
        for (Index i = 0; i < c.local().rows; ++i) {
          const Index ig = c.global_row(i), jg = c.global_col(j);
          wrong += c.local()(i, j) != expected_entry<double>(
                                          alpha, beta, integer_entry<double>(4, ig, jg), 0, k,
                                          [&](Index l) { return integer_entry<double>(1, ig, l); },
                                          [&](Index l) { return integer_entry<double>(b, l, jg); });
        }
    };
    check(c1, 2, 1, 0);
    check(c2, 3, -1, 1);
    EXPECT_EQ(wrong, 0);

    // C1 := A B1 and C3 := A3 B1, B1 shared; and C3 += A B1 besides: a sum of two products in one C.
    const Matrix<double> a3(grid, {rows, {k, 1, grid.q()}}, host), c3(grid, {rows, cols}, host);
    fill_entries(a3, [](Index i, Index j) { return integer_entry<double>(1, i, j); });
    const Product<double> right[] = {{1, &a, &b1, 0, &c1}, {1, &a3, &b1, 0, &c3}, {1, &a, &b1, 1, &c3}};
    const Traffic again = grid.traffic();
    summa.run(right);
    EXPECT_EQ((grid.traffic() - again).words_received, a.local().rows * (k - a.local().cols) +
                                                           a3.local().rows * (k - a3.local().cols) +
                                                           b1.local().cols * (k - b1.local().rows));
    wrong = 0;
    check(c1, 2, 1, 0);
    check(c3, 2, 2, 0);
    EXPECT_EQ(wrong, 0);
  });
}

TEST(Summa, HoldsNoMorePanelsThanItsBudget) {
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Index n = 120, nb = 20,
                budget = 8 * 2 * n * 4;  // four columns and rows of the largest part there can be
    const Layout layout = square_layout(n, nb, grid.p(), grid.q());
    const Matrix<double> a(grid, layout, host), b(grid, layout, host), c(grid, layout, host);
    for (const auto* m : {&a, &b}) fill_entries(*m, [](Index, Index) { return 1.0; });
    for (const Transport transport : transports) {
      const Index before = host.memory().current;
      host.reset_peak();
      multiply(1.0, a, b, 0.0, c, {transport, budget});
      EXPECT_LE(host.memory().peak - before, budget);
    }
  });
}

/// Windows inside one block are dealt alike whatever the blocks of their matrices were.
TEST(Summa, ComparesDealingsNotBlockSizes) {
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Matrix<double> a(grid, square_layout(40, 10, grid.p(), grid.q()), host);
    const Matrix<double> c(grid, square_layout(40, 20, grid.p(), grid.q()), host);
    fill_entries(a, [](Index, Index) { return 1.0; });
    multiply(1.0, a.window({2, 8, 0, 40}), a.window({0, 40, 3, 9}), 0.0, c.window({12, 18, 10, 16}));
    Index wrong = 0;
    const auto cw = c.window({12, 18, 10, 16});
    for (Index j = 0; j < cw.local().cols; ++j)
      for (Index i = 0; i < cw.local().rows; ++i) wrong += cw.local()(i, j) != 40;
    EXPECT_EQ(wrong, 0);
  });
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Summa, RefusesByName) {
  using testing::HasSubstr;
  HostDevice host;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Grid grid(MPI_COMM_WORLD, {ranks, 1}), other(MPI_COMM_WORLD, {ranks, 1});
  const auto matrix = [&](const Grid& g, Axis rows, Axis cols) {
    return Matrix<double>(g, {rows, cols}, host);
  };
  const Axis r4{4, 1, ranks}, c4{4, 1, 1};
  const auto a = matrix(grid, r4, c4), b = matrix(grid, r4, c4), c = matrix(grid, r4, c4);
  EXPECT_THAT(refusal([&] {
                multiply(1.0, a, matrix(grid, {5, 1, ranks}, c4), 0.0, c);
              }),
              HasSubstr("B is 5 x 4"));
  EXPECT_THAT(refusal([&] {
                multiply(1.0, a, matrix(grid, {4, 1, ranks, replicated}, c4), 0.0, c);
              }),
              HasSubstr("rows of B are replicated"));
  EXPECT_THAT(refusal([&] { multiply(1.0, a, b, 0.0, matrix(other, r4, c4)); }), HasSubstr("one grid"));
  EXPECT_THAT(refusal([&] { multiply(1.0, a, b, 0.0, c, {Transport::ring, 0}); }), HasSubstr("got 0"));
  const auto wide = matrix(grid, r4, {6, 1, 1}), tall = matrix(grid, {6, 1, ranks}, c4);
  const Product<double> uneven[] = {{1, &a, &b, 0, &c}, {1, &wide, &tall, 0, &c}};
  EXPECT_THAT(refusal([&] { Summa<double>().run(uneven); }), HasSubstr("one inner dimension"));
  if (ranks > 1) {
    EXPECT_THAT(refusal([&] {
                  multiply(1.0, a, b, 0.0, matrix(grid, {4, 3, ranks}, c4));
                }),
                HasSubstr("rows of A (size 4, block 1, first block 1, source 0) are not dealt as those of C "
                          "(size 4, block 3"));
    EXPECT_THAT(refusal([&] {
                  multiply(1.0, matrix(grid, {4, 1, ranks, 1}, c4), b, 0.0, c);
                }),
                HasSubstr("redistribute A"));
  }
}

TEST(Summa, LeavesRanksOutsideTheGridAlone) {
  HostDevice host;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Grid grid(MPI_COMM_WORLD, {1, std::max(1, ranks - 1)});
  const Layout layout = square_layout(9, 2, grid.p(), grid.q());
  const Matrix<double> a(grid, layout, host), c(grid, layout, host);
  fill_entries(a, [](Index i, Index j) { return i == j ? 2.0 : 0.0; });
  multiply(1.0, a, a, 0.0, c);
  Index wrong = 0;
  for (Index j = 0; j < c.local().cols; ++j)
    for (Index i = 0; i < c.local().rows; ++i)
      wrong += c.local()(i, j) != (c.global_row(i) == c.global_col(j) ? 4.0 : 0.0);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cyclade
