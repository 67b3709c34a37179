// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace cyclade {
namespace {

constexpr Index largest_piece = Index{1} << 30;  // bytes that one MPI call moves at the most

std::string mpi_reason(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, static_cast<std::size_t>(length));
}

/// MPI's own words seldom say why a file cannot be opened; the system's do.
std::string open_reason(const std::string& path, int code) {
  errno = 0;
  const std::ifstream probe(path, std::ios::binary);
  return probe.is_open() || errno == 0 ? mpi_reason(code) : std::strerror(errno);
}

/// Each rank opens the file for itself: reads and writes are independent, and a rank that fails alone can let
/// go of it without waiting for the others.
MPI_File open(const Communicator& comm, const std::string& path, int mode) {
  MPI_File file = MPI_FILE_NULL;
  try {
    agree(comm, [&] {
      const int code = MPI_File_open(MPI_COMM_SELF, path.c_str(), mode, MPI_INFO_NULL, &file);
      if (code != MPI_SUCCESS) throw FileError(path + ": cannot be opened: " + open_reason(path, code));
      check(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN), "MPI_File_set_errhandler");
    });
  } catch (...) {  // open here, but not on another rank
    if (file != MPI_FILE_NULL) MPI_File_close(&file);
    throw;
  }
  return file;
}

/// What is there must be a file: the name of a pipe would wait for ever, that of a device would be replaced.
void require_regular_or_none(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw FileError(path + ": is a directory, not a file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw FileError(path + ": is a device or a pipe, not a file");
}

/// Calls move(offset, n) for pieces that an int counts, and checks that each moved whole.
template <class Move>
void in_pieces(const std::string& path, bool writing, Index offset, Index count, Move&& move) {
  for (Index done = 0; done < count;) {
    const int n = static_cast<int>(std::min(largest_piece, count - done));
    MPI_Status status;
    int moved = 0;
    errno = 0;
    const int code = move(done, n, &status);
    const int reason = errno;
    if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &moved);
    if (code != MPI_SUCCESS || moved != n) {
      // Open MPI's own MPI-IO calls a failed write a success of fewer bytes; then the system may know why.
      std::string why = code != MPI_SUCCESS ? ": " + mpi_reason(code) : "";
      if (reason == EFBIG || reason == ENOSPC || reason == EDQUOT || reason == EIO)
        why = std::string(": ") + std::strerror(reason);
      if (why.empty()) why = writing ? "; is the disk full?" : "; has the file changed?";
      throw FileError(path + ": only " + std::to_string(done + std::max(moved, 0)) + " of " +
                      std::to_string(count) + " bytes could be " + (writing ? "written" : "read") +
                      " at byte " + std::to_string(offset) + why);
    }
    done += n;
  }
}

}  // namespace

InputFile::InputFile(const Communicator& comm, const std::string& path) : path_(path) {
  agree(comm, [&] {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
      throw FileError(path + ": " + (error ? error.message() : "no such file"));
    require_regular_or_none(path);
  });
  file_ = open(comm, path, MPI_MODE_RDONLY);
  MPI_Offset size = 0;
  const int code = MPI_File_get_size(file_, &size);
  try {
    agree(comm, [&] {
      if (code != MPI_SUCCESS) throw FileError(path + ": its size cannot be found: " + mpi_reason(code));
    });
  } catch (...) {
    MPI_File_close(&file_);
    throw;
  }
  size_ = size;
}

InputFile::~InputFile() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized && file_ != MPI_FILE_NULL) MPI_File_close(&file_);
}

void InputFile::read(Index offset, std::span<char> into) const {
  in_pieces(path_, false, offset, static_cast<Index>(into.size()),
            [&](Index done, int n, MPI_Status* status) {
              return MPI_File_read_at(file_, offset + done, into.data() + done, n, MPI_BYTE, status);
            });
}

OutputFile::OutputFile(const Communicator& comm, const std::string& path)
    : comm_(&comm), path_(path), temporary_(path + ".part") {
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    require_regular_or_none(path);
    errno = 0;
    const std::ofstream probe(temporary_, std::ios::binary | std::ios::trunc);
    if (!probe.is_open()) throw FileError(path + ": cannot be written: " + std::strerror(errno));
  });
  created_ = true;
  try {
    file_ = open(comm, temporary_, MPI_MODE_WRONLY);
  } catch (...) {
    close();
    throw;
  }
}

OutputFile::~OutputFile() { close(); }

/// Lets go of the file and removes it. Safe at any time; never throws.
void OutputFile::close() noexcept {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized && file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  file_ = MPI_FILE_NULL;
  std::error_code error;
  if (created_ && comm_->rank() == 0) std::filesystem::remove(temporary_, error);
  created_ = false;
}

void OutputFile::write(Index offset, std::span<const char> from) const {
  in_pieces(path_, true, offset, static_cast<Index>(from.size()), [&](Index done, int n, MPI_Status* status) {
    return MPI_File_write_at(file_, offset + done, from.data() + done, n, MPI_BYTE, status);
  });
}

void OutputFile::commit(Index bytes) {
  const int synced = MPI_File_sync(file_), closed = MPI_File_close(&file_);
  agree(*comm_, [&] {
    if (synced != MPI_SUCCESS) throw FileError(path_ + ": could not be completed: " + mpi_reason(synced));
    if (closed != MPI_SUCCESS) throw FileError(path_ + ": could not be closed: " + mpi_reason(closed));
  });
  agree(*comm_, [&] {  // all have closed it
    if (comm_->rank() != 0) return;
    std::error_code error;
    const auto size = std::filesystem::file_size(temporary_, error);
    if (error || static_cast<Index>(size) != bytes) {
      throw FileError(path_ + ": only " + std::to_string(error ? 0 : size) + " of " + std::to_string(bytes) +
                      " bytes are on the disk; is it full?");
    }
    std::filesystem::rename(temporary_, path_, error);
    if (error) throw FileError(path_ + ": cannot take the place of what is there: " + error.message());
  });
  created_ = false;
}

}  // namespace cyclade
