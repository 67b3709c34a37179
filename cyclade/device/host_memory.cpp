// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/device/host_memory.hpp"

#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace cyclade {
namespace {

constexpr std::size_t line = 64;                         // a cache line, and the widest vector register
constexpr std::size_t huge_page = std::size_t{2} << 20;  // worth asking for from two of them on

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void* HostMemory::allocate_bytes(std::size_t bytes) {
  const bool large = bytes >= 2 * huge_page;
  const std::size_t alignment = large ? huge_page : line;
  if (bytes > std::size_t{PTRDIFF_MAX} - alignment) return nullptr;
  void* data = std::aligned_alloc(alignment, round_up(bytes, alignment));
#ifdef __linux__
  if (data && large) madvise(data, bytes, MADV_HUGEPAGE);  // advice: it may be refused
#endif
  return data;
}

void HostMemory::release_bytes(void* data, std::size_t) noexcept { std::free(data); }

}  // namespace cyclade
