// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/base/error.hpp"

namespace cyclade {

void throw_error(ErrorKind kind, const std::string& what) {
  switch (kind) {
    case ErrorKind::argument:
      throw ArgumentError(what);
    case ErrorKind::file:
      throw FileError(what);
    case ErrorKind::memory:
      throw MemoryError(what);
    case ErrorKind::mpi:
      throw MpiError(what);
    case ErrorKind::internal:
      break;
  }
  throw InternalError(what);
}

}  // namespace cyclade
