// What a build without HDF5 says. Compiled in place of hdf5_library, hdf5_read and hdf5_write.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/hdf5.hpp"

namespace cyclade::hdf5 {

void require_available(const std::string& path) {
  throw ArgumentError(path +
                      ": this build of Cyclade cannot read or write HDF5. Install the library (Debian and "
                      "Ubuntu: apt install libhdf5-openmpi-dev), then configure and build again");
}

Dataset inspect(const Place& place) {
  require_available(place.text);
  return {};
}

Source open_lines(const Dataset& dataset) {
  require_available(dataset.place.text);
  return {};
}

void require_place(const Place& place) { require_available(place.text); }

Target make_room(const Place& place, const std::string&, const ArrayLayout&, const std::vector<Attribute>&) {
  require_available(place.text);
  return {};
}

}  // namespace cyclade::hdf5
