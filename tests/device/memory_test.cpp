// What a device hands out: aligned, counted, and refused with the number of bytes when there is no more.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include <gtest/gtest.h>

#include "cyclade/base/error.hpp"
#include "cyclade/device/buffer.hpp"
#include "cyclade/device/host.hpp"

namespace cyclade {
namespace {

TEST(DeviceMemory, is_aligned_and_counted) {
  HostDevice host;
  {
    const Buffer<double> a(host, 10);
    EXPECT_EQ(host.memory().current, 80);
    {
      const Buffer<float> b(host, 1 << 22);  // large enough for huge pages
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0U);
      EXPECT_EQ(host.memory().current, 80 + (4 << 22));
    }
    EXPECT_EQ(host.memory().current, 80);
    EXPECT_EQ(host.memory().peak, 80 + (4 << 22));
    host.reset_peak();
    EXPECT_EQ(host.memory().peak, 80);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0U);
  }
  EXPECT_EQ(host.memory().current, 0);
}

TEST(DeviceMemory, moves_and_may_be_empty) {
  HostDevice host;
  Buffer<double> a(host, 4), b;
  double* data = a.data();
  b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(b.size(), 4);
  const Buffer<double> none(host, 0);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(host.memory().current, 32);
}

TEST(DeviceMemory, says_how_much_was_asked_for) {
  HostDevice host;
  try {
    const Buffer<double> absurd(host, Index{1} << 57);
    FAIL() << "an absurd size was granted";
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(Index{1} << 60)), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(host.memory().current, 0);
}

TEST(DeviceMemory, a_count_whose_bytes_overflow_is_refused_too) {
  HostDevice host;
  for (const Index count :
       {Index{1} << 60, Index{1} << 61, Index{1} << 62, Index{-1}})  // 2^61 x 8 wraps to 0
    EXPECT_THROW(Buffer<double>(host, count), MemoryError) << count;
  EXPECT_EQ(host.memory().current, 0);
}

}  // namespace
}  // namespace cyclade
