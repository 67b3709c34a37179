// Behind cyclade.h: what the handles hold, and what every entry point has in common. Nothing is kept between
// calls but the last message of each thread.
//
//   entry point -> guarded: exceptions become a status and a message
//               -> handle checked on this rank -> in_agreement: what one rank alone knows, told to all
//               -> the C++ call
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "cyclade/api/cyclade.h"
#include "cyclade/device/host.hpp"
#include "cyclade/inverse/report.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade::c {

/// A matrix of any of the four types.
using AnyMatrix =
    std::variant<Matrix<float>, Matrix<double>, Matrix<std::complex<float>>, Matrix<std::complex<double>>>;

/// The first word of a handle: what kind it is, and that it is one.
enum class Tag : std::uint64_t { grid = 0x6379636c61646547, matrix = 0x6379636c6164654d, none = 0 };

/// Leaves the message for cyclade_last_error and returns the status.
cyclade_status fail(cyclade_status status, const char* message) noexcept;
/// The status of an exception that is in flight, its message left.
cyclade_status fail_of_exception() noexcept;

/// Runs `work`, which returns a status; whatever it throws becomes one.
template <std::invocable F>
cyclade_status guarded(F&& work) noexcept {
  try {
    return work();
  } catch (...) {
    return fail_of_exception();
  }
}

/// Throws ArgumentError unless the pointer is a live handle; `name` is that of the argument.
const cyclade_grid& checked(const cyclade_grid* grid, const char* function, const char* name = "grid");
const cyclade_matrix& checked(const cyclade_matrix* matrix, const char* function, const char* name);
void require_pointer(const void* pointer, const char* function, const char* name);

/// Numbers that all ranks must give alike.
struct Alike {
  const char* name;
  Index value;
};

/// Runs `local` on every rank, then compares what it returns; if it throws on any, or something is not alike,
/// all ranks throw the same ArgumentError. Collective over `comm`.
void in_agreement(const Communicator& comm, const char* function,
                  const std::function<std::vector<Alike>()>& local);
/// The same over the ranks inside the grid; those outside only run `local`.
void in_agreement_inside(const Grid& grid, const char* function,
                         const std::function<std::vector<Alike>()>& local);

/// The enum's value for a letter or number of C's, or ArgumentError.
ScalarType to_scalar_type(int type, const char* function);
Layout to_layout(const cyclade_layout& layout);
cyclade_layout from_layout(const Layout& layout);
/// The bits of a layout, to be compared between ranks.
std::vector<Alike> alike(const cyclade_layout& layout);

/// Throws ArgumentError unless `size`, which the caller's struct gives itself, is between that of the first
/// version and ours: then it has been initialised.
void require_size(std::size_t size, std::size_t first, std::size_t ours, const char* function,
                  const char* init);

/// An array of the caller's.
struct Memory {
  void* data;
  Index ld;
  Index rows = INT64_MAX;  ///< as many as it is known to have
  Index cols = INT64_MAX;
  const char* fault = nullptr;  ///< what makes it impossible to use; null: nothing
};

/// cyclade_matrix_create, for memory of which more is known; `function` is named in messages.
cyclade_status create_matrix(const char* function, const cyclade_grid* grid, const cyclade_layout* layout,
                             int type, const Memory& memory, cyclade_matrix** matrix);

}  // namespace cyclade::c

struct cyclade_grid {
  cyclade::c::Tag tag = cyclade::c::Tag::grid;
  std::shared_ptr<const cyclade::Grid> grid;
  ~cyclade_grid() { tag = cyclade::c::Tag::none; }
};

struct cyclade_matrix {
  cyclade::c::Tag tag = cyclade::c::Tag::matrix;
  // In this order: what a later one needs outlives it.
  std::shared_ptr<const cyclade::Grid> grid;
  std::shared_ptr<cyclade::HostDevice> device;
  std::shared_ptr<const cyclade::c::AnyMatrix> storage;  ///< the whole, of which `matrix` may be a window
  std::shared_ptr<const cyclade::c::AnyMatrix> matrix;
  ~cyclade_matrix() { tag = cyclade::c::Tag::none; }
};
