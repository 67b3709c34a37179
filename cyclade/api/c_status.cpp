// Statuses, the last message of each thread, and how exceptions and disagreements become either.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>

#include "cyclade/api/c_handles.hpp"

namespace cyclade::c {
namespace {

// The header's positive statuses are those of a report.
static_assert(CYCLADE_OK == static_cast<int>(Status::ok));
static_assert(CYCLADE_SINGULAR == static_cast<int>(Status::singular));
static_assert(CYCLADE_NUMERICALLY_SINGULAR == static_cast<int>(Status::numerically_singular));
static_assert(CYCLADE_NOT_POSITIVE_DEFINITE == static_cast<int>(Status::not_positive_definite));
static_assert(CYCLADE_NON_FINITE_INPUT == static_cast<int>(Status::non_finite_input));
static_assert(CYCLADE_GROWTH_TOO_LARGE == static_cast<int>(Status::growth_too_large));
static_assert(CYCLADE_CERTIFICATE_FAILED == static_cast<int>(Status::certificate_failed));

/// Of a fixed length, so that telling of an error cannot fail.
std::array<char, 2048>& last_message() noexcept {
  thread_local std::array<char, 2048> message{};
  return message;
}

cyclade_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument:
      return CYCLADE_ERROR_ARGUMENT;
    case ErrorKind::file:
      return CYCLADE_ERROR_FILE;
    case ErrorKind::memory:
      return CYCLADE_ERROR_MEMORY;
    case ErrorKind::mpi:
      return CYCLADE_ERROR_MPI;
    case ErrorKind::internal:
      break;
  }
  return CYCLADE_ERROR_INTERNAL;
}

/// The tag lies at the beginning of every handle; a pointer to something else is recognised by it.
template <class Handle>
const Handle& checked_as(const Handle* handle, Tag tag, const char* function, const std::string& name,
                         const char* kind) {
  const std::string who = std::string(function) + ": `" + name + "` ";
  require(handle != nullptr, who + "is NULL; it must be a " + kind);
  Tag found = Tag::none;
  std::memcpy(&found, handle, sizeof found);
  require(found == tag, who + "is not a " + kind + ", or one that was freed");
  return *handle;
}

}  // namespace

cyclade_status fail(cyclade_status status, const char* message) noexcept {
  auto& kept = last_message();
  const std::size_t length = std::min(std::strlen(message), kept.size() - 1);
  std::memcpy(kept.data(), message, length);
  kept[length] = '\0';
  return status;
}

cyclade_status fail_of_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return fail(status_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(CYCLADE_ERROR_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(CYCLADE_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(CYCLADE_ERROR_INTERNAL, "an exception that is none of Cyclade's");
  }
}

const cyclade_grid& checked(const cyclade_grid* grid, const char* function, const char* name) {
  return checked_as(grid, Tag::grid, function, name, "cyclade_grid");
}

const cyclade_matrix& checked(const cyclade_matrix* matrix, const char* function, const char* name) {
  return checked_as(matrix, Tag::matrix, function, name, "cyclade_matrix");
}

void require_pointer(const void* pointer, const char* function, const char* name) {
  require(pointer != nullptr, std::string(function) + ": `" + name + "` is NULL");
}

void in_agreement(const Communicator& comm, const char* function,
                  const std::function<std::vector<Alike>()>& local) {
  std::vector<Alike> mine;
  agree(comm, [&] { mine = local(); });
  std::vector<Index> extremes;  // x and ~x: the largest of the second is the complement of the smallest x
  for (const Alike& a : mine) {
    extremes.push_back(a.value);
    extremes.push_back(~a.value);
  }
  comm.all_reduce_max(std::span(extremes));
  for (std::size_t k = 0; k < mine.size(); ++k) {
    const Index largest = extremes[2 * k], smallest = ~extremes[2 * k + 1];
    require(smallest == largest, std::string(function) + ": `" + mine[k].name +
                                     "` is not the same on all ranks: between " + std::to_string(smallest) +
                                     " and " + std::to_string(largest));
  }
}

void in_agreement_inside(const Grid& grid, const char* function,
                         const std::function<std::vector<Alike>()>& local) {
  if (grid.inside()) {
    in_agreement(grid.all(), function, local);
  } else {
    local();
  }
}

ScalarType to_scalar_type(int type, const char* function) {
  switch (type) {
    case CYCLADE_S:
    case CYCLADE_D:
    case CYCLADE_C:
    case CYCLADE_Z:
      return static_cast<ScalarType>(type);
    default:
      throw ArgumentError(std::string(function) +
                          ": the type must be CYCLADE_S, CYCLADE_D, CYCLADE_C or CYCLADE_Z, got " +
                          std::to_string(type));
  }
}

void require_size(std::size_t size, std::size_t first, std::size_t ours, const char* function,
                  const char* init) {
  require(size >= first && size <= ours,
          std::string(function) + ": a struct of size " + std::to_string(size) + ", which should be " +
              std::to_string(ours) + "; call " + init + " first" +
              (size > ours ? ", or use the header that belongs to this library" : ""));
}

}  // namespace cyclade::c

const char* cyclade_version() { return CYCLADE_VERSION; }

const char* cyclade_last_error() { return cyclade::c::last_message().data(); }

const char* cyclade_status_name(int status) {
  switch (status) {
    case CYCLADE_ERROR_ARGUMENT:
      return "argument error";
    case CYCLADE_ERROR_FILE:
      return "file error";
    case CYCLADE_ERROR_MEMORY:
      return "out of memory";
    case CYCLADE_ERROR_MPI:
      return "MPI error";
    case CYCLADE_ERROR_INTERNAL:
      return "internal error";
    default:
      break;
  }
  if (status < CYCLADE_OK || status > CYCLADE_CERTIFICATE_FAILED) return "unknown status";
  return cyclade::to_string(static_cast<cyclade::Status>(status)).data();
}
