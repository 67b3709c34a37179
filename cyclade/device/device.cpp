// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/device/device.hpp"

#include <algorithm>

#include "cyclade/base/error.hpp"

namespace cyclade {

void* Device::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* data = allocate_bytes(bytes);
  if (data == nullptr) {
    throw MemoryError("out of memory: " + std::to_string(bytes) + " bytes asked for, " +
                      std::to_string(memory_.current) + " already held by this rank");
  }
  memory_.current += static_cast<Index>(bytes);
  memory_.peak = std::max(memory_.peak, memory_.current);
  return data;
}

void Device::release(void* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  release_bytes(data, bytes);
  memory_.current -= static_cast<Index>(bytes);
}

}  // namespace cyclade
