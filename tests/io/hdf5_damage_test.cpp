// HDF5 files that hold no matrix, or are damaged: refused with the same words on all ranks, and none of them
// the library's own on standard error.
//
// SPDX-License-Identifier: BSD-3-Clause
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
using test::make_dataset;
using test::make_file;
using test::ScratchFolder;
using testing::HasSubstr;

double entry(Index i, Index j) { return static_cast<double>((7 * i + 3 * j) % 101); }

Layout awkward(Index m, Index n, const Grid& grid) {
  return {{m, 3, grid.p(), grid.p() - 1, 1}, {n, 2, grid.q()}};
}

/// Bytes of the largest matrix that these files can hold: what a damaged header may ask for beyond it is a
/// failure.
constexpr Index most_entries = (Index{64} << 20) / 4;

/// What reading the place says, the same on all ranks; `whole` is what it should be if it is read.
std::string outcome(const Grid& grid, const std::string& place, const test::Dense<double>* whole = nullptr) {
  HostDevice host;
  std::string message = "read";
  try {
    const FileInfo info = inspect(grid.all(), place);
    EXPECT_LE(info.rows * info.cols, most_entries) << place;
    if (info.rows * info.cols > most_entries) return "too large";
    const Matrix<double> a(grid, awkward(info.rows, info.cols, grid), host);
    read_matrix(info, a);
    const test::Dense<double> got = gathered(a);
    if (whole != nullptr) {
      EXPECT_EQ(got, *whole) << place;
    }
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::file || error.kind() == ErrorKind::argument) << error.what();
    message = error.what();
  }
  std::string mine = message, first = message;
  mine.resize(2000), first.resize(2000);
  grid.all().broadcast(std::span<char>(first), 0);
  EXPECT_EQ(mine, first);
  return message;
}

void make_things_that_are_no_matrices(hid_t file) {
  const auto numbers = by_rows<double>(4, 4, entry);
  const auto make = [&](const char* name, const std::vector<hsize_t>& shape, hid_t type = H5T_IEEE_F64LE) {
    make_dataset(file, name, shape, H5T_NATIVE_DOUBLE, nullptr, {type});
  };
  make_dataset(file, "g/x", {4, 4}, H5T_NATIVE_DOUBLE, numbers.data());
  make_dataset(file, "vector", {16}, H5T_NATIVE_DOUBLE, numbers.data());
  make_dataset(file, "cube", {2, 2, 4}, H5T_NATIVE_DOUBLE, numbers.data());
  make("text", {4, 4}, H5T_C_S1);
  make("records", {4, 4}, complex_type(H5T_IEEE_F64LE, "mass", "charge"));
  make("pairs", {2, 2, 2}, complex_type(H5T_IEEE_F64LE));
  make("never", {4, 4});
  make_dataset(file, "never_chunks", {4, 4}, H5T_NATIVE_DOUBLE, nullptr, {H5T_IEEE_F64LE, {2, 2}});
  const hid_t space = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL);
  H5Dclose(H5Dcreate2(file, "number", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Dclose(H5Dcreate2(file, "nothing", H5T_IEEE_F64LE, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space), H5Sclose(null);
}

/// 10^14 numbers promised, one chunk there; and numbers that are kept in another file.
void make_promises(hid_t file) {
  const hsize_t shape[2] = {10000000, 10000000}, chunk[2] = {2, 2}, start[2] = {0, 0}, small[2] = {2, 2};
  const hid_t space = H5Screate_simple(2, shape, nullptr), memory = H5Screate_simple(2, small, nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE), elsewhere = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 2, chunk);
  const hid_t dataset = H5Dcreate2(file, "huge", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, chunk, nullptr);
  const double numbers[4] = {1, 2, 3, 4};
  EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers), 0);
  H5Pset_external(elsewhere, "/dev/zero", 0, 32);
  H5Dclose(H5Dcreate2(file, "elsewhere", H5T_IEEE_F64LE, memory, H5P_DEFAULT, elsewhere, H5P_DEFAULT));
  H5Dclose(dataset), H5Pclose(elsewhere), H5Pclose(properties), H5Sclose(memory), H5Sclose(space);
}

TEST(Hdf5Damage, what_is_no_matrix_is_refused_with_what_was_expected) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  make_file(all, folder.path("a.h5"), make_things_that_are_no_matrices);
  make_file(all, folder.path("b.h5"), make_promises);
  make_file(all, folder.path("none.h5"), [](hid_t) {});
  if (all.rank() == 0) std::ofstream(folder.path("text.h5")) << "not an HDF5 file";
  if (all.rank() == 0) std::ofstream(folder.path("empty.h5")) << "";
  if (all.rank() == 0) std::filesystem::create_directory(folder.path("folder.h5"));
  all.barrier();
  const char* expected = "expected real numbers, or complex ones as {r, i} or as a last dimension of 2";
  const std::pair<const char*, std::string> cases[] = {
      {"absent.h5:/x", "absent.h5: no such file"},
      {"folder.h5:/x", "folder.h5: is a directory"},
      {"text.h5:/x", "text.h5:/x: not an HDF5 file"},
      {"empty.h5", "empty.h5: not an HDF5 file"},
      {"none.h5", "none.h5: the file holds no datasets"},
      {"a.h5", "the file holds several datasets; say which: "},
      {"a.h5:/y", "a.h5:/y: no dataset /y in the file; it holds /cube, "},
      {"a.h5:/g/x/y", "no dataset /g/x/y in the file"},
      {"a.h5:/g", "a.h5:/g: /g is a group"},
      {"a.h5:/vector", "a.h5:/vector: has the shape (16,); expected a matrix: two dimensions"},
      {"a.h5:/cube", "has the shape (2, 2, 4); expected a matrix"},
      {"a.h5:/number", "has no dimensions; expected a matrix"},
      {"a.h5:/nothing", "has no dimensions; expected a matrix"},
      {"a.h5:/text", std::string("holds text; ") + expected},
      {"a.h5:/records", std::string("holds records {mass, charge}; ") + expected},
      {"a.h5:/pairs", std::string("holds complex128; ") + expected},
      {"a.h5:/never", "nothing was ever written into the dataset"},
      {"a.h5:/never_chunks", "nothing was ever written into the dataset"},
      {"a.h5:/g/x[0:5,0:1]", "rows [0,5) x columns [0,1) do not lie in a matrix of 4 x 4"},
      {"b.h5:/huge", "the shape (10000000, 10000000) promises 800000000000000 bytes, the file has "},
      {"b.h5:/elsewhere", "its numbers are kept elsewhere"},
  };
  for_each_grid([&](const Grid& grid) {
    for (const auto& [name, message] : cases)
      EXPECT_THAT(outcome(grid, folder.path(name)), HasSubstr(message)) << name;
    EXPECT_EQ(outcome(grid, folder.path("a.h5:/g/x")), "read");
  });
}

TEST(Hdf5Damage, files_cut_short_are_refused_at_any_length) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  const auto numbers = by_rows<double>(20, 20, entry);
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    make_dataset(file, "x", {20, 20}, H5T_NATIVE_DOUBLE, numbers.data());
  });
  const std::string bytes = file_bytes(folder.path("a.h5"));
  const Grid grid(MPI_COMM_WORLD, {1, all.size()});
  for (std::size_t length = 0; length < bytes.size(); length += 97) {
    if (all.rank() == 0) std::ofstream(folder.path("cut.h5"), std::ios::binary) << bytes.substr(0, length);
    all.barrier();
    EXPECT_THAT(outcome(grid, folder.path("cut.h5:/x")), testing::StartsWith(folder.path("cut.h5:/x: ")))
        << length;
    all.barrier();
  }
}

TEST(Hdf5Damage, the_library_is_silent_and_the_hosts_handler_is_put_back) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  make_file(all, folder.path("a.h5"), make_things_that_are_no_matrices);
  int told = 0;
  const H5E_auto2_t count = [](hid_t, void* into) -> herr_t { return ++*static_cast<int*>(into), 0; };
  H5E_auto2_t before = nullptr;
  void* before_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
  H5Eset_auto2(H5E_DEFAULT, count, &told);
  const Grid grid(MPI_COMM_WORLD, {1, all.size()});
  for (const char* name : {"a.h5:/y", "a.h5:/g/x/y", "a.h5:/text", "a.h5:/never", "a.h5:/g/x"})
    outcome(grid, folder.path(name));
  EXPECT_EQ(told, 0);
  H5E_auto2_t after = nullptr;
  void* after_data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
  EXPECT_TRUE(after == count && after_data == &told);
  H5Eset_auto2(H5E_DEFAULT, before, before_data);
}

/// Two hundred damaged copies of the file; returns how many were refused.
int damaged_copies(const Communicator& all, const ScratchFolder& folder, const std::string& bytes,
                   const std::vector<std::string>& names, const test::Dense<double>* whole) {
  int refused = 0;
  const std::string path = folder.path("damaged.h5");
  const Grid grid(MPI_COMM_WORLD, test::shapes_of(all.size()).back(), GridOrder::column);
  for (std::uint64_t number = 0; number < 200; ++number) {
    if (all.rank() == 0) std::ofstream(path, std::ios::binary) << mutated(bytes, number);
    all.barrier();
    if (outcome(grid, path + ":/" + names[number % names.size()], whole) != "read") ++refused;
    all.barrier();
  }
  return refused;
}

TEST(Hdf5Damage, two_hundred_damaged_copies_are_refused_or_read) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  const auto numbers = by_rows<double>(6, 6, entry);
  const auto complex = by_rows<std::complex<double>>(6, 6, entry);
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    make_dataset(file, "x", {6, 6}, H5T_NATIVE_DOUBLE, numbers.data());
    make_dataset(file, "y", {6, 6}, H5T_NATIVE_DOUBLE, numbers.data(), {H5T_IEEE_F64BE, {3, 4}, 5});
    make_dataset(file, "z", {6, 6}, complex_type(H5T_NATIVE_DOUBLE), complex.data(),
                 {complex_type(H5T_IEEE_F32LE)});
  });
  EXPECT_GT(damaged_copies(all, folder, file_bytes(folder.path("a.h5")), {"x", "y", "z"}, nullptr), 50);
}

/// With the newer format and a checksum on the numbers the library can see all damage.
TEST(Hdf5Damage, with_checksums_two_hundred_damaged_copies_are_refused_or_read_right) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  const std::string path = folder.path("a.h5");
  if (all.rank() == 0) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), properties = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t shape[2] = {6, 6}, chunk[2] = {3, 4};
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(properties, 2, chunk), H5Pset_fletcher32(properties);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access),
                space = H5Screate_simple(2, shape, nullptr);
    const hid_t dataset = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    const auto numbers = by_rows<double>(6, 6, entry);
    EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
    H5Dclose(dataset), H5Sclose(space), H5Fclose(file), H5Pclose(properties), H5Pclose(access);
  }
  all.barrier();
  const auto whole = dense_of<double>(6, 6, entry);
  EXPECT_GT(damaged_copies(all, folder, file_bytes(path), {"x"}, &whole), 50);
}

}  // namespace
}  // namespace cyclade
