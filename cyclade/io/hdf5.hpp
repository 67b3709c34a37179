// Matrices as datasets of HDF5 files, named file.h5:/group/name, or a part of one:
// file.h5:/name[I0:I1,J0:J1].
//
//   element (i,j) of the matrix = element [i,j] of the dataset (C order, as NumPy and h5py see it), or [j,i]
//   where the dataset says that it is by columns: an attribute cyclade_order = "column", or MATLAB's mark
//
// The HDF5 library is asked where the numbers lie. Where they lie in one piece, the ranks move them through
// MPI-IO, each its own part, as those of an .npy; else (chunks, compression, odd types, parts) each rank
// reads its own rows through the library. So no call of HDF5 is collective, and none can hang for a damaged
// file.
//
// A build without HDF5 has everything here, too; it only says so when it is asked for a file
// (hdf5_absent.cpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cyclade/io/array_file.hpp"
#include "cyclade/layout/window.hpp"

namespace cyclade::hdf5 {

/// A dataset, or a part of one, as people write it.
struct Place {
  std::string text;  ///< as it was given: what messages call it
  std::string file;
  std::string dataset;                ///< from the root, "/a/b"; empty: not said
  std::optional<Window> window = {};  ///< of the matrix: rows, columns
};

/// Whether the name is that of an HDF5 file (.h5, .hdf5) or of a dataset in one.
bool is_place(const std::string& path);
/// Throws ArgumentError for a part that is not written [I0:I1,J0:J1] or a dataset's name that ends in "/".
Place parse(const std::string& path);

/// Throws ArgumentError, saying what to install, if this build lacks HDF5.
void require_available(const std::string& path);

/// A matrix that was found in a file.
struct Dataset {
  Place place;              ///< its dataset filled in
  ArrayLayout array;        ///< of the part; `offset` counts in the file only if it is direct
  bool direct = false;      ///< the numbers lie in the file just so
  Index first_line = 0;     ///< of the part, in the dataset: lines are along its first dimension
  Index first_in_line = 0;  ///< of the part, in each line
  std::string element;      ///< "float64", "int32", ... as it is in the file
  std::string storage;      ///< "contiguous", "chunks of 4 x 5, compressed", ...
};

/// Finds the dataset (if none is named, the only one that the file has) and checks it: its type, its shape,
/// and that the file holds as many bytes as they promise. Local: every rank may call it. Throws FileError,
/// saying what was expected: not an HDF5 file, truncated, no such dataset, not a matrix, not numbers; and
/// ArgumentError for a part that lies outside.
Dataset inspect(const Place& place);

/// The dataset's part as numbers line after line, from byte 0 on, in the type and order of dataset.array;
/// each read must begin with a line and end with one. Opens the file for as long as the source lives. Local;
/// throws FileError.
Source open_lines(const Dataset& dataset);

using Attribute = std::pair<std::string, std::variant<std::string, Index, double>>;

/// Where the numbers of an output go: line l at offset + l * stride.
struct Target {
  Index offset = 0;
  Index stride = 0;       ///< bytes from line to line
  bool row_major = true;  ///< whether lines are rows: of a part, as in the dataset around it
  Index file_bytes = 0;   ///< of the whole file
};

/// Whether the matrix can go there: what is there must be an HDF5 file, and no group may have the dataset's
/// name. Nothing is changed. Local. Throws FileError.
void require_place(const Place& place);

/// Copies the file of the place, if there is one, to `temporary`, and makes room in it for the matrix: a new
/// contiguous dataset in place of one of the same name, missing groups made; or, for a part, in a contiguous
/// dataset of that type that is there. Everything else in the file stays. The dataset gets the attributes.
/// For one rank; the numbers are then written by all. Throws FileError.
Target make_room(const Place& place, const std::string& temporary, const ArrayLayout& array,
                 const std::vector<Attribute>& attributes);

}  // namespace cyclade::hdf5
