// Redistribution against direct dealing: random pairs of layouts on random pairs of grids, every bit of the
// target compared with the formula of the entries, every received word counted, every buffer byte, too.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/redistribute.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "cyclade/device/host.hpp"
#include "cyclade/device/reference.hpp"
#include "tests/support/grids.hpp"

namespace cyclade {
namespace {

/// Exact in every type; with the numbers that a careless copy would change: -0 and NaN.
template <class T>
T entry(Index i, Index j) {
  if (i == 3 && j == 2) return T(std::numeric_limits<Real<T>>::quiet_NaN());
  const auto value = static_cast<Real<T>>((i + j) % 11 == 0 ? -0.0 : static_cast<double>(128 * i + j));
  if constexpr (is_complex<T>) {
    return T(value, static_cast<Real<T>>(i - 3 * j));
  } else {
    return value;
  }
}

template <class T>
T expected(Op op, Index i, Index j) {
  return op == Op::none ? entry<T>(i, j) : op == Op::transpose ? entry<T>(j, i) : conjugate(entry<T>(j, i));
}

template <class T>
bool same_bits(const T& x, const T& y) {
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

template <class T>
const T untouched = T(-77);

/// The words that this rank cannot do without: entries of its part of `to` that it does not hold in `from`.
template <class T>
Index missing_words(const Matrix<T>& from, const Matrix<T>& to, Op op) {
  const auto holds = [](const Axis& axis, Index i, int place) {
    return axis.source == replicated || axis.owner(i) == place;
  };
  Index missing = 0;
  for (Index j_loc = 0; j_loc < to.local().cols; ++j_loc) {
    for (Index i_loc = 0; i_loc < to.local().rows; ++i_loc) {
      const Index i = to.global_row(i_loc), j = to.global_col(j_loc);
      const Index si = op == Op::none ? i : j, sj = op == Op::none ? j : i;
      const bool have = from.grid().inside() && holds(from.layout().rows, si, from.grid().my_row()) &&
                        holds(from.layout().cols, sj, from.grid().my_col());
      missing += have ? 0 : 1;
    }
  }
  return missing;
}

/// Entries of `whole` that differ: inside the window from op(entry) of the source's window at (i0, j0),
/// outside from what they were.
template <class T>
Index wrong_entries(const Matrix<T>& whole, const Window& w, Op op, Index i0, Index j0) {
  Index wrong = 0;
  for (Index j_loc = 0; j_loc < whole.local().cols; ++j_loc) {
    for (Index i_loc = 0; i_loc < whole.local().rows; ++i_loc) {
      const Index i = whole.global_row(i_loc), j = whole.global_col(j_loc);
      const bool inside = w.i0 <= i && i < w.i1 && w.j0 <= j && j < w.j1;
      const Index di = op == Op::none ? i0 : j0, dj = op == Op::none ? j0 : i0;
      const T right = inside ? expected<T>(op, i - w.i0 + di, j - w.j0 + dj) : untouched<T>;
      wrong += same_bits(whole.local()(i_loc, j_loc), right) ? 0 : 1;
    }
  }
  return wrong;
}

/// The same numbers on all ranks.
class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  Index operator()(Index low, Index high) {  // both included
    return low + static_cast<Index>(generator_() % static_cast<unsigned>(high - low + 1));
  }
  Axis axis(Index size, int ranks) {
    Axis a{size, (*this)(1, 7), ranks, static_cast<int>((*this)(0, ranks - 1)), (*this)(0, 9)};
    if ((*this)(0, 6) == 0) a.source = replicated;
    return a;
  }
  Index extent() { return (*this)(0, 9) == 0 ? (*this)(0, 1) : (*this)(2, 31); }

 private:
  std::mt19937 generator_;
};

/// Every shape of every number of ranks up to all, both orders, the ranks forwards and backwards.
std::vector<Grid> grids_of(const Communicator& comm) {
  std::vector<Grid> grids;
  const Communicator backwards = comm.split(0, -comm.rank());
  for (int ranks = 1; ranks <= comm.size(); ++ranks) {
    for (const GridShape shape : test::shapes_of(ranks)) {
      grids.emplace_back(comm.handle(), shape, GridOrder::row);
      grids.emplace_back(backwards.handle(), shape, GridOrder::column);
    }
  }
  return grids;
}

template <class T>
struct RedistributeTest : testing::Test {
  Traffic traffic;
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD, &traffic);
  HostDevice host;
  ReferenceDevice naive;

  Index held() const { return host.memory().current + naive.memory().current; }
  Index peak() const { return host.memory().peak + naive.memory().peak; }

  /// One random pair on `comm`. Collective over it.
  void check_pair(const Communicator& comm, const std::vector<Grid>& grids, Dice& dice) {
    const auto& grid_from = grids[static_cast<std::size_t>(dice(0, std::ssize(grids) - 1))];
    const auto& grid_to = grids[static_cast<std::size_t>(dice(0, std::ssize(grids) - 1))];
    const Op op = std::array{Op::none, Op::none, Op::transpose, Op::conjugate}[at(dice(0, 3))];
    const Index m = dice.extent(), n = dice.extent();  // of the target's window
    const Index m_from = op == Op::none ? m : n, n_from = op == Op::none ? n : m;
    const Index i0 = dice(0, 5), j0 = dice(0, 5), k0 = dice(0, 5), l0 = dice(0, 5);
    const Window w_from{i0, i0 + m_from, j0, j0 + n_from}, w_to{k0, k0 + m, l0, l0 + n};
    const Axis rows_from = dice.axis(w_from.i1 + dice(0, 5), grid_from.p());
    const Axis cols_from = dice.axis(w_from.j1 + dice(0, 5), grid_from.q());
    const Axis rows_to = dice.axis(w_to.i1 + dice(0, 5), grid_to.p());
    const Axis cols_to = dice.axis(w_to.j1 + dice(0, 5), grid_to.q());
    const Index budget =
        std::array{Index{1}, Index{64}, Index{500}, Index{4000}, redistribute_budget}[at(dice(0, 4))];
    Device* const devices[] = {&host, &naive};
    const Matrix<T> a(grid_from, {rows_from, cols_from}, *devices[dice(0, 1)]);
    const Matrix<T> b(grid_to, {rows_to, cols_to}, *devices[dice(0, 1)]);
    fill_entries(a, entry<T>);
    b.kernels().fill(b.local(), untouched<T>);
    const Matrix<T> from = a.window(w_from), to = b.window(w_to);

    const Index before = held();
    host.reset_peak();
    naive.reset_peak();
    const Traffic start = *comm.traffic();
    redistribute(comm, from, to, op, budget);
    const Index received = (*comm.traffic() - start).words_received;
    const Index agreement = w_to.empty() ? 0 : std::bit_width(static_cast<unsigned>(comm.size() - 1));
    EXPECT_EQ(received, missing_words(from, to, op) + agreement);
    EXPECT_LE(peak() - before, std::max(budget, 2 * static_cast<Index>(sizeof(T))));
    EXPECT_EQ(held(), before);
    EXPECT_EQ(wrong_entries(b, w_to, op, i0, j0), 0)
        << m << " x " << n << " op " << static_cast<char>(op) << " budget " << budget << " from "
        << grid_from.p() << "x" << grid_from.q() << " to " << grid_to.p() << "x" << grid_to.q();
  }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(RedistributeTest, Scalars);

TYPED_TEST(RedistributeTest, any_layout_to_any_other) {
  const std::vector<Grid> grids = grids_of(this->world);
  Dice dice(static_cast<unsigned>(2024 + this->world.size() * 8 + sizeof(TypeParam)));
  for (int n = 0; n < 120; ++n) this->check_pair(this->world, grids, dice);
}

TYPED_TEST(RedistributeTest, halves_of_the_ranks_work_on_their_own) {
  const Communicator half = this->world.split(this->world.rank() % 2, -this->world.rank());
  const std::vector<Grid> grids = grids_of(half);
  Dice dice(static_cast<unsigned>(7 + this->world.rank() % 2));
  for (int n = 0; n < 30; ++n) this->check_pair(half, grids, dice);
}

TYPED_TEST(RedistributeTest, slabs_to_blocks_and_back_in_long_messages) {
  using T = TypeParam;
  const Index m = 331, n = 277;
  const int ranks = this->world.size();
  for (const bool by_rows : {true, false}) {
    const Grid slab_grid(MPI_COMM_WORLD, by_rows ? GridShape{ranks, 1} : GridShape{1, ranks});
    const Index slab = ((by_rows ? m : n) + ranks - 1) / ranks;
    const Layout slabs{{m, by_rows ? slab : m, slab_grid.p()}, {n, by_rows ? n : slab, slab_grid.q()}};
    const Grid grid(MPI_COMM_WORLD, nearest_square(ranks));
    const Layout blocks{{m, 32, grid.p()}, {n, 32, grid.q()}};
    for (const Index budget : {Index{20000}, redistribute_budget}) {
      const Matrix<T> a(slab_grid, slabs, this->host), b(grid, blocks, this->host);
      fill_entries(a, entry<T>);
      redistribute(this->world, a, b, Op::none, budget);
      EXPECT_EQ(wrong_entries(b, {0, m, 0, n}, Op::none, 0, 0), 0);
      a.kernels().fill(a.local(), untouched<T>);
      redistribute(this->world, b, a, Op::none, budget);
      EXPECT_EQ(wrong_entries(a, {0, m, 0, n}, Op::none, 0, 0), 0);
    }
  }
}

TYPED_TEST(RedistributeTest, grids_that_some_ranks_never_heard_of) {
  using T = TypeParam;
  const int ranks = this->world.size(), rank = this->world.rank();
  const bool in_from = rank<std::max(1, ranks - 1), in_to = rank> 0 || ranks == 1;  // all but last, first
  const Communicator comm_from = this->world.split(in_from ? 0 : MPI_UNDEFINED, rank);
  const Communicator comm_to = this->world.split(in_to ? 0 : MPI_UNDEFINED, -rank);
  std::optional<Grid> grid_from, grid_to;
  std::optional<Matrix<T>> a, b;
  if (in_from) {
    grid_from.emplace(comm_from.handle(), nearest_square(comm_from.size()));
    a.emplace(*grid_from, Layout{{17, 2, grid_from->p(), 0, 3}, {13, 3, grid_from->q()}}, this->host);
    fill_entries(*a, entry<T>);
  }
  if (in_to) {
    grid_to.emplace(comm_to.handle(), GridShape{comm_to.size(), 1}, GridOrder::column);
    const int last = grid_to->p() - 1;
    b.emplace(*grid_to, Layout{{13, 4, grid_to->p(), last}, {17, 5, 1, replicated}}, this->host);
    b->kernels().fill(b->local(), untouched<T>);
  }
  const Matrix<T>* const from = in_from ? &*a : nullptr;
  const Matrix<T>* const to = in_to ? &*b : nullptr;
  const Matrix<T>* const none = nullptr;
  EXPECT_THROW(redistribute(this->world, from, none), ArgumentError);
  EXPECT_THROW(redistribute(this->world, rank == 0 ? none : from, to, Op::conjugate), ArgumentError);
  EXPECT_THROW(redistribute(this->world, from, to, Op::none), ArgumentError);
  redistribute(this->world, from, to, Op::conjugate, 200);
  EXPECT_EQ(in_to ? wrong_entries(*b, {0, 13, 0, 17}, Op::conjugate, 0, 0) : 0, 0);
}

using RedistributeDouble = RedistributeTest<double>;

// A square template in other programs forces equal blocks and breaks on grids that are not square.
TEST_F(RedistributeDouble, unequal_blocks_between_grids_that_are_not_square) {
  const int ranks = world.size();
  const Grid grid_from(MPI_COMM_WORLD, ranks >= 6 ? GridShape{2, 3} : GridShape{1, ranks});
  const Grid grid_to(MPI_COMM_WORLD, ranks >= 6 ? GridShape{3, 2} : GridShape{ranks, 1});
  const Matrix<double> a(grid_from, {{31, 4, grid_from.p()}, {4, 1, grid_from.q()}}, host);
  const Matrix<double> b(grid_to, {{31, 7, grid_to.p()}, {4, 2, grid_to.q()}}, host);
  fill_entries(a, entry<double>);
  redistribute(world, a, b);
  EXPECT_EQ(wrong_entries(b, {0, 31, 0, 4}, Op::none, 0, 0), 0);
}

TEST_F(RedistributeDouble, the_same_layout_needs_no_message) {
  test::for_each_grid([&](const Grid& grid) {
    const Layout layout{{23, 3, grid.p()}, {19, 4, grid.q()}};
    const Matrix<double> a(grid, layout, host), b(grid, layout, host);
    fill_entries(a, entry<double>);
    const Index before = traffic.words_received;
    redistribute(world, a, b, Op::none, 64);
    EXPECT_EQ(traffic.words_received - before, std::bit_width(static_cast<unsigned>(world.size() - 1)));
    EXPECT_EQ(wrong_entries(b, {0, 23, 0, 19}, Op::none, 0, 0), 0);
  });
}

TEST_F(RedistributeDouble, nothing_to_move_sends_nothing) {
  const Grid grid(MPI_COMM_WORLD, nearest_square(world.size()));
  for (const Index n : {Index{0}, Index{5}}) {
    const Matrix<double> a(grid, {{0, 3, grid.p()}, {n, 2, grid.q()}}, host);
    const Matrix<double> b(grid, {{n, 1, grid.p()}, {0, 1, grid.q()}}, host);
    redistribute(world, a, b, Op::transpose);
  }
  EXPECT_EQ(traffic, Traffic{});
}

TEST_F(RedistributeDouble, wrong_arguments_are_refused_before_any_message) {
  const Grid grid(MPI_COMM_WORLD, nearest_square(world.size()));
  const Matrix<double> a(grid, {{6, 2, grid.p()}, {4, 2, grid.q()}}, host);
  const Matrix<double> b(grid, {{4, 2, grid.p()}, {6, 2, grid.q()}}, host);
  EXPECT_THROW(redistribute(world, a, b), ArgumentError);
  EXPECT_THROW(redistribute(world, a, a, Op::transpose), ArgumentError);
  EXPECT_THROW(redistribute(world, a, b, Op::transpose, 0), ArgumentError);
  EXPECT_EQ(traffic, Traffic{});
  if (world.size() == 1) return;
  const Communicator half = world.split(world.rank() % 2, 0);
  EXPECT_THROW(redistribute(half, a, b, Op::transpose), ArgumentError);
  EXPECT_EQ(traffic, Traffic{});
}

/// Has no memory left once `full` is set.
struct SmallDevice : HostDevice {
  bool full = false;

 protected:
  void* allocate_bytes(std::size_t bytes) override {
    return full ? nullptr : HostDevice::allocate_bytes(bytes);
  }
};

TEST_F(RedistributeDouble, one_rank_without_memory_stops_all_ranks) {
  SmallDevice small;
  const Grid grid(MPI_COMM_WORLD, nearest_square(world.size()));
  const Matrix<double> a(grid, {{9, 2, grid.p()}, {9, 2, grid.q()}}, small);
  const Matrix<double> b(grid, {{9, 3, grid.p()}, {9, 3, grid.q()}}, small);
  b.kernels().fill(b.local(), untouched<double>);
  small.full = world.rank() == 0;
  EXPECT_THROW(redistribute(world, a, b), MemoryError);
  EXPECT_EQ(wrong_entries(b, {0, 0, 0, 0}, Op::none, 0, 0), 0);
}

}  // namespace
}  // namespace cyclade
