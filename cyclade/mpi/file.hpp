// Files that all ranks of a communicator read, or write, each its own part, through MPI-IO.
//
// An output is whole or not there at all: it is written under a temporary name beside its place, and takes
// its name when it is complete. What fails on one rank is thrown on all where the call is collective.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "cyclade/mpi/communicator.hpp"

namespace cyclade {

class InputFile {
 public:
  /// Collective over `comm`. Throws FileError, the same on all ranks, with the system's reason.
  InputFile(const Communicator& comm, const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Bytes.
  Index size() const { return size_; }
  /// Fills `into` from the byte `offset` on. Local; throws FileError if the file ends before.
  void read(Index offset, std::span<char> into) const;

 private:
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  Index size_ = 0;
};

class OutputFile {
 public:
  /// Opens the temporary file: a folder that is not there or not writable is told at once. Collective over
  /// `comm`, which must outlive this; throws FileError, the same on all ranks.
  OutputFile(const Communicator& comm, const std::string& path);
  /// Removes the temporary file unless it was committed. Local: no rank waits for another.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Where the bytes go until then.
  const std::string& temporary() const { return temporary_; }
  /// Writes at the byte `offset`. Local; throws FileError if the disk is full.
  void write(Index offset, std::span<const char> from) const;
  /// The file is complete: checks that it has `bytes` bytes and gives it its name. Collective.
  void commit(Index bytes);

 private:
  void close() noexcept;

  const Communicator* comm_;
  std::string path_, temporary_;
  MPI_File file_ = MPI_FILE_NULL;
  bool created_ = false;
};

}  // namespace cyclade
