// Names of datasets in HDF5 files. Needs no HDF5.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>

#include "cyclade/io/hdf5.hpp"

namespace cyclade::hdf5 {
namespace {

/// Bytes of the file's name, up to the colon before the dataset or to the end; npos if it is no HDF5 file.
std::size_t length_of_file(const std::string& path) {
  std::string name = path;
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  std::size_t first = std::string::npos;
  for (const std::string extension : {".h5", ".hdf5"}) {
    const std::size_t colon = name.find(extension + ":");
    if (colon != std::string::npos) first = std::min(first, colon + extension.size());
    if (name.ends_with(extension)) first = std::min(first, name.size());
  }
  return first;
}

/// Takes one number of a part and the character after it.
Index take(std::string_view& rest, char after, const std::string& path) {
  Index value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  const auto used = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || value < 0 || used >= rest.size() || rest[used] != after)
    throw ArgumentError(path +
                        ": a part of a dataset is written [I0:I1,J0:J1], half-open and counted from 0");
  rest.remove_prefix(used + 1);
  return value;
}

}  // namespace

bool is_place(const std::string& path) { return length_of_file(path) != std::string::npos; }

Place parse(const std::string& path) {
  const std::size_t end = length_of_file(path);
  require(end != std::string::npos, path + ": not the name of an HDF5 file (.h5 or .hdf5)");
  Place place{path, path.substr(0, end), end < path.size() ? path.substr(end + 1) : ""};
  std::string& name = place.dataset;
  if (const std::size_t open = name.rfind('['); name.ends_with(']') && open != std::string::npos) {
    std::string_view rest = std::string_view(name).substr(open + 1);
    const auto next = [&](char after) { return take(rest, after, path); };
    const Index i0 = next(':'), i1 = next(','), j0 = next(':'), j1 = next(']');
    require(rest.empty() && i0 <= i1 && j0 <= j1,
            path + ": a part of a dataset is written [I0:I1,J0:J1], with I0 <= I1 and J0 <= J1");
    place.window = Window{i0, i1, j0, j1};
    name.resize(open);
  }
  if (name == "/") name.clear();
  require(!name.ends_with('/'), path + ": after the colon stands the name of a dataset, as in a.h5:/group/x");
  if (!name.empty() && name.front() != '/') name.insert(0, "/");
  return place;
}

}  // namespace cyclade::hdf5
