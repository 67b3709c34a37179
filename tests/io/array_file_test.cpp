// .npy and .bin on every grid: round trips, numbers of every type and byte order, what a conversion would
// lose, damaged files, idle ranks, full disks; and NumPy's opinion where NumPy is at hand.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/array_file.hpp"

#include <bit>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/io/matrix_file.hpp"
#include "cyclade/io/npy.hpp"
#include "tests/io/memory_source.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"
#include "tests/support/scratch.hpp"

namespace cyclade {
namespace {

using testing::HasSubstr;

Layout awkward(Index m, Index n, const Grid& grid) {
  return {{m, 3, grid.p(), grid.p() - 1, 1}, {n, 2, grid.q(), grid.q() / 2, 3}};
}

template <Scalar T>
T entry(Index i, Index j) {
  return uniform<T>(7, i, j);
}

/// The numbers of `values`, as they are in memory, big-endian if that is asked for.
template <class E>
std::string bytes_of(std::initializer_list<E> values, bool big_endian = false, std::size_t part = sizeof(E)) {
  std::string bytes;
  for (const E& value : values) {
    char raw[sizeof(E)];
    std::memcpy(raw, &value, sizeof(E));
    if (big_endian != (std::endian::native == std::endian::big))
      for (std::size_t at = 0; at < sizeof(E); at += part) std::reverse(raw + at, raw + at + part);
    bytes.append(raw, sizeof(E));
  }
  return bytes;
}

template <class F>
std::string file_error(F&& f) {
  try {
    f();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

template <class T>
class ArrayFile : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ArrayFile, Scalars);

TYPED_TEST(ArrayFile, round_trips_in_memory_keep_their_bits) {
  using T = TypeParam;
  HostDevice host;
  const std::pair<Index, Index> shapes[] = {{0, 0}, {1, 1}, {0, 5}, {7, 4}, {4, 11}, {13, 13}};
  test::for_each_grid([&](const Grid& grid) {
    for (const auto& [m, n] : shapes) {
      for (const bool row_major : {false, true}) {
        for (const Index budget : {Index{1}, Index{300}, slab_budget}) {
          const Matrix<T> a(grid, awkward(m, n, grid), host), b(grid, awkward(m, n, grid), host);
          fill_entries(a, entry<T>);
          const ArrayLayout array{element_type_of(scalar_type<T>), false, row_major, m, n, 5};
          std::string mine(static_cast<std::size_t>(total_bytes(array)), '\0');
          Index written = 0;
          write_array(
              a, array,
              [&](Index offset, std::span<const char> bytes) {
                std::copy(bytes.begin(), bytes.end(), mine.begin() + offset);
                written += static_cast<Index>(bytes.size());
              },
              budget);
          EXPECT_EQ(grid.all().sum(written), total_bytes(array) - 5);
          // Zero where another rank wrote: the maximum of unsigned bytes is the whole.
          std::vector<int> whole(mine.begin(), mine.end());
          for (int& byte : whole) byte &= 255;
          grid.all().all_reduce_max(std::span<int>(whole));
          std::string bytes(whole.begin(), whole.end());
          read_array(memory_source(bytes, "a"), array, b, budget);
          EXPECT_EQ(test::gathered(b), test::dense_of<T>(m, n, entry<T>)) << m << "x" << n << " " << budget;
        }
      }
    }
  });
}

TYPED_TEST(ArrayFile, round_trips_on_disk_keep_their_bits) {
  using T = TypeParam;
  HostDevice host;
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  const test::ScratchFolder scratch(world);
  test::for_each_grid([&](const Grid& grid) {
    for (const char* name : {"a.npy", "a.bin"}) {
      for (const bool row_major : {false, true}) {
        const Index n = 11;
        const Matrix<T> a(grid, awkward(n, n, grid), host), b(grid, awkward(n, n, grid), host);
        fill_entries(a, entry<T>);
        MatrixOutput out(grid.all(), scratch.path(name));
        out.write(a, {.order = row_major ? FileOrder::row : FileOrder::column});
        out.commit();
        const FileInfo info = inspect(grid.all(), scratch.path(name), {.n = n, .type = scalar_type<T>});
        EXPECT_EQ(info.rows, n);
        EXPECT_EQ(info.type, scalar_type<T>);
        read_matrix(info, b);
        EXPECT_EQ(test::gathered(b), test::dense_of<T>(n, n, entry<T>)) << name;
        grid.all().barrier();
      }
    }
  });
}

TYPED_TEST(ArrayFile, numbers_of_every_type_and_byte_order_are_read) {
  using T = TypeParam;
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, 1});  // the other ranks are idle
  const auto expect = [&](ElementType type, bool big_endian, const std::string& bytes, T first, T second) {
    const ArrayLayout array{type, big_endian, true, 1, 2, 0};
    const Matrix<T> a(grid, {{1}, {2}}, host);
    read_array(memory_source(bytes, "a"), array, a);
    if (!grid.inside()) return;
    EXPECT_EQ(a.local()(0, 0), first) << to_string(type);
    EXPECT_EQ(a.local()(0, 1), second) << to_string(type);
  };
  for (const bool big : {false, true}) {
    expect(ElementType::i1, big, bytes_of<std::int8_t>({-128, 5}, big), T(-128), T(5));
    expect(ElementType::i2, big, bytes_of<std::int16_t>({-300, 5}, big), T(-300), T(5));
    expect(ElementType::i4, big, bytes_of<std::int32_t>({-70000, 5}, big), T(-70000), T(5));
    expect(ElementType::i8, big, bytes_of<std::int64_t>({-(Index{1} << 40), 5}, big),
           T(static_cast<Real<T>>(-1099511627776.0)), T(5));
    expect(ElementType::u1, big, bytes_of<std::uint8_t>({255, 5}, big), T(255), T(5));
    expect(ElementType::u2, big, bytes_of<std::uint16_t>({65535, 5}, big), T(65535), T(5));
    expect(ElementType::u4, big, bytes_of<std::uint32_t>({1U << 31, 5}, big),
           T(static_cast<Real<T>>(2147483648.0)), T(5));
    expect(ElementType::u8, big, bytes_of<std::uint64_t>({std::uint64_t{1} << 63, 5}, big),
           T(static_cast<Real<T>>(9223372036854775808.0)), T(5));
    expect(ElementType::f4, big, bytes_of<float>({0.1F, -2}, big), T(0.1F), T(-2));
    expect(ElementType::f8, big, bytes_of<double>({0.1, -2}, big), T(static_cast<Real<T>>(0.1)), T(-2));
    if constexpr (is_complex<T>) {
      using R = Real<T>;
      expect(ElementType::c8, big, bytes_of<std::complex<float>>({{1, 2}, {3, -4}}, big, 4), T(1, 2),
             T(3, -4));
      expect(ElementType::c16, big, bytes_of<std::complex<double>>({{0.1, 2}, {3, -4}}, big, 8),
             T(static_cast<R>(0.1), 2), T(3, -4));
    }
  }
  expect(ElementType::b1, false, std::string("\0\1", 2), T(0), T(1));
}

TEST(ArrayFileErrors, what_a_conversion_would_lose_is_refused_by_entry) {
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Matrix<std::complex<double>> a(grid, awkward(5, 5, grid), host);
    const auto nowhere = [](Index, std::span<const char>) {};
    const ArrayLayout reals{ElementType::f8, false, false, 5, 5, 0},
        floats{ElementType::c8, false, false, 5, 5, 0};
    fill_entries(a, [](Index i, Index j) { return std::complex<double>(1e300, i == 3 && j >= 1 ? 1 : 0); });
    EXPECT_THAT(file_error([&] { write_array(a, reals, nowhere); }),
                HasSubstr("(3,1) has an imaginary part"));
    EXPECT_THAT(file_error([&] { write_array(a, floats, nowhere); }), HasSubstr("(0,0) is too large"));
    fill_entries(a, [](Index, Index) { return std::complex<double>(2, 0); });
    EXPECT_EQ(file_error([&] { write_array(a, reals, nowhere); }), "no error");
    EXPECT_THROW(write_array(a, {ElementType::i4, false, false, 5, 5, 0}, nowhere), ArgumentError);
    EXPECT_THROW(write_array(a, {ElementType::c16, false, false, 5, 4, 0}, nowhere), ArgumentError);

    const std::string bytes = bytes_of<std::complex<double>>({{1, 0}, {0, 0}, {0, 0}, {0, 1}});
    const ArrayLayout file{ElementType::c16, false, false, 2, 2, 0};
    const Matrix<double> d(grid, awkward(2, 2, grid), host);
    EXPECT_THAT(file_error([&] { read_array(memory_source(bytes, "a.npy"), file, d); }),
                HasSubstr("a.npy: entry (1,1) has an imaginary part"));
    const Matrix<float> s(grid, awkward(1, 2, grid), host);
    EXPECT_THAT(file_error([&] {
                  read_array(memory_source(bytes_of<double>({1, -1e39}), "a.npy"),
                             {ElementType::f8, false, true, 1, 2, 0}, s);
                }),
                HasSubstr("a.npy: entry (0,1) is too large"));
  });
}

TEST(ArrayFileErrors, an_error_of_one_rank_is_thrown_on_all) {
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const int last = grid.all().size() - 1;
    const bool fails = grid.all().rank() == last;
    const Matrix<double> a(grid, awkward(12, 12, grid), host);
    fill_entries(a, entry<double>);
    const ArrayLayout array{ElementType::f8, false, false, 12, 12, 0};  // every rank has lines of it
    const Source broken{"a.npy", total_bytes(array), [&](Index, std::span<char> into) {
                          if (fails) throw FileError("a.npy: the disk is broken");
                          std::ranges::fill(into, '\0');
                        }};
    EXPECT_EQ(file_error([&] { read_array(broken, array, a); }), "a.npy: the disk is broken");
    const auto full = [&](Index, std::span<const char>) {
      if (fails) throw FileError("a.npy: the disk is full");
    };
    EXPECT_EQ(file_error([&] { write_array(a, array, full); }), "a.npy: the disk is full");
  });
}

TEST(ArrayFileErrors, two_hundred_damaged_copies_are_refused_or_read) {
  HostDevice host;
  ArrayLayout layout{ElementType::f8, false, false, 6, 6, 0};
  std::string whole = npy::write_header(layout);
  for (Index k = 0; k < 36; ++k) whole += bytes_of<double>({uniform<double>(3, k, 0)});
  const Grid grid(MPI_COMM_WORLD, test::shapes_of(Communicator::duplicate(MPI_COMM_WORLD).size()).back());
  int refused = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const Source source = memory_source(mutated(whole, number), "a.npy");
    const std::string told = file_error([&] {
      const ArrayLayout array = npy::read_header(source);
      EXPECT_EQ(total_bytes(array), source.size);
      const Matrix<double> a(grid, awkward(array.rows, array.cols, grid), host);
      read_array(source, array, a);
    });
    if (told == "no error") continue;
    ++refused;
    EXPECT_EQ(told.find("a.npy: "), 0U) << told;
  }
  EXPECT_GT(refused, 50);
}

TEST(ArrayFileErrors, a_bin_file_of_the_wrong_size_is_refused) {
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  const test::ScratchFolder scratch(world);
  {
    OutputFile out(world, scratch.path("a.bin"));
    if (world.rank() == 0) out.write(0, std::string(72, '\0'));
    out.commit(72);
  }
  EXPECT_EQ(inspect(world, scratch.path("a.bin"), {.n = 3}).rows, 3);
  EXPECT_THROW(inspect(world, scratch.path("a.bin"), {}), ArgumentError);
  EXPECT_THROW(inspect(world, scratch.path("a.txt"), {}), ArgumentError);
  EXPECT_THAT(file_error([&] { inspect(world, scratch.path("a.bin"), {.n = 4}); }),
              HasSubstr("needs 128 bytes, the file has 72"));
  EXPECT_THAT(file_error([&] { inspect(world, scratch.path("a.bin"), {.n = Index{1} << 40}); }),
              HasSubstr("the file has 72"));
}

/// Files of this process may have so many bytes; a write beyond fails and does not kill.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(ArrayFileErrors, a_full_disk_is_told_on_all_ranks_and_leaves_nothing) {
  HostDevice host;
  const auto world = Communicator::duplicate(MPI_COMM_WORLD);
  const test::ScratchFolder scratch(world);
  test::for_each_grid([&](const Grid& grid) {
    const Index n = 100;  // 80000 bytes: the limits fall into the header, on a slab's border, into its midst
    const Matrix<double> a(grid, awkward(n, n, grid), host);
    fill_entries(a, entry<double>);
    for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{40000}, rlim_t{40001}, rlim_t{80127}}) {
      const std::string told = file_error([&] {
        MatrixOutput out(grid.all(), scratch.path("a.npy"));
        const FileSizeLimit full(limit);
        out.write(a, {});
        out.commit();
      });
      EXPECT_THAT(told, testing::AnyOf(HasSubstr("a.npy: only "), HasSubstr("a.npy: cannot"))) << limit;
      EXPECT_TRUE(scratch.empty()) << limit;
    }
  });
}

/// Runs statements in NumPy's Python on rank 0; true on all ranks if they succeed. Collective.
bool numpy_runs(const Communicator& world, const std::string& statements) {
  world.barrier();
  const std::string command = "/usr/bin/python3 -c \"import numpy as np\n" + statements + "\" 2>&1";
  return world.min(world.rank() == 0 && std::system(command.c_str()) != 0 ? 0 : 1) == 1;
}

class NumPy : public testing::Test {
 protected:
  static double formula(Index i, Index j) { return static_cast<double>(10 * i - 3 * j); }

  void SetUp() override {
    const bool there =
        world.rank() != 0 || std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0;
    if (world.min(there ? 1 : 0) == 0) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  }

  HostDevice host;
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  const test::ScratchFolder scratch{world};
  const Grid grid{MPI_COMM_WORLD, test::shapes_of(world.size()).back()};
};

TEST_F(NumPy, reads_what_is_written) {
  std::string checks = "i, j = np.indices((7, 7))\n";
  for (const bool row_major : {false, true}) {
    for (const auto& [letter, type] : {std::pair{'f', ScalarType::s}, std::pair{'d', ScalarType::d},
                                       std::pair{'F', ScalarType::c}, std::pair{'D', ScalarType::z}}) {
      const std::string path = scratch.path(std::string(row_major ? "c" : "f") + letter + ".npy");
      const Matrix<double> a(grid, awkward(7, 7, grid), host);
      fill_entries(a, formula);
      MatrixOutput out(world, path);
      out.write(a, {.type = type, .order = row_major ? FileOrder::row : FileOrder::column});
      out.commit();
      checks += "a = np.load('" + path + "')\nassert a.dtype.char == '" + letter +
                "' and (a == 10 * i - 3 * j).all() and a.flags." + (row_major ? "c" : "f") + "_contiguous\n";
    }
  }
  EXPECT_TRUE(numpy_runs(world, checks));
}

TEST_F(NumPy, writes_what_is_read) {
  const std::string types[] = {"<f4", ">f8", "<c8", ">c16", "|i1", ">i2", "<i4", ">i8", "|b1"};
  EXPECT_TRUE(numpy_runs(
      world, "i, j = np.indices((7, 5))\nfor order in 'CF':\n  for t in '" +
                 [&] {
                   std::string all;
                   for (const std::string& type : types) all += type + " ";
                   return all;
                 }() +
                 "'.split():\n    a = np.asarray(10 * i - 3 * j, dtype=t, order=order)\n    np.save('" +
                 scratch.path("") + "' + order + t[1:] + '.npy', a)\n"));
  for (const std::string& type : types) {
    for (const char* order : {"C", "F"}) {
      const Matrix<double> b(grid, awkward(7, 5, grid), host);
      read_matrix(inspect(world, scratch.path(order + type.substr(1) + ".npy")), b);
      const bool truth = type == "|b1";
      EXPECT_EQ(
          test::gathered(b),
          test::dense_of<double>(
              7, 5, [&](Index i, Index j) { return truth ? (formula(i, j) != 0 ? 1 : 0) : formula(i, j); }))
          << order << type;
    }
  }
}

}  // namespace
}  // namespace cyclade
