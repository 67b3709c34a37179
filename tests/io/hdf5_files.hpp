// HDF5 files as other programs write them, made with the library alone, and what is in those that Cyclade
// wrote.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <hdf5.h>

#include "cyclade/mpi/communicator.hpp"
#include "tests/support/dense.hpp"

namespace cyclade::test {

/// {name1, name2} of two parts, at these offsets.
inline hid_t complex_type(hid_t part, const char* re = "r", const char* im = "i", std::size_t gap = 0) {
  const std::size_t width = H5Tget_size(part);
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * (width + gap));
  H5Tinsert(type, re, 0, part);
  H5Tinsert(type, im, width + gap, part);
  return type;
}

struct MakeDataset {
  hid_t type = H5T_IEEE_F64LE;
  std::vector<hsize_t> chunk = {};
  int deflate = -1;
  bool compact = false;
  const char* attribute = nullptr;  ///< name and, as fixed or varying text, value of one attribute
  const char* value = "column";
  bool varying = false;
};

/// Writes numbers, in C order, as a dataset; `memory` is their type.
inline void make_dataset(hid_t file, const char* name, const std::vector<hsize_t>& shape, hid_t memory,
                         const void* numbers, const MakeDataset& how = {}) {
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  if (!how.chunk.empty()) H5Pset_chunk(properties, static_cast<int>(how.chunk.size()), how.chunk.data());
  if (how.deflate >= 0) H5Pset_deflate(properties, static_cast<unsigned>(how.deflate));
  if (how.compact) H5Pset_layout(properties, H5D_COMPACT);
  const hid_t dataset = H5Dcreate2(file, name, how.type, space, links, properties, H5P_DEFAULT);
  EXPECT_GE(dataset, 0) << name;
  if (numbers != nullptr) {
    EXPECT_GE(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), 0) << name;
  }
  if (how.attribute != nullptr) {
    const hid_t scalar = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, how.varying ? H5T_VARIABLE : std::string(how.value).size());
    const hid_t made = H5Acreate2(dataset, how.attribute, text, scalar, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(how.varying ? H5Awrite(made, text, &how.value) : H5Awrite(made, text, how.value), 0);
    H5Aclose(made), H5Tclose(text), H5Sclose(scalar);
  }
  H5Dclose(dataset), H5Pclose(links), H5Pclose(properties), H5Sclose(space);
}

/// The numbers f(i,j) of an m x n matrix in C order.
template <class T, class F>
std::vector<T> by_rows(Index m, Index n, F&& f) {
  std::vector<T> numbers;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) numbers.push_back(static_cast<T>(f(i, j)));
  return numbers;
}

/// Rank 0 makes a file; the others wait.
inline void make_file(const Communicator& comm, const std::string& path,
                      const std::function<void(hid_t)>& fill, hsize_t userblock = 0) {
  if (comm.rank() == 0) {
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, userblock);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    EXPECT_GE(file, 0) << path;
    fill(file);
    H5Fclose(file), H5Pclose(creation);
  }
  comm.barrier();
}

/// Rank 0 looks into a file.
inline void look_into(const Communicator& comm, const std::string& path,
                      const std::function<void(hid_t)>& look) {
  comm.barrier();
  if (comm.rank() == 0) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_GE(file, 0) << path;
    look(file);
    H5Fclose(file);
  }
  comm.barrier();
}

}  // namespace cyclade::test
