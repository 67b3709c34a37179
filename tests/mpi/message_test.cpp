// Messages of every type, empty ones, and ones so long that they are split: what arrives, and what is
// counted.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <numeric>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "cyclade/mpi/communicator.hpp"
#include "cyclade/mpi/ring.hpp"

namespace cyclade {
namespace {

template <class T>
class Message : public testing::Test {
 protected:
  Traffic traffic;
  // At most 5 elements a call, so that 12 take three.
  Communicator world = Communicator::duplicate(MPI_COMM_WORLD, &traffic, 5);
  int p = world.size(), me = world.rank();
  int next = (me + 1) % p, previous = (me + p - 1) % p;

  /// Element i of what `rank` sends: small integers, exact in all types.
  static std::vector<T> content(int rank, Index count) {
    std::vector<T> data;
    for (Index i = 0; i < count; ++i) data.push_back(value(rank, i));
    return data;
  }
  static T value(int rank, Index i) {
    const auto real = static_cast<Real<T>>((10 * rank + i) % 100);
    if constexpr (is_complex<T>) {
      return T(real, -1 - real);
    } else {
      return real;
    }
  }
};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>, Index, int, char>;
TYPED_TEST_SUITE(Message, Elements);

constexpr Index lengths[] = {0, 1, 5, 6, 12};
constexpr Index calls(Index length) { return (length + 4) / 5; }

TYPED_TEST(Message, blocking_send_and_receive_down_the_ranks) {
  using T = TypeParam;
  for (const Index n : lengths) {
    this->traffic = {};
    std::vector<T> data(static_cast<std::size_t>(n));
    if (this->me > 0) {
      this->world.template receive<T>(data, this->me - 1);
      EXPECT_EQ(data, this->content(this->me - 1, n));
    }
    const std::vector<T> out = this->content(this->me, n);
    if (this->me + 1 < this->p) this->world.template send<T>(out, this->me + 1);
    EXPECT_EQ(this->traffic, (this->me > 0 ? Traffic{n, calls(n)} : Traffic{}));
  }
}

TYPED_TEST(Message, send_receive_around_the_ring) {
  using T = TypeParam;
  if (this->p == 1) return;  // nobody sends to itself
  for (const Index n : lengths) {
    this->traffic = {};
    const std::vector<T> out = this->content(this->me, n);
    std::vector<T> in(static_cast<std::size_t>(n));
    this->world.template send_receive<T>(out, this->next, in, this->previous);
    EXPECT_EQ(in, this->content(this->previous, n));
    EXPECT_EQ(this->traffic, (Traffic{n, calls(n)}));
  }
}

TYPED_TEST(Message, exchange_between_all_with_empty_pieces) {
  using T = TypeParam;
  // From rank r to rank s: 4 |r - s| - 4 elements, so none to a neighbour; in descending order of ranks.
  const auto length = [](int r, int s) { return Index{4} * std::abs(r - s) - 4; };
  std::vector<std::vector<T>> outs, ins;
  std::vector<Piece<const T>> out;
  std::vector<Piece<T>> in;
  Traffic expected;
  for (int r = 0; r < this->p; ++r) {
    const Index n = r == this->me ? 0 : length(this->me, r);
    outs.push_back(this->content(this->me, n));
    ins.emplace_back(static_cast<std::size_t>(n));
    expected += {n, calls(n)};
  }
  for (int r = this->p - 1; r >= 0; --r) {
    if (r == this->me) continue;
    out.push_back({r, outs[static_cast<std::size_t>(r)]});
    in.push_back({r, ins[static_cast<std::size_t>(r)]});
  }
  this->traffic = {};
  this->world.exchange(std::span<const Piece<const T>>(out), std::span<const Piece<T>>(in));
  for (int r = 0; r < this->p; ++r) {
    const Index n = r == this->me ? 0 : length(r, this->me);
    EXPECT_EQ(ins[static_cast<std::size_t>(r)], this->content(r, n)) << r;
  }
  EXPECT_EQ(this->traffic, expected);
}

TYPED_TEST(Message, broadcast_from_every_root) {
  using T = TypeParam;
  for (int root = 0; root < this->p; ++root) {
    for (const Index n : lengths) {
      this->traffic = {};
      std::vector<T> data(static_cast<std::size_t>(n));
      if (this->me == root) data = this->content(root, n);
      this->world.broadcast(std::span(data), root);
      EXPECT_EQ(data, this->content(root, n));
      EXPECT_EQ(this->traffic, (this->me == root ? Traffic{} : Traffic{n, calls(n)}));
    }
  }
}

TYPED_TEST(Message, sums_count_their_rounds) {
  using T = TypeParam;
  if constexpr (!std::is_same_v<T, char>) {
    const Index rounds = std::bit_width(static_cast<unsigned>(this->p - 1));
    for (const Index n : lengths) {
      std::vector<T> data = this->content(this->me, n), expected(data.size());
      for (int r = 0; r < this->p; ++r)
        for (Index i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] += this->value(r, i);
      this->traffic = {};
      this->world.all_reduce_sum(std::span(data));
      EXPECT_EQ(data, expected);
      EXPECT_EQ(this->traffic, (Traffic{rounds * n, rounds * calls(n)}));
    }
  }
}

TYPED_TEST(Message, largest_and_smallest_by_element) {
  using T = TypeParam;
  if constexpr (!is_complex<T> && !std::is_same_v<T, char>) {
    std::vector<T> largest{static_cast<T>(this->me), static_cast<T>(-this->me)}, smallest = largest;
    this->world.all_reduce_max(std::span(largest));
    this->world.all_reduce_min(std::span(smallest));
    EXPECT_EQ(largest, (std::vector<T>{static_cast<T>(this->p - 1), T(0)}));
    EXPECT_EQ(smallest, (std::vector<T>{T(0), static_cast<T>(1 - this->p)}));
  }
}

TYPED_TEST(Message, gathers_equal_pieces_in_rank_order) {
  using T = TypeParam;
  for (const Index n : lengths) {
    this->traffic = {};
    const std::vector<T> each = this->content(this->me, n);
    const std::vector<T> all = this->world.all_gather(std::span<const T>(each));
    std::vector<T> expected;
    for (int r = 0; r < this->p; ++r)
      for (Index i = 0; i < n; ++i) expected.push_back(this->value(r, i));
    EXPECT_EQ(all, expected);
    EXPECT_EQ(this->traffic, (n == 0 ? Traffic{} : Traffic{n * (this->p - 1), this->p - 1}));
  }
}

TYPED_TEST(Message, gathers_uneven_pieces_whole_or_as_broadcasts) {
  using T = TypeParam;
  for (const Index unit : {0, 1, 4}) {  // of 4 on, the total is more than one call takes
    std::vector<Index> counts;
    for (int r = 0; r < this->p; ++r) counts.push_back(r % 2 == 0 ? unit * (r + 1) : 0);
    std::vector<T> all, expected;
    for (int r = 0; r < this->p; ++r) {
      for (Index i = 0; i < counts[static_cast<std::size_t>(r)]; ++i) {
        expected.push_back(this->value(r, i));
        all.push_back(r == this->me ? this->value(r, i) : T(0));
      }
    }
    this->traffic = {};
    this->world.all_gather_v(std::span(all), std::span<const Index>(counts));
    EXPECT_EQ(all, expected);
    EXPECT_EQ(this->traffic.words_received,
              std::ssize(expected) - counts[static_cast<std::size_t>(this->me)]);
  }
}

TYPED_TEST(Message, splits_inherit_the_counter_and_the_length) {
  using T = TypeParam;
  const auto half = this->world.split(this->me % 2, this->me);
  EXPECT_EQ(half.traffic(), &this->traffic);
  this->traffic = {};
  std::vector<T> data = this->content(half.rank(), 12);
  half.broadcast(std::span(data), 0);
  EXPECT_EQ(data, this->content(0, 12));
  EXPECT_EQ(this->traffic, (half.rank() == 0 ? Traffic{} : Traffic{12, 3}));
}

TEST(MovedFrom, is_empty_and_can_be_filled_again) {
  auto a = Communicator::duplicate(MPI_COMM_WORLD);
  const int p = a.size();
  Communicator b = std::move(a);
  EXPECT_FALSE(a.exists());
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(b.sum(1), p);
  a = b.split(0, b.rank());
  EXPECT_EQ(a.sum(1), p);
  b = Communicator();
  EXPECT_FALSE(b.exists());
}

TEST(Messages, without_a_counter_nothing_is_counted) {
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  EXPECT_EQ(world.traffic(), nullptr);
  EXPECT_EQ(world.sum(1), world.size());
}

TEST(Messages, no_communicator_is_refused) {
  EXPECT_THROW(Communicator::duplicate(MPI_COMM_NULL), ArgumentError);
}

TEST(Messages, an_error_of_mpi_is_thrown_with_its_text_and_place) {
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  const double x = 1;
  try {
    world.send<double>(std::span(&x, 1), world.size());  // no such rank
    ADD_FAILURE() << "it was sent";
  } catch (const MpiError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("MPI_Send failed at "), std::string::npos) << text;
    EXPECT_NE(text.find("communicator.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("rank"), std::string::npos) << text;
  }
}

TEST(AgreeLetsNothingThrough, whatever_is_thrown) {
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  const int last = world.size() - 1;
  const auto kind_of = [&](auto&& thrown) {
    try {
      agree(world, [&] {
        if (world.rank() == last) throw thrown;
      });
    } catch (const Error& error) {
      return std::pair(error.kind(), std::string(error.what()));
    }
    return std::pair(ErrorKind{}, std::string("no error"));
  };
  using Kind = std::pair<ErrorKind, std::string>;
  EXPECT_EQ(kind_of(ArgumentError("a")), (Kind{ErrorKind::argument, "a"}));
  EXPECT_EQ(kind_of(FileError("")), (Kind{ErrorKind::file, ""}));
  EXPECT_EQ(kind_of(MemoryError("c")), (Kind{ErrorKind::memory, "c"}));
  EXPECT_EQ(kind_of(MpiError("d")), (Kind{ErrorKind::mpi, "d"}));
  EXPECT_EQ(kind_of(std::runtime_error("e")), (Kind{ErrorKind::internal, "e"}));
  EXPECT_EQ(kind_of(std::string("not an exception")).first, ErrorKind::internal);
}

}  // namespace
}  // namespace cyclade
