// What a command leaves on the disk besides what MatrixOutput does by itself: the type that was asked for in
// every format, and the symmetry of a result.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cyclade/program.hpp"
#include "cyclade/inverse/report.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade::app {

/// Writes `a` in the type of the options, rounded once, also in the formats that write a matrix as it is (a
/// copy of it is made for them). Collective over the grid's ranks. Throws FileError, the same on all, for an
/// imaginary part where real numbers are asked for.
template <Scalar T>
void write_as(MatrixOutput& output, const std::string& path, const Matrix<T>& a, WriteOptions options);

/// What the numbers in the file are called: of the type that was asked for, unless the format has its own.
std::string_view written_element(const std::string& path, ScalarType type);

/// What to tell about a .grm.bin that was written without identifiers; empty for everything else.
std::string missing_ids_note(const std::string& path, const std::string& ids);

/// Where a computed matrix comes from and how good it is, as attributes of a dataset.
std::vector<hdf5::Attribute> provenance(const std::string& input, const Report& report);

/// Throws, as MatrixOutput does, if the diagonal cannot be written there. Collective.
void require_place_of_diagonal(const Program& program, const std::string& path);

/// The diagonal of `a`: as text, an entry a line (complex: real and imaginary part), or, where the name is
/// that of an .npy or .h5, as a matrix of one column. Collective over the grid's ranks.
template <Scalar T>
void write_diagonal(const Program& program, const std::string& path, const Matrix<T>& a,
                    const WriteOptions& options);

/// The symmetry of the inverse of such a matrix, as an .mtx states it.
matrix_market::Symmetry symmetry_of_result(Structure structure, ScalarType type);

}  // namespace cyclade::app
