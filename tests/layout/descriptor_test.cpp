// Descriptors to layouts and back, in 32 and 64 bits, and every error number with the smallest change that
// causes it. The installed ScaLAPACK is asked the same questions in tests/compat.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/descriptor.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/error.hpp"
#include "cyclade/layout/tools.hpp"

namespace cyclade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class I>
struct DescriptorTest : testing::Test {};
using Integers = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(DescriptorTest, Integers);

TYPED_TEST(DescriptorTest, nine_entries_to_layout_and_back) {
  using I = TypeParam;
  const std::array<I, 9> desc{1, 77, 100, 60, 8, 4, 1, 2, 50};
  const Descriptor read = read_descriptor(desc.data(), {2, 3, 0, 1});
  EXPECT_EQ(read.layout, (Layout{{100, 8, 2, 1}, {60, 4, 3, 2}}));
  EXPECT_EQ(read.context, 77);
  EXPECT_EQ(read.lld, 50);
  EXPECT_EQ(scalapack_descriptor<I>(read), desc);
  EXPECT_THAT(pblas_descriptor<I>(read), ElementsAre(2, 77, 100, 60, 8, 4, 8, 4, 1, 2, 50));
}

TYPED_TEST(DescriptorTest, eleven_entries_to_layout_and_back) {
  using I = TypeParam;
  const std::array<I, 11> desc{2, -5, 100, 60, 3, 9, 8, 4, -1, 2, 100};
  const Descriptor read = read_descriptor(desc.data(), {2, 3, 0, 1});
  EXPECT_EQ(read.layout, (Layout{{100, 8, 2, replicated, 3}, {60, 4, 3, 2, 9}}));
  EXPECT_EQ(pblas_descriptor<I>(read), desc);
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Descriptor, what_nine_entries_cannot_say_is_refused) {
  EXPECT_THAT(message_of([] {
                scalapack_descriptor<int>({{{9, 3, 2, 0, 2}, {9, 3, 2}}, 0, 9});
              }),
              HasSubstr("first block of rows"));
  EXPECT_THAT(message_of([] {
                scalapack_descriptor<int>({{{9, 3, 2}, {9, 3, 2, replicated}}, 0, 9});
              }),
              HasSubstr("replicated columns"));
  const Descriptor large{square_layout(Index{1} << 33, 64, 1, 1), 0, Index{1} << 33};
  EXPECT_THAT(message_of([&] { scalapack_descriptor<int>(large); }),
              HasSubstr("M = 8589934592 does not fit 32-bit entries"));
  EXPECT_EQ(read_descriptor(scalapack_descriptor<std::int64_t>(large).data(), {}), large);
}

TEST(Descriptor, a_wrong_entry_is_named) {
  const Place at{2, 2, 0, 0};
  const auto message = [&](int entry, int value) {
    std::array<int, 9> desc{1, 0, 10, 10, 3, 3, 0, 0, 6};
    desc[static_cast<std::size_t>(entry)] = value;
    return message_of([&] { read_descriptor(desc.data(), at); });
  };
  EXPECT_EQ(message(desc9::ctxt, 99), "no error");  // carried, not looked at
  EXPECT_THAT(message(desc9::dtype, 5),
              HasSubstr("DESCA: entry 1 (DTYPE) must be 1 (9 entries) or 2 (11 entries), got 5"));
  EXPECT_THAT(message(desc9::m, -1), HasSubstr("entry 3 (M) must be 0 or more"));
  EXPECT_THAT(message(desc9::mb, 0), HasSubstr("entry 5 (MB) must be 1 or more, got 0"));
  EXPECT_THAT(message(desc9::rsrc, 2),
              HasSubstr("entry 7 (RSRC) must be a process of the grid, which has 2 process rows, got 2"));
  EXPECT_THAT(message(desc9::lld, 5), HasSubstr("entry 9 (LLD)"));
}

TEST(Descriptor, replicated_and_first_blocks_are_checked_in_eleven_entries) {
  const auto error = [](int entry, int value) {
    std::array<int, 11> desc{2, 0, 10, 10, 2, 2, 3, 3, 0, 0, 5};
    desc[static_cast<std::size_t>(entry)] = value;
    return descriptor_error(desc.data(), {2, 2, 0, 0}, 6);
  };
  EXPECT_EQ(error(desc11::imb, 2), 0);
  EXPECT_EQ(error(desc11::imb, 0), -605);
  EXPECT_EQ(error(desc11::nb, -3), -608);
  EXPECT_EQ(error(desc11::csrc, -1), 0);
  EXPECT_EQ(error(desc11::csrc, -2), -610);
  EXPECT_EQ(error(desc11::rsrc, 2), -609);
  EXPECT_EQ(error(desc11::lld, 4), -611);
  EXPECT_EQ(error(desc11::dtype, 3), -601);
}

// A(ia:ia+ma-1, ja:ja+na-1) of a 10 x 10 matrix, in the argument order of PDGETRF: M 1, N 2, A 3, IA 4, JA 5,
// DESCA 6.
Index check(Index m, Index n, Index ia, Index ja, std::array<int, 9> desc = {1, 0, 10, 10, 3, 3, 0, 0, 6},
            Place at = {2, 2, 0, 0}, Index info = 0) {
  return scalapack::chk1mat(m, 1, n, 2, ia, ja, desc.data(), 6, at, info);
}

TEST(Chk1mat, submatrix_errors_have_scalapacks_numbers) {
  EXPECT_EQ(check(10, 10, 1, 1), 0);
  EXPECT_EQ(check(-1, 10, 1, 1), -1);
  EXPECT_EQ(check(10, -1, 1, 1), -2);
  EXPECT_EQ(check(10, 10, 0, 1), -4);
  EXPECT_EQ(check(10, 10, 1, 0), -5);
  EXPECT_EQ(check(5, 5, 7, 1), -1);  // sticks out below: M is blamed
  EXPECT_EQ(check(5, 5, 1, 7), -2);
  EXPECT_EQ(check(1, 1, 11, 1), -4);  // starts outside: IA is blamed
  EXPECT_EQ(check(0, 1, 11, 1), 0);   // an empty window may start anywhere
  EXPECT_EQ(check(10, 10, 1, 1, {2, 0, 10, 10, 3, 3, 0, 0, 6}), -601);
  EXPECT_EQ(check(10, 10, 1, 1, {1, 0, 0, 10, 3, 3, 0, 0, 6}), -603);
  EXPECT_EQ(check(10, 10, 1, 1, {1, 0, 10, 10, 0, 3, 0, 0, 6}), -605);
  EXPECT_EQ(check(10, 10, 1, 1, {1, 0, 10, 10, 3, 3, 0, 2, 6}), -608);
  EXPECT_EQ(check(10, 10, 1, 1, {1, 0, 10, 10, 3, 3, -1, 0, 6}), -607);
  EXPECT_EQ(check(10, 10, 1, 1, {1, 0, 10, 10, 3, 3, 0, 0, 5}), -609);
  // Without local columns any LLD >= 1 will do.
  EXPECT_EQ(check(10, 2, 1, 1, {1, 0, 10, 2, 3, 3, 0, 0, 1}, {2, 2, 0, 1}), 0);
}

TEST(Chk1mat, the_smallest_position_of_several_errors_wins) {
  EXPECT_EQ(check(10, 10, 1, 1, {1, 0, 10, 10, 0, 3, 0, 0, 6}, {2, 2, 0, 0}, -4), -4);
  EXPECT_EQ(check(-1, 10, 1, 1, {1, 0, 10, 10, 3, 3, 0, 0, 6}, {2, 2, 0, 0}, -4), -1);
  EXPECT_EQ(check(10, 10, 1, 1, {1, 0, 10, 10, 0, 3, 0, 0, 6}, {2, 2, 0, 0}, -606), -605);
}

TEST(Chk1mat, sums_that_would_overflow_are_errors_not_wraps) {
  const Index huge = std::numeric_limits<Index>::max();
  EXPECT_EQ(check(huge, 1, 2, 1), -1);
  EXPECT_EQ(check(1, 2147483647, 1, 9), -2);
}

TEST(Descinit, repairs_what_it_refuses) {
  std::array<int, 9> desc{};
  const Place at{2, 2, 0, 1};
  EXPECT_EQ(scalapack::descinit(desc.data(), 10, 10, 3, 3, 0, 0, 5, 6, at), 0);
  EXPECT_THAT(desc, ElementsAre(1, 5, 10, 10, 3, 3, 0, 0, 6));
  EXPECT_EQ(scalapack::descinit(desc.data(), 10, 10, 3, 3, 0, 0, 5, 5, at), -9);
  EXPECT_THAT(desc, ElementsAre(1, 5, 10, 10, 3, 3, 0, 0, 6));
  EXPECT_EQ(scalapack::descinit(desc.data(), -1, -1, 0, 0, 7, -2, 5, 0, at), -2);
  EXPECT_THAT(desc, ElementsAre(1, 5, 0, 0, 1, 1, 1, 0, 1));
  // LLD >= LOCr even without local columns, unlike CHK1MAT.
  EXPECT_EQ(scalapack::descinit(desc.data(), 10, 2, 3, 3, 0, 0, 5, 1, at), -9);
  // An unknown context shows as a wrong source.
  EXPECT_EQ(scalapack::descinit(desc.data(), 10, 10, 3, 3, 0, 0, -1, 10, {-1, -1, -1, -1}), -6);
}

TEST(DescConvert, to_the_band_solvers_one_dimensional_types) {
  const std::array<int, 9> desc{1, 5, 10, 12, 3, 4, 0, 1, 6};
  std::array<int, 7> out{501, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(scalapack::desc_convert(desc.data(), out.data(), {1, 4, 0, 0}), 0);
  EXPECT_THAT(out, ElementsAre(501, 5, 12, 4, 1, 6, 0));
  EXPECT_EQ(scalapack::desc_convert(desc.data(), out.data(), {2, 2, 0, 0}), -1);
  const std::array<int, 7> horizontal = out;
  out[0] = 502;
  EXPECT_EQ(scalapack::desc_convert(desc.data(), out.data(), {4, 1, 0, 0}), 0);
  EXPECT_THAT(out, ElementsAre(502, 5, 10, 3, 0, 6, 0));
  EXPECT_EQ(scalapack::desc_convert(horizontal.data(), out.data(), {1, 4, 0, 0}), -1);
}

// A 9-entry descriptor seen by the PBLAS, and a window as a matrix of its own.
TEST(PblasDescriptors, windows_are_described_with_first_blocks) {
  const std::array<int, 9> desc{1, 5, 10, 12, 3, 4, 1, 0, 6};
  const std::array<int, 11> seen = pblas::argftoc(desc.data());
  EXPECT_THAT(seen, ElementsAre(2, 5, 10, 12, 3, 4, 3, 4, 1, 0, 6));
  const auto window = pblas::describe(6, 5, 4, 2, seen.data(), 2, 2, 0, 1);
  EXPECT_THAT(window.da0, ElementsAre(2, 5, 6, 5, 2, 2, 3, 4, 0, 0, 6));
  const Layout whole{{10, 3, 2, 1}, {12, 4, 2, 0}};
  EXPECT_EQ(read_descriptor(window.da0.data(), {2, 2, 0, 1}).layout, whole.sub({4, 10, 2, 7}));
  EXPECT_EQ(window.ii, whole.rows.count_before(4, 0));
  EXPECT_EQ(window.jj, whole.cols.count_before(2, 1));
}

// 64-bit indices through a 64-bit descriptor, at compile time.
constexpr std::array<std::int64_t, 9> wide{1, 0, Index{1} << 40, Index{1} << 40, 64, 64,
                                           0, 0, Index{1} << 39};
static_assert(scalapack::infog2l(Index{1} << 39, 1, wide.data(), 2, 2, 0, 1) ==
              scalapack::Infog2l{(Index{1} << 38) + 1, 1, 1, 0});

}  // namespace
}  // namespace cyclade
