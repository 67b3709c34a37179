// Matrix Market files into distributed matrices and back, on every grid, however the file is cut: small files
// written by hand, the shared folder of real and broken files, damaged copies, and round trips.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/matrix_market.hpp"

#include <cstdio>
#include <map>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "tests/io/memory_source.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace cyclade::matrix_market {
namespace {

using test::Dense;
using test::for_each_grid;
using testing::HasSubstr;
using testing::StartsWith;
using Z = std::complex<double>;
const Z I{0, 1};

Layout awkward(Index m, Index n, const Grid& grid) {
  return {{m, 3, grid.p(), grid.p() - 1, 1}, {n, 2, grid.q(), grid.q() / 2, 3}};
}

template <Scalar T>
Dense<T> dense(Index m, Index n, const std::vector<T>& by_rows) {
  return test::dense_of<T>(m, n,
                           [&](Index i, Index j) { return by_rows[static_cast<std::size_t>(i * n + j)]; });
}

struct Outcome {
  Dense<Z> matrix;
  Index repeated = 0;
  std::string error;
};

/// Reads as `T`; an error's text instead of throwing it. Sizes beyond `most` entries are not read.
template <Scalar T>
Outcome read_text(const Grid& grid, const std::string& text, Index piece_bytes = 0, Index most = 1 << 16) {
  HostDevice host;
  const Source source = memory_source(text);
  Outcome outcome;
  try {
    const Header header = inspect(grid.all(), source);
    if (header.rows * header.cols > most) return outcome;
    const Matrix<T> a(grid, awkward(header.rows, header.cols, grid), host);
    outcome.repeated = read(source, header, a, piece_bytes);
    const Dense<T> whole = test::gathered(a);
    outcome.matrix =
        test::dense_of<Z>(whole.rows, whole.cols, [&](Index i, Index j) { return Z(whole(i, j)); });
  } catch (const FileError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

/// The sum of a hash of the text over the ranks tells whether all have the same.
bool equal_everywhere(const Communicator& comm, const std::string& text) {
  const auto hash = static_cast<Index>(std::hash<std::string>()(text) >> 1);
  return comm.min(hash) == comm.max(hash);
}

TEST(MatrixMarket, reads_every_form_field_and_symmetry) {
  const std::string c = "%%MatrixMarket matrix coordinate ", a = "%%MatrixMarket matrix array ";
  const std::vector<std::tuple<std::string, Dense<Z>, Index>> files = {
      {a + "real general\n2 3\n1\n2\n3\n4\n5\n6\n", dense<Z>(2, 3, {1, 3, 5, 2, 4, 6}), 0},
      {a + "integer symmetric\n3 3\n1\n2\n3\n\n% c\n4\n5\r\n6", dense<Z>(3, 3, {1, 2, 3, 2, 4, 5, 3, 5, 6}),
       0},
      {a + "real skew-symmetric\n2 2\n3.4\n", dense<Z>(2, 2, {0, -3.4, 3.4, 0}), 0},
      {a + "complex symmetric\n2 2\n1 1\n2 2\n3 -3\n",
       dense<Z>(2, 2, {1. + I, 2. + 2. * I, 2. + 2. * I, 3. - 3. * I}), 0},
      {a + "complex hermitian\n2 2\n2 0\n1 1\n3 0\n", dense<Z>(2, 2, {2, 1. - I, 1. + I, 3}), 0},
      {a + "complex skew-symmetric\n2 2\n1 1\n", dense<Z>(2, 2, {0, -1. - I, 1. + I, 0}), 0},
      {c + "real general\n2 3 2\n2 3 7\n1 1 -1d0\n", dense<Z>(2, 3, {-1, 0, 0, 0, 0, 7}), 0},
      {c + "pattern symmetric\n3 3 2\n2 1\n3 3\n", dense<Z>(3, 3, {0, 1, 0, 1, 0, 0, 0, 0, 1}), 0},
      {c + "integer symmetric\n2 2 2\n1 1 4\n1 2 5\n", dense<Z>(2, 2, {4, 5, 5, 0}), 0},  // upper triangle
      {c + "real skew-symmetric\n3 3 3\n2 2 0\n1 3 2\n2 3 4\n", dense<Z>(3, 3, {0, 0, 2, 0, 0, 4, -2, -4, 0}),
       0},
      {c + "complex hermitian\n2 2 2\n2 1 1 1\n2 2 3 0\n", dense<Z>(2, 2, {0, 1. - I, 1. + I, 3}), 0},
      {c + "real general\n2 2 5\n1 1 1\n2 1 3\n1 1 .5\n2 2 0\n1 1 .25\n", dense<Z>(2, 2, {1.75, 0, 3, 0}), 2},
      {c + "real symmetric\n2 2 2\n2 1 1\n2 1 1\n", dense<Z>(2, 2, {0, 2, 2, 0}), 1},
      {c + "real symmetric\n2 2 4\n2 1 1\n1 1 1\n2 1 1\n1 1 1\n", dense<Z>(2, 2, {2, 2, 2, 0}), 2},
      {c + "real general\n3 2 0\n", Dense<Z>(3, 2), 0},
      {a + "real general\n3 0\n", Dense<Z>(3, 0), 0},
      {a + "real skew-symmetric\n1 1\n% nothing\n", Dense<Z>(1, 1), 0},
  };
  for_each_grid([&](const Grid& grid) {
    for (const auto& [text, expected, repeated] : files) {
      for (const Index piece : {0, 1, 2, 3, 5, 8, 13, 100}) {
        const Outcome outcome = read_text<Z>(grid, text, piece);
        EXPECT_EQ(outcome.error, "") << text;
        EXPECT_EQ(outcome.matrix, expected) << text << piece;
        EXPECT_EQ(outcome.repeated, repeated) << text << piece;
      }
    }
  });
}

TEST(MatrixMarket, the_smallest_wrong_line_is_reported_by_all_ranks) {
  const std::string c = "%%MatrixMarket matrix coordinate ", a = "%%MatrixMarket matrix array ";
  const std::vector<std::pair<std::string, std::string>> files = {
      {c + "real general\n2 2 3\n1 1 1\n2 2 x\n9 9 y\n", "test.mtx:4: expected a number, found \"x\""},
      {c + "real general\n2 2 3\n1 1 1\n\n%\n2 2 1\n",
       "test.mtx:6: expected 3 entries, as line 2 says, found the end of the file after 2"},
      {c + "real general\n2 2 9223372036854775807\n1 1 1\n",
       "test.mtx:3: expected 9223372036854775807 entries"},
      {a + "real general\n2 2\n1\n2\n3\n% too few", "test.mtx:6: expected 4 entries"},
      {a + "real general\n1 2\n1\n2\n3\n4\n", "test.mtx:5: expected no more than the 2 entries"},
      {c + "real symmetric\n3 3 5\n1 1 1\n2 1 1\n3 3 1\n1 3 1\n3 2 1\n",
       "test.mtx:6: expected all entries of a symmetric file on the side of the diagonal of the first, line "
       "4"},
      {c + "real symmetric\n3 3 5\n1 2 1\n2 1 1\nx\n1 3 1\n3 2 1\n", "test.mtx:4: expected all entries"},
      {c + "real symmetric\n3 3 5\n1 2 1\nx\n2 1 1\n1 3 1\n3 2 1\n", "test.mtx:4: expected the row"},
      {a + "complex hermitian\n2 2\n1 0\n2 1\n1.707 -1\n",
       "test.mtx:5: expected a real number on the diagonal, (2,2)"},
      {"%%MatrixMarket matrix array real\n", "test.mtx:1: expected the symmetry"}};
  for_each_grid([&](const Grid& grid) {
    for (const auto& [text, message] : files) {
      for (const Index piece : {0, 1, 2, 4, 7, 11, 30}) {
        const Outcome outcome = read_text<Z>(grid, text, piece);
        EXPECT_THAT(outcome.error, StartsWith(message)) << piece;
        EXPECT_TRUE(equal_everywhere(grid.all(), outcome.error));
      }
    }
  });
}

TEST(MatrixMarket, complex_files_are_read_as_real_only_if_they_are) {
  const std::string head = "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 0\n";
  for_each_grid([&](const Grid& grid) {
    EXPECT_EQ(read_text<double>(grid, head + "2 2 5 -0\n").matrix, dense<Z>(2, 2, {1, 0, 0, 5}));
    EXPECT_THAT(read_text<double>(grid, head + "2 2 0 1\n").error,
                StartsWith("test.mtx:4: expected an imaginary part of 0"));
    EXPECT_THAT(read_text<float>(grid, head + "2 2 1e39 0\n").error,
                StartsWith("test.mtx:4: expected a number that a float can hold"));
  });
}

TEST(MatrixMarket, repeated_entries_are_summed_in_the_order_of_the_file_on_any_grid) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 60\n";
  double sum = uniform<double>(1, 0, 0);
  for (Index k = 0; k < 60; ++k) {
    const double value = uniform<double>(1, k, 0);
    if (k > 0) sum += value;
    text += "2 1 ";
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g\n", value);
    text += digits;
  }
  for_each_grid([&](const Grid& grid) {
    for (const Index piece : {0, 10, 50, 333}) {
      const Outcome outcome = read_text<double>(grid, text, piece);
      EXPECT_EQ(outcome.matrix, dense<Z>(2, 2, {0, 0, sum, 0}));
      EXPECT_EQ(outcome.repeated, 59);
    }
  });
}

/// What the ranks wrote, joined: places must not overlap and leave no gap.
class Output {
 public:
  WriteAt writer() {
    return [this](Index offset, std::span<const char> bytes) {
      EXPECT_TRUE(parts_.emplace(offset, std::string(bytes.begin(), bytes.end())).second);
    };
  }
  std::string joined(const Communicator& comm, Index size) const {
    std::vector<Index> bytes(static_cast<std::size_t>(size)), written(bytes.size());
    for (const auto& [offset, part] : parts_) {
      for (std::size_t k = 0; k < part.size(); ++k) {
        bytes.at(static_cast<std::size_t>(offset) + k) = part[k];
        written.at(static_cast<std::size_t>(offset) + k) = 1;
      }
    }
    comm.all_reduce_sum(std::span<Index>(bytes));
    comm.all_reduce_sum(std::span<Index>(written));
    EXPECT_EQ(std::count(written.begin(), written.end(), 1), size);
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::map<Index, std::string> parts_;
};

template <class T>
class MatrixMarketRoundTrip : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatrixMarketRoundTrip, Scalars);

TYPED_TEST(MatrixMarketRoundTrip, every_bit_comes_back) {
  using T = TypeParam;
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    for (const auto& [m, n] :
         {std::pair<Index, Index>{0, 0}, {0, 3}, {3, 0}, {1, 1}, {5, 9}, {9, 9}, {13, 2}}) {
      for (const Symmetry symmetry :
           {Symmetry::general, Symmetry::symmetric, Symmetry::skew, Symmetry::hermitian}) {
        if (symmetry != Symmetry::general && m != n) continue;
        if (symmetry == Symmetry::hermitian && !is_complex<T>) continue;
        const Matrix<T> a(grid, awkward(m, n, grid), host),
            b(grid, {{m, 2, grid.p()}, {n, 7, grid.q()}}, host);
        fill_entries(a, [&](Index i, Index j) {
          const T value = uniform<T>(3, std::max(i, j), std::min(i, j)) * static_cast<Real<T>>(1e7);
          if (symmetry == Symmetry::general) return uniform<T>(3, i, j) / static_cast<Real<T>>(3e7);
          if (symmetry == Symmetry::skew) return i == j ? T{0} : i > j ? value : -value;
          if (symmetry == Symmetry::hermitian)
            return i == j ? T{std::real(value)} : i > j ? value : conjugate(value);
          return value;
        });
        Output output;
        const Index size = write(a, output.writer(), symmetry, "made by a test\nin two lines");
        const std::string text = output.joined(grid.all(), size);
        EXPECT_THAT(text, StartsWith(std::string("%%MatrixMarket matrix array ") +
                                     (is_complex<T> ? "complex " : "real ") + word(symmetry) +
                                     "\n% made by a test\n% in two lines\n"));
        const Source source = memory_source(text);
        fill_entries(b, [](Index, Index) { return T{77}; });
        EXPECT_EQ(read(source, inspect(grid.all(), source), b, 40), 0);
        EXPECT_EQ(test::gathered(a), test::gathered(b)) << m << " " << n << " " << word(symmetry);
      }
    }
  });
}

TYPED_TEST(MatrixMarketRoundTrip, several_rounds_of_slabs) {
  using T = TypeParam;
  HostDevice host;
  const Index m = 20000, n = 23;  // three columns a rank and round
  int world = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const Grid grid(MPI_COMM_WORLD, nearest_square(world));
  const Matrix<T> a(grid, {{m, 64, grid.p()}, {n, 3, grid.q()}}, host);
  fill_entries(a, [](Index i, Index j) { return T(static_cast<Real<T>>(i + 100000 * j)); });
  const Matrix<T> b(grid, {{m, 999, grid.p()}, {n, 1, grid.q()}}, host);
  Output output;
  const Index size = write(a, output.writer(), Symmetry::general, "");
  const Source source = memory_source(output.joined(grid.all(), size));
  read(source, inspect(grid.all(), source), b);
  EXPECT_EQ(test::gathered(a), test::gathered(b));
}

TEST(MatrixMarket, what_is_not_of_the_symmetry_is_not_written) {
  HostDevice host;
  const WriteAt nowhere = [](Index, std::span<const char>) {};
  for_each_grid([&](const Grid& grid) {
    const Matrix<Z> wide(grid, awkward(2, 3, grid), host), square(grid, awkward(5, 5, grid), host);
    fill_entries(square, [](Index i, Index j) { return i == 3 && j == 3 ? I : Z{0}; });
    EXPECT_THROW(write(wide, nowhere, Symmetry::symmetric, ""), ArgumentError);
    EXPECT_THROW(write(square, nowhere, Symmetry::hermitian, ""), ArgumentError);
    EXPECT_THROW(write(square, nowhere, Symmetry::skew, ""), ArgumentError);
    EXPECT_GT(write(square, nowhere, Symmetry::symmetric, ""), 0);
    fill_entries(square, [](Index i, Index j) { return i == 4 && j == 1 ? I : Z{0}; });
    for (const Symmetry symmetry : {Symmetry::symmetric, Symmetry::hermitian, Symmetry::skew}) {
      try {
        write(square, nowhere, symmetry, "");
        ADD_FAILURE() << "half a matrix was written as " << word(symmetry);
      } catch (const ArgumentError& error) {
        EXPECT_THAT(error.what(), HasSubstr("entries (1,4) and (4,1) do not match"));
      }
    }
    const WriteAt full = [](Index, std::span<const char>) { throw FileError("disk full"); };
    EXPECT_THROW(write(square, full, Symmetry::general, ""), FileError);
  });
}

TEST(MatrixMarket, damaged_files_give_the_same_answer_on_every_grid) {
  const std::vector<std::string> texts = {
      "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 4.5\n2 1 -1e-3\n2 2 4\n3 3 1.D0\n",
      "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2.5 -1\n3 0\n"};
  for_each_grid([&](const Grid& grid) {
    for (const std::string& text : texts) {
      for (std::uint64_t number = 0; number < 200; ++number) {
        const std::string damaged = mutated(text, number);
        const Outcome whole = read_text<Z>(grid, damaged), parts = read_text<Z>(grid, damaged, 6);
        EXPECT_EQ(whole.error, parts.error) << damaged;
        EXPECT_TRUE(equal_everywhere(grid.all(), whole.error));
        if (!whole.error.empty()) {
          EXPECT_THAT(whole.error, StartsWith("test.mtx:"));
        }
      }
    }
  });
}

#ifdef CYCLADE_SHARED_MATRICES
const std::string shared = CYCLADE_SHARED_MATRICES "/";
#else
const std::string shared;
#endif

class SharedMatrices : public testing::Test {
 protected:
  void SetUp() override {
    if (shared.empty()) GTEST_SKIP() << "the folder ../shared/matrices is absent";
  }
};

struct Known {
  const char* name;
  Index n, nonzeros;
  double norm1;
  bool symmetric;
};
// From MANIFEST.json of that folder.
const Known known[] = {
    {"west0067.mtx", 67, 294, 6.1433746, false},         {"west0479.mtx", 479, 1888, 382221.51, false},
    {"impcol_a.mtx", 207, 572, 681.730944, false},       {"bp_1200.mtx", 822, 4726, 543.1309999999999, false},
    {"fs_183_1.mtx", 183, 998, 1703177421.0073, false},  {"w156.mtx", 156, 362, 18672140.802793607, false},
    {"494_bus.mtx", 494, 1666, 40015.422479, true},      {"beyu11.mtx", 12, 144, 7.6676, true},
    {"bcsstk02.mtx", 66, 4356, 31515.530583852455, true}};

TEST_F(SharedMatrices, real_files_have_the_known_counts_and_norms) {
  int world = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const Grid grid(MPI_COMM_WORLD, nearest_square(world));
  for (const Known& file : known) {
    const std::string text = file_bytes(shared + file.name);
    for (const Index piece : {0, 1000}) {
      const Outcome outcome = read_text<Z>(grid, text, piece, 1 << 20);
      EXPECT_EQ(outcome.error, "") << file.name;
      const Dense<Z>& a = outcome.matrix;
      EXPECT_EQ(a.rows, file.n) << file.name;
      EXPECT_EQ(a.cols, file.n) << file.name;
      EXPECT_EQ(std::count_if(a.data.begin(), a.data.end(), [](const Z& v) { return v != 0.0; }),
                file.nonzeros);
      EXPECT_NEAR(test::norm1(a), file.norm1, 1e-13 * file.norm1) << file.name;
      const Dense<Z> transposed =
          test::dense_of<Z>(a.cols, a.rows, [&](Index i, Index j) { return a(j, i); });
      EXPECT_EQ(transposed == a, file.symmetric) << file.name;
    }
  }
}

TEST_F(SharedMatrices, damaged_real_files_are_refused_or_read) {
  int world = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const Grid grid(MPI_COMM_WORLD, nearest_square(world));
  for (const char* name : {"west0067.mtx", "beyu11.mtx"}) {
    const std::string text = file_bytes(shared + name);
    int refused = 0;
    for (std::uint64_t number = 0; number < 200; ++number) {
      const Outcome outcome = read_text<double>(grid, mutated(text, number), 512);
      refused += outcome.error.empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 100) << name;
  }
}

TEST_F(SharedMatrices, broken_and_odd_files_are_judged_one_by_one) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"Ragusa16.mtx", ":23: expected the end of the line after the entry (a pattern has no values"},
      {"bad_header.mtx", ":1: expected the symmetry"},
      {"bad_matrix_type.mtx", ":3: expected a number, found the end of the line"},
      {"fullcrud.mtx", ":6: expected 4 entries, as line 2 says, found the end of the file after 3"},
      {"fullcrud1.mtx", ":1: expected \"%%MatrixMarket matrix"},
      {"mangle1.mtx", ":1: expected the object (one of: matrix), found \"junk\""},
      {"mangle2.mtx", ":1: expected the form"}};
  const std::vector<std::pair<std::string, Dense<Z>>> accepted = {
      {"3by0.mtx", Dense<Z>(3, 0)},
      {"c.mtx", dense<Z>(3, 3, {1, 0, 2. + I, 0, 1, 3, 2. - I, 3, 42})},
      {"fullcsa.mtx", dense<Z>(2, 2, {{1.3, 2.3}, {3.4, 1.7}, {3.4, 1.7}, {7.7, 8.0}})},
      {"fullrsa.mtx", dense<Z>(2, 2, {1.3, 3.4, 3.4, 7.7})}};
  for_each_grid([&](const Grid& grid) {
    for (const Index piece : {0, 1, 9}) {
      for (const auto& [name, message] : refused)
        EXPECT_THAT(read_text<Z>(grid, file_bytes(shared + "parse/" + name), piece).error, HasSubstr(message))
            << name;
      for (const auto& [name, expected] : accepted) {
        const Outcome outcome = read_text<Z>(grid, file_bytes(shared + "parse/" + name), piece);
        EXPECT_EQ(outcome.error, "") << name;
        EXPECT_EQ(outcome.matrix, expected) << name;
      }
    }
  });
}

}  // namespace
}  // namespace cyclade::matrix_market
