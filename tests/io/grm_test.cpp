// GCTA's .grm.bin on every grid: a real one, sizes that are no triangle, identifiers, round trips, triplets.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/grm.hpp"

#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "tests/io/memory_source.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade::grm {
namespace {

using test::Dense;
using test::for_each_grid;
using testing::HasSubstr;

Layout awkward(Index n, const Grid& grid) {
  return {{n, 3, grid.p(), grid.p() - 1, 1}, {n, 2, grid.q(), grid.q() / 2, 3}};
}

/// The lower triangle of f by rows, as bytes.
template <class F>
std::string triangle(Index n, F&& f) {
  std::string bytes;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(f(i, j)));
      for (int k = 0; k < 4; ++k) bytes += static_cast<char>((bits >> (8 * k)) & 255);
    }
  }
  return bytes;
}

double entry(Index i, Index j) {
  return static_cast<float>(uniform<double>(5, std::max(i, j), std::min(i, j)));
}

TEST(Grm, reads_both_triangles_in_double_from_any_pieces) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const Index n : {0, 1, 2, 3, 8, 13}) {
      const Source bin = memory_source(triangle(n, entry), "x.grm.bin");
      for (const Index piece : {0, 1, 4, 50}) {
        const Matrix<double> a(grid, awkward(n, grid), host);
        read(bin, a, piece);
        EXPECT_EQ(test::gathered(a), test::dense_of<double>(n, n, entry)) << n << " " << piece;
      }
    }
  });
}

TEST(Grm, writes_back_the_same_bytes) {
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const Index n : {0, 1, 2, 9, 30}) {
      const Matrix<double> a(grid, awkward(n, grid), host);
      fill_entries(a, entry);
      const std::string expected = triangle(n, entry);
      Index mine = 0;
      const Index size = write(a, [&](Index offset, std::span<const char> bytes) {
        EXPECT_EQ(std::string(bytes.begin(), bytes.end()),
                  expected.substr(static_cast<std::size_t>(offset), bytes.size()));
        mine += static_cast<Index>(bytes.size());
      });
      EXPECT_EQ(size, static_cast<Index>(expected.size()));
      EXPECT_EQ(grid.all().sum(mine), size);
    }
  });
}

TEST(Grm, triplets_count_from_one) {
  HostDevice host;
  const std::string expected = "1\t1\t0.1\n2\t1\t-2\n2\t2\t1e+300\n";
  for_each_grid([&](const Grid& grid) {
    const Matrix<double> a(grid, awkward(2, grid), host);
    fill_entries(a, [](Index i, Index j) { return i != j ? -2 : i == 0 ? 0.1 : 1e300; });
    Index mine = 0;
    const Index size = write_triplets(a, [&](Index offset, std::span<const char> bytes) {
      EXPECT_EQ(std::string(bytes.begin(), bytes.end()),
                expected.substr(static_cast<std::size_t>(offset), bytes.size()));
      mine += static_cast<Index>(bytes.size());
    });
    EXPECT_EQ(size, static_cast<Index>(expected.size()));
    EXPECT_EQ(grid.all().sum(mine), size);
    EXPECT_THROW(write(a, [](Index, std::span<const char>) {}), FileError);  // 1e300 is no float
  });
}

TEST(Grm, half_of_a_matrix_that_is_not_symmetric_is_not_written) {
  HostDevice host;
  const auto nowhere = [](Index, std::span<const char>) {};
  for_each_grid([&](const Grid& grid) {
    const Matrix<double> a(grid, awkward(9, grid), host);
    fill_entries(a, [](Index i, Index j) { return i == 7 && j == 2 ? 0.9 : entry(i, j); });
    EXPECT_THROW(write_triplets(a, nowhere), ArgumentError);
    try {
      write(a, nowhere);
      ADD_FAILURE() << "half a matrix was written";
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("entries (2,7) and (7,2) do not match"));
    }
    fill_entries(a, [](Index i, Index j) { return entry(i, j) * (i > j ? 1 + 1e-7 : 1); });
    EXPECT_GT(write(a, nowhere), 0);  // a float cannot tell
  });
}

TEST(Grm, refuses_sizes_that_are_no_triangle) {
  EXPECT_EQ(order("x", 0), 0);
  EXPECT_EQ(order("x", 4), 1);
  EXPECT_EQ(order("x", 220), 10);
  EXPECT_EQ(order("x", Index{2} * 2000000000 * 2000000001), 2000000000);
  for (const Index bytes : {1, 3, 8, 219, 221, 224}) {
    try {
      order("x.grm.bin", bytes);
      ADD_FAILURE() << bytes;
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), HasSubstr("x.grm.bin: expected n(n+1)/2 float32 numbers"));
    }
  }
}

TEST(Grm, needs_one_identifier_a_row) {
  EXPECT_EQ(id_path("d/x.grm.bin"), "d/x.grm.id");
  EXPECT_THROW(id_path("x.bin"), ArgumentError);
  for (const char* ids : {"a 1\nb 2\n", "a 1\r\nb 2", "\na\n\n  \nb\n\n"})
    EXPECT_NO_THROW(require_ids(memory_source(ids, "x.grm.id"), "x.grm.bin", 2)) << ids;
  EXPECT_NO_THROW(require_ids(memory_source("", "x.grm.id"), "x.grm.bin", 0));
  for (const char* ids : {"", "a 1\n", "a\nb\nc"}) {
    try {
      require_ids(memory_source(ids, "x.grm.id"), "x.grm.bin", 2);
      ADD_FAILURE() << ids;
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), HasSubstr("x.grm.id: expected 2 lines"));
    }
  }
}

TEST(Grm, two_hundred_damaged_copies_are_refused_or_read) {
  HostDevice host;
  const std::string bytes = triangle(10, entry);
  for_each_grid([&](const Grid& grid) {
    int refused = 0;
    for (std::uint64_t number = 0; number < 200; ++number) {
      const Source bin = memory_source(mutated(bytes, number), "x.grm.bin");
      try {
        const Index n = order(bin.name, bin.size);
        EXPECT_LE(n * n, bin.size);
        const Matrix<float> a(grid, awkward(n, grid), host);
        read(bin, a, 3);
      } catch (const FileError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 50);
  });
}

TEST(Grm, the_shared_matrix_has_its_known_count_and_norm) {
#ifdef CYCLADE_SHARED_MATRICES
  HostDevice host;
  const std::string folder = CYCLADE_SHARED_MATRICES "/";
  for_each_grid([&](const Grid& grid) {
    const Source bin = memory_source(file_bytes(folder + "m20.grm.bin"), "m20.grm.bin");
    const Index n = order(bin.name, bin.size);
    EXPECT_EQ(n, 10);
    require_ids(memory_source(file_bytes(folder + "m20.grm.id"), "m20.grm.id"), bin.name, n);
    const Matrix<double> a(grid, awkward(n, grid), host);
    read(bin, a);
    const Dense<double> whole = test::gathered(a);
    EXPECT_EQ(std::count_if(whole.data.begin(), whole.data.end(), [](double v) { return v != 0; }), 88);
    EXPECT_NEAR(test::norm1(whole), 4.855555608868599, 1e-14);
  });
#else
  GTEST_SKIP() << "the folder ../shared/matrices is absent";
#endif
}

}  // namespace
}  // namespace cyclade::grm
