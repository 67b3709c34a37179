// Matrices in files, whatever the format: which it is, its name tells.
//
//   .npy       NumPy, either order           .mtx       Matrix Market, array or coordinate
//   .bin       plain numbers, column-major   .grm.bin   GCTA relationship matrix, .grm.id beside it
//   .h5        HDF5: file.h5:/dataset, or a part of one, file.h5:/dataset[I0:I1,J0:J1]
//
//   const FileInfo info = inspect(comm, "a.npy");       shape and type, before there is a matrix
//   read_matrix(info, a);                               into a distributed matrix of that shape
//   MatrixOutput out(comm, "x.npy"); ...compute...; out.write(a, {}); out.commit();
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "cyclade/io/array_file.hpp"
#include "cyclade/io/hdf5.hpp"
#include "cyclade/io/matrix_market_text.hpp"
#include "cyclade/mpi/file.hpp"

namespace cyclade {

enum class FileFormat { npy, bin, matrix_market, grm, hdf5 };

std::string_view to_string(FileFormat format);

/// Throws ArgumentError, naming the extensions that are known, if it is none of them.
FileFormat format_of(const std::string& path);

/// What a file cannot say itself.
struct FileOptions {
  Index n = 0;                      ///< order of the matrix in a .bin file
  ScalarType type = ScalarType::d;  ///< of its numbers
};

/// What a file holds, found out without reading its entries.
struct FileInfo {
  std::string path;
  FileFormat format = FileFormat::npy;
  Index rows = 0;
  Index cols = 0;
  Index bytes = 0;
  ScalarType type = ScalarType::d;  ///< in which it is computed if nobody says otherwise
  std::string element;              ///< "float32", "int8", "complex", "pattern", ...
  std::string form;                 ///< "Fortran order", "coordinate, symmetric", ...
  ArrayLayout array;                ///< of .npy and .bin
  hdf5::Dataset dataset;            ///< of .h5
  matrix_market::Header header;     ///< of .mtx
};

/// Collective. Throws FileError, the same on all ranks: missing, malformed, truncated; its size is checked
/// against what it promises, so that nobody allocates for a header alone.
FileInfo inspect(const Communicator& comm, const std::string& path, const FileOptions& options = {});

/// Reads the file into `a`, which has its shape. Returns how many repeated entries of a coordinate file were
/// summed. Collective over the grid's ranks, others return at once. Throws FileError, the same on all.
template <Scalar T>
Index read_matrix(const FileInfo& info, const Matrix<T>& a);

/// Which index runs slowest in a file. The format's own: columns in .npy, rows in .h5, where the dataset then
/// has the shape of the matrix; by columns it has that of the transpose, as Fortran, Julia and MATLAB see it.
enum class FileOrder { own, row, column };

/// How a matrix is written.
struct WriteOptions {
  std::optional<ScalarType> type =
      {};                            ///< of the numbers in the file; none: that of the matrix. Rounded once
  FileOrder order = FileOrder::own;  ///< .npy and .h5 only
  matrix_market::Symmetry symmetry =
      matrix_market::Symmetry::general;          ///< .mtx only: a triangle for the whole
  std::string comment = {};                      ///< .mtx, and .h5 as the attribute "description"
  std::vector<hdf5::Attribute> attributes = {};  ///< .h5 only: where it comes from, how good it is
  std::string ids = {};                          ///< .grm.bin only: the .grm.id to put beside it; empty: none
};

/// An output that is opened before the work and committed after it. Without a commit nothing is left behind.
class MatrixOutput {
 public:
  /// Collective. Throws ArgumentError for an unknown extension, FileError if the place cannot be written.
  /// What else an HDF5 file holds is kept; a dataset of the same name is replaced.
  MatrixOutput(const Communicator& comm, const std::string& path);

  /// Collective over the grid's ranks, which must be those of the communicator.
  template <Scalar T>
  void write(const Matrix<T>& a, const WriteOptions& options);
  /// Gives the file its name. Collective.
  void commit();

 private:
  template <Scalar T>
  void write_dataset(const Matrix<T>& a, ArrayLayout& array, const WriteOptions& options);

  const Communicator* comm_;
  std::string path_;
  FileFormat format_;
  OutputFile file_;
  Index bytes_ = 0;
  std::string ids_;
};

}  // namespace cyclade
