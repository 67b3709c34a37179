// What reading and writing share of the HDF5 library: its handles closed by themselves, its chatter silenced,
// its reasons in our errors, and the type of a number in its words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include <hdf5.h>

#include "cyclade/io/hdf5.hpp"

namespace cyclade::hdf5 {

/// A handle of the library; closed at the end.
class Id {
 public:
  Id() = default;
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// As long as it lives, the library prints no errors of its own. What the host program has set comes back.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Throws FileError: the place, what is wrong and, if the library knows one, its reason.
[[noreturn]] void fail(const Place& place, const std::string& what);

/// Opens `path`, the file of the place or a copy of it. Throws FileError if it is not an HDF5 file or
/// damaged.
Id open_file(const Place& place, const std::string& path, unsigned flags);

/// An empty file in place of what is there.
Id create_file(const Place& place, const std::string& path);

/// The dataset of the place. Throws FileError, naming what is there, if there is none of that name.
Id open_dataset(hid_t file, const Place& place);

/// Paths of the datasets in the file, at the most `limit`; those of the root first.
std::vector<std::string> datasets_of(hid_t file, std::size_t limit = 12);

/// Extents of a dataset; empty if it is a single number or nothing at all.
std::vector<Index> shape_of(hid_t dataset);
std::string shape_words(const std::vector<Index>& shape);

/// Whether the dataset says that its first dimension counts columns.
bool is_by_columns(hid_t dataset);
inline constexpr const char* order_attribute = "cyclade_order";

/// A type of the library for numbers: complex ones as {r, i}.
Id type_of(ElementType element, bool big_endian);

}  // namespace cyclade::hdf5
