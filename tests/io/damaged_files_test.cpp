// Two hundred damaged copies of a valid file of every format, on the disk, as the command line meets them:
// cut short, bytes flipped, sizes changed. Each is refused by name, or read as what it then says; nobody
// crashes, hangs, or asks for more memory than the file can fill.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/io/grm.hpp"
#include "cyclade/io/matrix_file.hpp"
#include "tests/io/memory_source.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"
#include "tests/support/scratch.hpp"

namespace cyclade {
namespace {

using Z = std::complex<double>;
constexpr Index n = 6;

void put(const Communicator& comm, const std::string& path, const std::string& bytes) {
  comm.barrier();
  if (comm.rank() == 0) std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  comm.barrier();
}

class DamagedFiles : public testing::Test {
 protected:
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const test::ScratchFolder scratch{world};
  const Grid grid{MPI_COMM_WORLD, test::shapes_of(world.size()).back()};
  HostDevice host;

  /// A symmetric matrix in a file of that name.
  std::string valid(const std::string& name) {
    const std::string path = scratch.path(name);
    const Matrix<double> a(grid, square_layout(n, 2, grid.p(), grid.q()), host);
    fill_entries(a, [](Index i, Index j) { return uniform<double>(3, std::max(i, j), std::min(i, j)); });
    MatrixOutput out(grid.all(), path);
    out.write(a, {});
    out.commit();
    if (name.ends_with(".grm.bin")) put(world, grm::id_path(path), "f 1\nf 2\nf 3\nf 4\nf 5\nf 6\n");
    return file_bytes(path);
  }

  /// What 200 damaged copies of `bytes` give: refused ones must say why, others are handed to `check` as they
  /// are on the disk and as they were read. Returns how many were refused.
  template <class F>
  int refused(const std::string& name, const std::string& bytes, F&& check) {
    const std::string path = scratch.path(name);
    int count = 0;
    for (std::uint64_t number = 0; number < 200; ++number) {
      const std::string damaged = mutated(bytes, number);
      put(world, path, damaged);
      std::string told;
      try {
        const FileInfo info = inspect(grid.all(), path, {.n = n});
        // Nothing in a header can ask for more memory than the file's own bytes, but for a coordinate file.
        const Index entries = info.rows * info.cols;
        EXPECT_LE(entries, 8 * info.bytes) << number;
        if (entries > 8 * info.bytes) continue;
        host.reset_peak();
        const Matrix<Z> a(grid, {{info.rows, 2, grid.p()}, {info.cols, 3, grid.q()}}, host);
        read_matrix(info, a);
        EXPECT_LE(host.memory().peak, 1000 * info.bytes + 10000) << number;
        check(info, damaged, test::gathered(a));
      } catch (const Error& error) {
        told = error.what();
        EXPECT_NE(dynamic_cast<const FileError*>(&error), nullptr) << told;
        EXPECT_THAT(told, testing::HasSubstr(name.substr(0, 2))) << number;
      }
      if (!told.empty()) ++count;
    }
    return count;
  }
};

double number_at(const std::string& bytes, Index offset) {
  double value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The numbers that follow `offset`, in doubles, by columns or by rows.
void expect_doubles(const FileInfo& info, const std::string& bytes, const test::Dense<Z>& a) {
  if (info.element != "float64" || info.array.big_endian) return;  // a flipped bit may name another type
  for (Index j = 0; j < info.cols; ++j) {
    for (Index i = 0; i < info.rows; ++i) {
      const Index place = info.array.row_major ? i * info.cols + j : i + j * info.rows;
      const double expected = number_at(bytes, info.array.offset + 8 * place), got = a(i, j).real();
      EXPECT_TRUE(got == expected || (got != got && expected != expected)) << i << " " << j;
    }
  }
}

TEST_F(DamagedFiles, npy) {
  const int count = refused("a.npy", valid("a.npy"), expect_doubles);
  EXPECT_GE(count, 100);
  EXPECT_LE(count, 199);
}

TEST_F(DamagedFiles, bin) {
  const int count = refused("a.bin", valid("a.bin"), expect_doubles);
  EXPECT_GE(count, 100);
  EXPECT_LE(count, 199);
}

TEST_F(DamagedFiles, matrix_market) {
  int read = 0;
  const int count =
      refused("a.mtx", valid("a.mtx"), [&](const FileInfo& info, const std::string&, const auto& a) {
        EXPECT_EQ(a.rows * a.cols, info.rows * info.cols);
        ++read;
      });
  EXPECT_GE(count, 50);
  EXPECT_EQ(count + read, 200);
  EXPECT_GE(read, 10);  // a digit changed in a number is another number
}

TEST_F(DamagedFiles, relationship_matrix) {
  const std::string bytes = valid("a.grm.bin");
  const int count =
      refused("a.grm.bin", bytes, [](const FileInfo& info, const std::string& damaged, const auto& a) {
        EXPECT_EQ(info.rows, n);  // the identifiers say so
        float corner = 0;
        std::memcpy(&corner, damaged.data() + damaged.size() - 4, 4);
        EXPECT_TRUE(a(n - 1, n - 1) == Z(corner) || corner != corner);
      });
  EXPECT_GE(count, 100);
  EXPECT_LE(count, 199);
}

TEST_F(DamagedFiles, identifiers) {
  const std::string bytes = valid("a.grm.bin"), ids = "f 1\nf 2\nf 3\nf 4\nf 5\nf 6\n";
  int refused = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const std::string damaged = mutated(ids, number);
    put(world, scratch.path("a.grm.id"), damaged);
    try {
      inspect(grid.all(), scratch.path("a.grm.bin"));
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("a.grm.id: expected 6 lines"));
      ++refused;
    }
  }
  EXPECT_GE(refused, 50);
}

}  // namespace
}  // namespace cyclade
