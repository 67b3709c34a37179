// HDF5 files on every grid: what other programs write is read, what is written other programs read, what else
// is in a file stays, and what is no matrix or damaged is refused alike on all ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/hdf5.hpp"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/device/host.hpp"
#include "cyclade/io/matrix_file.hpp"
#include "tests/io/hdf5_files.hpp"
#include "tests/io/memory_source.hpp"
#include "tests/support/grids.hpp"
#include "tests/support/scratch.hpp"

namespace cyclade {
namespace {

using test::by_rows;
using test::complex_type;
using test::dense_of;
using test::for_each_grid;
using test::gathered;
using test::look_into;
using test::make_dataset;
using test::make_file;
using test::MakeDataset;
using test::ScratchFolder;
using testing::HasSubstr;

using Complex = std::complex<double>;

Communicator world() { return Communicator::duplicate(MPI_COMM_WORLD); }

Layout awkward(Index m, Index n, const Grid& grid) {
  return {{m, 3, grid.p(), grid.p() - 1, 1}, {n, 2, grid.q(), grid.q() / 2, 3}};
}

double real_entry(Index i, Index j) { return static_cast<double>((7 * i + 3 * j) % 101); }
Complex complex_entry(Index i, Index j) { return {real_entry(i, j), static_cast<double>(j - 2 * i)}; }

/// Reads the place on the grid and compares with f.
template <Scalar T, class F>
void expect_read_on(const Grid& grid, const std::string& place, Index m, Index n, F&& f) {
  HostDevice host;
  const FileInfo info = inspect(grid.all(), place);
  EXPECT_EQ(info.rows, m) << place;
  EXPECT_EQ(info.cols, n) << place;
  if (info.rows != m || info.cols != n) return;
  const Matrix<T> a(grid, awkward(m, n, grid), host);
  read_matrix(info, a);
  EXPECT_EQ(gathered(a), dense_of<T>(m, n, [&](Index i, Index j) { return T(f(i, j)); })) << place;
}

/// On every grid.
template <Scalar T, class F>
void expect_read(const std::string& place, Index m, Index n, F&& f) {
  for_each_grid([&](const Grid& grid) { expect_read_on<T>(grid, place, m, n, f); });
}

/// Of many places, each on one grid, in turn.
template <Scalar T, class F>
void expect_read_in_turn(const std::vector<std::string>& places, Index m, Index n, F&& f) {
  std::size_t grids = 0, turn = 0;
  for_each_grid([&](const Grid&) { ++grids; });
  for_each_grid([&](const Grid& grid) {
    for (std::size_t k = turn; k < places.size(); k += grids) expect_read_on<T>(grid, places[k], m, n, f);
    ++turn;
  });
}

std::vector<MakeDataset> storages(hid_t type) {
  return {{type}, {type, {4, 3}}, {type, {4, 3}, 6}, {type, {}, -1, true}, {type, {5, 1}}, {type, {1, 5}, 1}};
}

TEST(Hdf5, reads_every_type_of_real_number_however_it_is_stored) {
  const Communicator all = world();
  const ScratchFolder folder(all);
  const hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE,    H5T_STD_I8LE,
                         H5T_STD_I16BE,  H5T_STD_I32LE,  H5T_STD_I32BE,  H5T_STD_I64LE,     H5T_STD_U8LE,
                         H5T_STD_U16LE,  H5T_STD_U32BE,  H5T_STD_U64LE,  H5T_NATIVE_LDOUBLE};
  std::vector<std::string> names;
  for (std::size_t t = 0; t < std::size(types); ++t)
    for (std::size_t s = 0; s < storages(0).size(); ++s)
      names.push_back("t" + std::to_string(t) + "s" + std::to_string(s));
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    const auto numbers = by_rows<double>(9, 7, real_entry);
    for (std::size_t k = 0; const hid_t type : types)
      for (const MakeDataset& how : storages(type))
        make_dataset(file, names[k++].c_str(), {9, 7}, H5T_NATIVE_DOUBLE, numbers.data(), how);
  });
  std::vector<std::string> places;
  for (const std::string& name : names) places.push_back(folder.path("a.h5:/" + name));
  expect_read_in_turn<double>(places, 9, 7, real_entry);
  const FileInfo info = inspect(all, folder.path("a.h5:/t3s2"));
  EXPECT_EQ(info.type, ScalarType::d);
  EXPECT_EQ(info.element, "float64");
  EXPECT_EQ(info.form, "C order (rows), big-endian, chunks of 4 x 3, filtered");
  EXPECT_EQ(inspect(all, folder.path("a.h5:/t0s0")).type, ScalarType::s);
  EXPECT_EQ(inspect(all, folder.path("a.h5:/t8s1")).element, "int64");
}

TEST(Hdf5, only_numbers_in_one_piece_are_read_directly) {
  const Communicator all = world();
  const ScratchFolder folder(all);
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    const auto numbers = by_rows<double>(9, 7, real_entry);
    int s = 0;
    for (const MakeDataset& how : storages(H5T_IEEE_F64BE))
      make_dataset(file, std::to_string(s++).c_str(), {9, 7}, H5T_NATIVE_DOUBLE, numbers.data(), how);
  });
  for (int s = 0; s < 6; ++s)
    EXPECT_EQ(hdf5::inspect(hdf5::parse(folder.path("a.h5:/" + std::to_string(s)))).direct, s == 0) << s;
}

TEST(Hdf5, reads_complex_numbers_in_all_their_forms) {
  const Communicator all = world();
  const ScratchFolder folder(all);
  const auto numbers = by_rows<Complex>(6, 5, complex_entry);
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    const hid_t native = complex_type(H5T_NATIVE_DOUBLE);
    int k = 0;
    for (const hid_t part : {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE}) {
      for (const std::size_t gap : {0, 4}) {
        for (const MakeDataset& how : storages(complex_type(part, "r", "i", gap)))
          make_dataset(file, ("c" + std::to_string(k++)).c_str(), {6, 5}, native, numbers.data(), how);
      }
      make_dataset(file, ("p" + std::to_string(k)).c_str(), {6, 5, 2}, H5T_NATIVE_DOUBLE, numbers.data(),
                   {part});
      make_dataset(file, ("q" + std::to_string(k)).c_str(), {6, 5, 2}, H5T_NATIVE_DOUBLE, numbers.data(),
                   {part, {4, 2, 2}, 3});
    }
    make_dataset(file, "int", {6, 5, 2}, H5T_NATIVE_DOUBLE, numbers.data(), {H5T_STD_I16LE});
    make_dataset(file, "real", {6, 5}, complex_type(H5T_NATIVE_DOUBLE, "real", "imag"), numbers.data(),
                 {complex_type(H5T_IEEE_F64LE, "real", "imag"), {2, 2}});
  });
  std::vector<std::string> places;
  for (int k = 0; k < 48; ++k) places.push_back(folder.path("a.h5:/c" + std::to_string(k)));
  for (const char* name : {"p12", "p24", "p36", "p48", "q12", "q24", "q36", "q48"})
    places.push_back(folder.path(std::string("a.h5:/") + name));
  expect_read_in_turn<Complex>(places, 6, 5, complex_entry);
  expect_read<Complex>(folder.path("a.h5:/int"), 6, 5, complex_entry);
  expect_read<Complex>(folder.path("a.h5:/real"), 6, 5, complex_entry);
  EXPECT_EQ(inspect(all, folder.path("a.h5:/c0")).type, ScalarType::z);
  EXPECT_EQ(inspect(all, folder.path("a.h5:/p48")).type, ScalarType::c);
  EXPECT_TRUE(hdf5::inspect(hdf5::parse(folder.path("a.h5:/p12"))).direct);
  EXPECT_FALSE(hdf5::inspect(hdf5::parse(folder.path("a.h5:/c6"))).direct);
}

TEST(Hdf5, reads_by_columns_where_the_dataset_says_so) {
  const Communicator all = world();
  const ScratchFolder folder(all);
  const auto transposed = [](Index j, Index i) { return real_entry(i, j); };
  make_file(
      all, folder.path("a.h5"),
      [&](hid_t file) {
        const auto numbers = by_rows<double>(5, 8, transposed);
        const auto make = [&](const char* name, const MakeDataset& how) {
          make_dataset(file, name, {5, 8}, H5T_NATIVE_DOUBLE, numbers.data(), how);
        };
        make("fixed", {H5T_IEEE_F64LE, {}, -1, false, "cyclade_order"});
        make("varying", {H5T_IEEE_F64LE, {3, 3}, 2, false, "cyclade_order", "column", true});
        make("matlab", {H5T_IEEE_F64LE, {}, -1, false, "MATLAB_class", "double"});
        make("rows", {H5T_IEEE_F64LE, {}, -1, false, "cyclade_order", "row"});
      },
      512);
  for (const char* name : {"fixed", "varying", "matlab"})
    expect_read<double>(folder.path(std::string("a.h5:/") + name), 8, 5, real_entry);
  expect_read<double>(folder.path("a.h5:/rows"), 5, 8, transposed);
  expect_read<double>(folder.path("a.h5:/varying[2:7,1:4]"), 5, 3,
                      [](Index i, Index j) { return real_entry(i + 2, j + 1); });
}

TEST(Hdf5, reads_parts) {
  const Communicator all = world();
  const ScratchFolder folder(all);
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    const auto numbers = by_rows<double>(11, 9, real_entry);
    const auto complex = by_rows<Complex>(11, 9, complex_entry);
    make_dataset(file, "g/whole", {11, 9}, H5T_NATIVE_DOUBLE, numbers.data(), {H5T_IEEE_F32BE});
    make_dataset(file, "g/chunks", {11, 9}, H5T_NATIVE_DOUBLE, numbers.data(), {H5T_IEEE_F64LE, {4, 4}, 4});
    make_dataset(file, "g/pairs", {11, 9, 2}, H5T_NATIVE_DOUBLE, complex.data(), {H5T_IEEE_F64LE, {3, 2, 2}});
  });
  for (const Window w : {Window{0, 11, 0, 9}, Window{3, 4, 0, 9}, Window{2, 9, 5, 7}, Window{10, 11, 8, 9},
                         Window{4, 4, 0, 3}, Window{1, 3, 9, 9}}) {
    const auto part = [&](const char* name) {
      return folder.path(std::string("a.h5:/g/") + name) + "[" + std::to_string(w.i0) + ":" +
             std::to_string(w.i1) + "," + std::to_string(w.j0) + ":" + std::to_string(w.j1) + "]";
    };
    for (const char* name : {"whole", "chunks"})
      expect_read<double>(part(name), w.rows(), w.cols(),
                          [&](Index i, Index j) { return real_entry(i + w.i0, j + w.j0); });
    expect_read<Complex>(part("pairs"), w.rows(), w.cols(),
                         [&](Index i, Index j) { return complex_entry(i + w.i0, j + w.j0); });
  }
}

TEST(Hdf5, reads_in_pieces_of_any_size) {
  const Communicator all = world();
  const ScratchFolder folder(all);
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    const auto numbers = by_rows<double>(23, 13, real_entry);
    make_dataset(file, "x", {23, 13}, H5T_NATIVE_DOUBLE, numbers.data(), {H5T_IEEE_F64LE, {5, 5}, 1});
  });
  HostDevice host;
  const hdf5::Dataset dataset = hdf5::inspect(hdf5::parse(folder.path("a.h5")));
  EXPECT_EQ(dataset.array.line_block, 5);
  for_each_grid([&](const Grid& grid) {
    for (const Index budget : {1, 500, 1300, 5000}) {
      const Matrix<float> a(grid, awkward(23, 13, grid), host);
      Index most = 0;
      Source lines = hdf5::open_lines(dataset);
      const auto read = lines.read;
      lines.read = [&](Index offset, std::span<char> into) {
        most = std::max(most, static_cast<Index>(into.size()));
        read(offset, into);
      };
      read_array(lines, dataset.array, a, budget);
      EXPECT_EQ(gathered(a), dense_of<float>(23, 13, [](Index i, Index j) {
                  return static_cast<float>(real_entry(i, j));
                }));
      EXPECT_LE(most, std::max<Index>(budget, 13 * 8));
    }
  });
}

TEST(Hdf5, bool_and_empty_matrices) {
  const Communicator all = world();
  const ScratchFolder folder(all);
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    const hid_t type = H5Tenum_create(H5T_STD_I8LE);
    std::int8_t value = 0;
    H5Tenum_insert(type, "FALSE", &value), value = 1, H5Tenum_insert(type, "TRUE", &value);
    const auto numbers = by_rows<std::int8_t>(4, 4, [](Index i, Index j) { return i == j; });
    make_dataset(file, "bool", {4, 4}, type, numbers.data(), {type});
    make_dataset(file, "chunks", {4, 4}, type, numbers.data(), {type, {3, 3}, 1});
    make_dataset(file, "none", {0, 0}, H5T_NATIVE_DOUBLE, nullptr);
    make_dataset(file, "no_rows", {0, 3}, H5T_NATIVE_DOUBLE, nullptr, {H5T_IEEE_F64LE, {2, 2}});
  });
  for (const char* name : {"bool", "chunks"})
    expect_read<double>(folder.path(std::string("a.h5:/") + name), 4, 4,
                        [](Index i, Index j) { return i == j ? 1 : 0; });
  expect_read<double>(folder.path("a.h5:/none"), 0, 0, real_entry);
  expect_read<double>(folder.path("a.h5:/no_rows"), 0, 3, real_entry);
}

}  // namespace
}  // namespace cyclade
