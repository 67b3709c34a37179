// A piece of a device's memory that frees itself. Entries are not initialised.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "cyclade/base/error.hpp"
#include "cyclade/device/device.hpp"

namespace cyclade {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  /// `count` entries on `device`, which must outlive the buffer. Throws MemoryError.
  Buffer(Device& device, Index count)
      : device_(&device), count_(countable(count)), data_(static_cast<T*>(device.allocate(bytes()))) {}
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Buffer() {
    if (device_) device_->release(data_, bytes());
  }

  T* data() const { return data_; }
  Index size() const { return count_; }
  std::span<T> span() const { return {data_, static_cast<std::size_t>(count_)}; }
  /// The first rows*cols entries as a contiguous matrix.
  MatrixView<T> view(Index rows, Index cols) const { return {data_, rows, cols}; }

 private:
  static Index countable(Index count) {
    if (count < 0 || count > INT64_MAX / static_cast<Index>(sizeof(T))) {
      throw MemoryError("out of memory: " + std::to_string(count) + " entries of " +
                        std::to_string(sizeof(T)) + " bytes are more than 64 bits can count");
    }
    return count;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }

  Device* device_ = nullptr;
  Index count_ = 0;
  T* data_ = nullptr;
};

}  // namespace cyclade
