// NumPy's .npy: a short text header, then the numbers.
//
//   "\x93NUMPY" major minor | length of the text (2 bytes, from version 2 on 4) | {'descr': '<f8',
//   'fortran_order': False, 'shape': (3, 4), }  padded with spaces, '\n' | data
//
// Source: NumPy Enhancement Proposal 1 and numpy.lib.format, versions 1.0 to 3.0.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/io/array_file.hpp"

namespace cyclade::npy {

/// Reads and checks the header, and that the file has exactly the bytes which it promises. Local. Throws
/// FileError that says what is wrong: not an .npy file, a type that is no number, a shape that is no matrix,
/// bytes missing or left over.
ArrayLayout read_header(const Source& source);

/// The header for such an array: version 1, its length a multiple of 64. Sets array.offset.
std::string write_header(ArrayLayout& array);

}  // namespace cyclade::npy
