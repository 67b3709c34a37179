// A folder of its own for a test that writes files, the same on all ranks, and gone afterwards.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "cyclade/mpi/communicator.hpp"

namespace cyclade::test {

class ScratchFolder {
 public:
  /// Collective; the folder bears the process number of rank 0.
  explicit ScratchFolder(const Communicator& comm) : comm_(comm) {
    std::array<Index, 1> owner{static_cast<Index>(getpid())};
    comm.broadcast(std::span<Index>(owner), 0);
    folder_ = std::filesystem::temp_directory_path() / ("cyclade_test_" + std::to_string(owner[0]));
    if (comm.rank() == 0) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
    }
    comm.barrier();
  }
  /// Collective.
  ~ScratchFolder() {
    comm_.barrier();
    std::error_code error;
    if (comm_.rank() == 0) std::filesystem::remove_all(folder_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Collective: nothing is in the folder.
  bool empty() const {
    comm_.barrier();
    const bool none = std::filesystem::is_empty(folder_);
    comm_.barrier();
    return none;
  }

 private:
  const Communicator& comm_;
  std::filesystem::path folder_;
};

}  // namespace cyclade::test
