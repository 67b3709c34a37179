// What fails, and whose fault it is. Numerical outcomes (singular, ...) are not errors: they are a Status in
// the Report. An error means that there is no answer at all, and its text says what was wrong and what to do.
// The kind travels between ranks (mpi: agree), so that all of them throw the same error.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace cyclade {

enum class ErrorKind : int {
  argument = 1,  ///< wrong use: names the argument and the value
  file = 2,      ///< unreadable, malformed, disk full, not square: names the file (and line or entry)
  memory = 3,    ///< an allocation failed: names the bytes
  mpi = 4,       ///< MPI returned an error: names the call
  internal = 5,  ///< a fault of Cyclade itself
};

/// Base of everything that Cyclade throws.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

struct ArgumentError : Error {
  explicit ArgumentError(const std::string& what) : Error(ErrorKind::argument, what) {}
};
struct FileError : Error {
  explicit FileError(const std::string& what) : Error(ErrorKind::file, what) {}
};
struct MemoryError : Error {
  explicit MemoryError(const std::string& what) : Error(ErrorKind::memory, what) {}
};
struct MpiError : Error {
  explicit MpiError(const std::string& what) : Error(ErrorKind::mpi, what) {}
};
struct InternalError : Error {
  explicit InternalError(const std::string& what) : Error(ErrorKind::internal, what) {}
};

/// Throws the class that belongs to `kind`: how an error of one rank is thrown again on the others.
[[noreturn]] void throw_error(ErrorKind kind, const std::string& what);

/// Throws ArgumentError(what) unless `condition` holds.
inline void require(bool condition, const std::string& what) {
  if (!condition) throw ArgumentError(what);
}

}  // namespace cyclade
