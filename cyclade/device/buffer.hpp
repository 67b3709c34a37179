// A piece of a device's memory that frees itself. Entries are not initialised.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>

#include "cyclade/device/device.hpp"

namespace cyclade {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  /// `count` entries on `device`, which must outlive the buffer. Throws MemoryError.
  Buffer(Device& device, Index count)
      : device_(&device), count_(count), data_(static_cast<T*>(device.allocate(bytes()))) {}
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
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }

  Device* device_ = nullptr;
  Index count_ = 0;
  T* data_ = nullptr;
};

}  // namespace cyclade
