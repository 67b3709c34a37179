// Bytes to read from and to write to, at any place, by any rank for itself: a file of mpi/, or memory in the
// tests. The formats are written against these, so that what they do depends on bytes alone.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>

#include "cyclade/base/scalar.hpp"

namespace cyclade {

/// read(offset, into) fills `into`, which lies inside, or throws FileError. Local.
struct Source {
  std::string name;  ///< as messages call it
  Index size = 0;    ///< bytes
  std::function<void(Index, std::span<char>)> read;
};

/// Writes bytes at a place of an output, or throws FileError. Local.
using WriteAt = std::function<void(Index offset, std::span<const char> bytes)>;

}  // namespace cyclade
