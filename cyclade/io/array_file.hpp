// A matrix in a file as plain numbers, one after the other: what .npy and .bin have in common. Columns or
// rows are contiguous; the ranks take consecutive slabs of them, round after round, and redistribute moves
// the entries between slabs and owners. No rank ever holds more than its part and one slab.
//
//   column-major file:  | col 0 | col 1 | col 2 | ...      rank 0: the first w columns, rank 1: the next w,
//   ...
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "cyclade/io/bytes.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// Type of a number in a file, in NumPy's words: kind and bytes.
enum class ElementType { f4, f8, c8, c16, i1, i2, i4, i8, u1, u2, u4, u8, b1 };

Index size_of(ElementType type);
/// "float64", "complex64", "int32", "bool", ...
std::string_view to_string(ElementType type);
/// The scalar type in which such numbers are computed: integers and bool as double.
ScalarType scalar_type_of(ElementType type);
ElementType element_type_of(ScalarType type);

/// Where the numbers of a matrix lie in a file.
struct ArrayLayout {
  ElementType element = ElementType::f8;
  bool big_endian = false;
  bool row_major = false;  ///< C order; otherwise Fortran order
  Index rows = 0;
  Index cols = 0;
  Index offset = 0;      ///< of the first number, in bytes
  Index line_block = 1;  ///< lines that are best read together: those of a compressed chunk
};

/// offset + rows*cols*size; -1 if 64 bits cannot count it.
Index total_bytes(const ArrayLayout& array);

/// Bytes of a slab that a rank reads or writes at a time.
inline constexpr Index slab_budget = Index{16} << 20;

/// a := the matrix of the file. The shapes must agree. Complex numbers are read into a real matrix only if
/// their imaginary parts are zero, and double into single precision only if they stay finite. Collective over
/// the grid's ranks, others return at once; throws FileError, the same on all, naming the entry. Each rank
/// reads its share of the file once.
template <Scalar T>
void read_array(const Source& source, const ArrayLayout& array, const Matrix<T>& a,
                Index budget_bytes = slab_budget);

/// Writes `a`, each number rounded once to the element type, which must be a floating one (a complex matrix
/// as real numbers only if all imaginary parts are zero, double as single only if it stays finite).
/// Collective over the grid's ranks, others return at once; an error of one is thrown on all. Errors call the
/// file `name`.
template <Scalar T>
void write_array(const Matrix<T>& a, const ArrayLayout& array, const WriteAt& write_at,
                 Index budget_bytes = slab_budget, const std::string& name = "the output");

}  // namespace cyclade
