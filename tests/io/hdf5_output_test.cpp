// What is written into HDF5 files: the type, the shape and the numbers as the library alone sees them, the
// rest of the file kept, parts of datasets, and nothing left behind by an output that was not completed.
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
using test::look_into;
using test::make_dataset;
using test::make_file;
using test::ScratchFolder;
using testing::HasSubstr;

Layout awkward(Index m, Index n, const Grid& grid) {
  return {{m, 3, grid.p(), grid.p() - 1, 1}, {n, 2, grid.q(), grid.q() / 2, 3}};
}

template <Scalar T>
T entry(Index i, Index j) {
  const auto re = static_cast<Real<T>>((7 * i + 3 * j) % 101);
  if constexpr (is_complex<T>) return T(re, static_cast<Real<T>>(j - 2 * i));
  return T(re);
}

template <Scalar T>
Matrix<T> filled(Index m, Index n, const Grid& grid, HostDevice& host) {
  Matrix<T> a(grid, awkward(m, n, grid), host);
  fill_entries(a, entry<T>);
  return a;
}

template <Scalar T>
void write(const std::string& path, const Matrix<T>& a, const WriteOptions& options = {}) {
  MatrixOutput output(a.grid().all(), path);
  output.write(a, options);
  output.commit();
}

/// In the file's own type.
template <Scalar T>
hid_t type_in_file() {
  const hid_t part = sizeof(Real<T>) == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  return is_complex<T> ? complex_type(part) : H5Tcopy(part);
}

/// The numbers of a dataset of this type and shape; none if it has another.
template <Scalar T>
std::vector<T> numbers_in(hid_t file, const char* name, hsize_t m, hsize_t n) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset),
              type = H5Dget_type(dataset);
  hsize_t shape[2] = {0, 0};
  std::vector<T> numbers;
  EXPECT_EQ(H5Sget_simple_extent_ndims(space), 2) << name;
  EXPECT_EQ(H5Sget_simple_extent_dims(space, shape, nullptr), 2) << name;
  EXPECT_GT(H5Tequal(type, type_in_file<T>()), 0) << name;
  EXPECT_EQ(shape[0], m) << name;
  EXPECT_EQ(shape[1], n) << name;
  if (shape[0] == m && shape[1] == n) {
    numbers.resize(m * n);
    EXPECT_GE(H5Dread(dataset, type_in_file<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0) << name;
  }
  H5Tclose(type), H5Sclose(space), H5Dclose(dataset);
  return numbers;
}

template <Scalar T>
void expect_written_and_read_back(const Grid& grid, const std::string& path, Index m, Index n) {
  HostDevice host;
  const Matrix<T> a = filled<T>(m, n, grid, host);
  const auto rows = static_cast<hsize_t>(m), cols = static_cast<hsize_t>(n);
  write(path + ":/g/x", a);
  write(path + ":/g/columns", a, {.order = FileOrder::column});
  look_into(grid.all(), path, [&](hid_t file) {
    EXPECT_EQ(numbers_in<T>(file, "/g/x", rows, cols), by_rows<T>(m, n, entry<T>));
    EXPECT_EQ(numbers_in<T>(file, "/g/columns", cols, rows),
              by_rows<T>(n, m, [](Index j, Index i) { return entry<T>(i, j); }));
  });
  for (const char* name : {":/g/x", ":/g/columns"}) {
    const FileInfo info = inspect(grid.all(), path + name);
    EXPECT_EQ(info.type, scalar_type<T>);
    EXPECT_TRUE(info.dataset.direct || m * n == 0);
    const Matrix<T> b(grid, awkward(m, n, grid), host);
    read_matrix(info, b);
    EXPECT_EQ(gathered(b), dense_of<T>(m, n, entry<T>)) << name;
  }
}

TEST(Hdf5Output, other_programs_read_what_is_written) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  const std::pair<Index, Index> shapes[] = {{9, 9}, {0, 4}, {5, 14}, {0, 0}, {1, 1}};
  std::size_t turn = 0;  // each type on each grid, in one of the shapes
  for_each_grid([&](const Grid& grid) {
    const auto next = [&] { return shapes[turn++ % std::size(shapes)]; };
    const auto one = [&]<class T>(const char* file) {
      const auto [m, n] = next();
      expect_written_and_read_back<T>(grid, folder.path(file), m, n);
    };
    one.operator()<float>("s.h5");
    one.operator()<double>("d.h5");
    one.operator()<std::complex<float>>("c.hdf5");
    one.operator()<std::complex<double>>("z.h5");
  });
}

TEST(Hdf5Output, numbers_are_rounded_once_to_the_type_that_is_asked_for) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    write(folder.path("a.h5:/x"), filled<double>(6, 4, grid, host), {.type = ScalarType::c});
    look_into(all, folder.path("a.h5"), [&](hid_t file) {
      EXPECT_EQ(numbers_in<std::complex<float>>(file, "x", 6, 4),
                by_rows<std::complex<float>>(6, 4, entry<float>));
    });
  });
}

TEST(Hdf5Output, what_else_is_in_the_file_stays) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  HostDevice host;
  const std::string path = folder.path("a.h5");
  const auto other = by_rows<double>(30, 20, [](Index i, Index j) { return static_cast<double>(i * j); });
  for (const hsize_t userblock : {0, 512}) {
    make_file(
        all, path,
        [&](hid_t file) {
          make_dataset(file, "g/other", {30, 20}, H5T_NATIVE_DOUBLE, other.data());
          make_dataset(file, "x", {3, 3}, H5T_NATIVE_DOUBLE, other.data());
        },
        userblock);
    for_each_grid([&](const Grid& grid) {
      write(path + ":/x", filled<double>(25, 30, grid, host));
      write(path + ":new/group/y", filled<float>(3, 4, grid, host));
      look_into(all, path, [&](hid_t file) {
        EXPECT_EQ(numbers_in<double>(file, "x", 25, 30), by_rows<double>(25, 30, entry<double>));
        EXPECT_EQ(numbers_in<float>(file, "new/group/y", 3, 4), by_rows<float>(3, 4, entry<float>));
        EXPECT_EQ(numbers_in<double>(file, "g/other", 30, 20), other);
      });
    });
  }
}

TEST(Hdf5Output, an_inverse_can_join_its_matrix_in_the_file) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    write(folder.path("a.h5"), filled<double>(7, 7, grid, host));  // the only dataset, by its own name
    MatrixOutput output(grid.all(), folder.path("a.h5:/x"));
    const Matrix<double> b(grid, awkward(7, 7, grid), host);
    read_matrix(inspect(grid.all(), folder.path("a.h5:/matrix")), b);
    output.write(b, {});
    output.commit();
    look_into(all, folder.path("a.h5"), [&](hid_t file) {
      EXPECT_EQ(numbers_in<double>(file, "x", 7, 7), numbers_in<double>(file, "matrix", 7, 7));
    });
    all.barrier();
    if (all.rank() == 0) std::filesystem::remove(folder.path("a.h5"));
    all.barrier();
  });
}

TEST(Hdf5Output, attributes_say_where_it_comes_from) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  HostDevice host;
  const Grid grid(MPI_COMM_WORLD, {1, all.size()});
  WriteOptions options{.comment = "inverse of a"};
  options.attributes = {{"cyclade_version", "9.8"}, {"digits", Index{12}}, {"logabsdet", -1.5}};
  write(folder.path("a.h5:/x"), filled<double>(4, 4, grid, host), options);
  look_into(all, folder.path("a.h5"), [&](hid_t file) {
    const hid_t dataset = H5Dopen2(file, "x", H5P_DEFAULT);
    const auto read = [&](const char* name, hid_t memory, void* into) {
      const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
      EXPECT_GE(H5Aread(attribute, memory, into), 0) << name;
      H5Aclose(attribute);
    };
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE), H5Tset_cset(text, H5T_CSET_UTF8);
    char* words = nullptr;
    for (const auto& [name, value] : {std::pair{"cyclade_version", "9.8"}, {"description", "inverse of a"}}) {
      read(name, text, &words);
      EXPECT_STREQ(words, value);
      H5free_memory(words);
    }
    Index digits = 0;
    double logabsdet = 0;
    read("digits", H5T_NATIVE_INT64, &digits), read("logabsdet", H5T_NATIVE_DOUBLE, &logabsdet);
    EXPECT_EQ(digits, 12);
    EXPECT_EQ(logabsdet, -1.5);
    EXPECT_EQ(H5Aexists(dataset, "cyclade_order"), 0);
    H5Tclose(text), H5Dclose(dataset);
  });
}

TEST(Hdf5Output, parts_are_written_into_what_is_there) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  HostDevice host;
  const std::string path = folder.path("a.h5");
  for_each_grid([&](const Grid& grid) {
    for (const FileOrder order : {FileOrder::row, FileOrder::column}) {
      const Matrix<double> whole(grid, awkward(12, 10, grid), host);
      fill_entries(whole, [](Index i, Index j) { return static_cast<double>(-100 * i - j); });
      write(path + ":/x", whole, {.order = order});
      write(path + ":/x[3:8,2:9]", filled<double>(5, 7, grid, host));
      write(path + ":/x[12:12,0:10]", filled<double>(0, 10, grid, host));
      const Matrix<double> b(grid, awkward(12, 10, grid), host);
      read_matrix(inspect(grid.all(), path + ":/x"), b);
      EXPECT_EQ(gathered(b), dense_of<double>(12, 10, [](Index i, Index j) {
                  const bool inside = i >= 3 && i < 8 && j >= 2 && j < 9;
                  return inside ? entry<double>(i - 3, j - 2) : static_cast<double>(-100 * i - j);
                }));
    }
  });
}

/// The error of writing a 4 x 4 matrix there, which must be the same on all ranks; the file must stay.
std::string refusal(const Grid& grid, const std::string& path) {
  HostDevice host;
  const std::string before = file_bytes(hdf5::parse(path).file);
  std::string message = "nothing was refused";
  try {
    write(path, filled<double>(4, 4, grid, host));
  } catch (const FileError& error) {
    message = error.what();
  }
  grid.all().barrier();
  EXPECT_EQ(file_bytes(hdf5::parse(path).file), before) << message;
  EXPECT_FALSE(std::filesystem::exists(hdf5::parse(path).file + ".part")) << message;
  grid.all().barrier();
  std::string first = message;
  first.resize(1000), message.resize(1000);
  grid.all().broadcast(std::span<char>(first), 0);
  EXPECT_EQ(message, first);
  return message.substr(0, message.find('\0'));
}

TEST(Hdf5Output, what_cannot_be_written_is_refused_before_anything_is_touched) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  const auto numbers = by_rows<double>(8, 8, entry<double>);
  make_file(all, folder.path("a.h5"), [&](hid_t file) {
    make_dataset(file, "g/x", {8, 8}, H5T_NATIVE_DOUBLE, numbers.data());
    make_dataset(file, "chunks", {8, 8}, H5T_NATIVE_DOUBLE, numbers.data(), {H5T_IEEE_F64LE, {2, 2}});
    make_dataset(file, "single", {8, 8}, H5T_NATIVE_DOUBLE, numbers.data(), {H5T_IEEE_F32LE});
  });
  if (all.rank() == 0) std::ofstream(folder.path("text.h5")) << "not an HDF5 file";
  all.barrier();
  const std::pair<const char*, const char*> cases[] = {
      {"text.h5:/x", "not an HDF5 file"},
      {"a.h5:/g", "/g is a group; a dataset cannot take its place"},
      {"a.h5:/g/x/y", "/g/x is not a group"},
      {"a.h5:/none[0:4,0:4]", "no dataset /none in the file; it holds /chunks, /single, /g/x"},
      {"none.h5:/x[0:4,0:4]", "only into a dataset that is there"},
      {"a.h5:/chunks[0:4,0:4]", "only into a contiguous dataset of the same type"},
      {"a.h5:/single[0:4,0:4]", "this is float32, contiguous, and float64 is to be written"},
      {"a.h5:/g/x[5:9,0:4]", "rows [5,9) x columns [0,4) do not lie in the dataset of 8 x 8"},
      {"a.h5:/g/x[0:4,0:5]", "another shape than the matrix, 4 x 4"},
      {"no/folder/a.h5:/x", "cannot be written"},
  };
  for_each_grid([&](const Grid& grid) {
    for (const auto& [name, message] : cases)
      EXPECT_THAT(refusal(grid, folder.path(name)), HasSubstr(message)) << name;
  });
}

TEST(Hdf5Output, nothing_is_left_of_an_output_that_is_not_completed) {
  const Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  const ScratchFolder folder(all);
  HostDevice host;
  for_each_grid([&](const Grid& grid) {
    {
      MatrixOutput output(grid.all(), folder.path("a.h5:/x"));
      output.write(filled<double>(9, 9, grid, host), {});
    }
    EXPECT_TRUE(folder.empty());
  });
}

}  // namespace
}  // namespace cyclade
