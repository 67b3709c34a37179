// Memory of the processor, 64-byte aligned; large pieces ask for huge pages. Shared by `host` and
// `reference`.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "cyclade/device/device.hpp"

namespace cyclade {

class HostMemory : public Device {
 protected:
  void* allocate_bytes(std::size_t bytes) override;
  void release_bytes(void* data, std::size_t bytes) noexcept override;
};

}  // namespace cyclade
