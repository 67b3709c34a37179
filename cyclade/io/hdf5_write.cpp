// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <system_error>

#include "cyclade/io/hdf5_library.hpp"

namespace cyclade::hdf5 {
namespace {

constexpr const char* default_name = "/matrix";

Place with_name(Place place) {
  if (place.dataset.empty()) place.dataset = default_name;
  return place;
}

/// Every folder on the way to the dataset must be a group or not there yet, and the dataset no group.
void require_free(hid_t file, const Place& place) {
  for (std::size_t end = place.dataset.find('/', 1);; end = place.dataset.find('/', end + 1)) {
    const std::string prefix = place.dataset.substr(0, end);
    if (H5Lexists(file, prefix.c_str(), H5P_DEFAULT) <= 0) return;
    const bool last = end == std::string::npos;
    const Id object(H5Oopen(file, prefix.c_str(), H5P_DEFAULT), H5Oclose);
    if (object.valid() && (H5Iget_type(object) == H5I_GROUP) == last)
      fail(place, prefix + (last ? " is a group; a dataset cannot take its place" : " is not a group"));
    if (last) return;
    if (!object.valid()) fail(place, prefix + " cannot be opened");
  }
}

void put(const Place& place, hid_t dataset, const Attribute& attribute) {
  const auto& [name, value] = attribute;
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  Id type;
  const void* data = nullptr;
  const char* text = nullptr;
  if (const auto* words = std::get_if<std::string>(&value)) {
    type = Id(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    text = words->c_str();
    data = &text;
  } else if (const auto* whole = std::get_if<Index>(&value)) {
    type = Id(H5Tcopy(H5T_NATIVE_INT64), H5Tclose);
    data = whole;
  } else {
    type = Id(H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose);
    data = &std::get<double>(value);
  }
  const Id made(H5Acreate2(dataset, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!made.valid() || H5Awrite(made, type, data) < 0)
    fail(place, "its attribute " + name + " cannot be written");
}

/// A dataset whose numbers lie in one piece, reserved now and written later by others.
Id create_dataset(hid_t file, const Place& place, const ArrayLayout& array) {
  const Index lines = array.row_major ? array.rows : array.cols,
              length = array.row_major ? array.cols : array.rows;
  const hsize_t extents[2] = {static_cast<hsize_t>(lines), static_cast<hsize_t>(length)};
  const Id space(H5Screate_simple(2, extents, nullptr), H5Sclose);
  const Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_layout(properties, H5D_CONTIGUOUS);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  const Id type = type_of(array.element, array.big_endian);
  Id dataset(H5Dcreate2(file, place.dataset.c_str(), type, space, links, properties, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) fail(place, "the dataset cannot be created");
  return dataset;
}

/// Where the part lies in a dataset that is there. Only numbers in one piece and of the same type can be
/// written over.
Target place_of_part(const Place& place, const Dataset& whole, const ArrayLayout& array) {
  const Window w = *place.window;
  const std::string part = to_string(w);
  if (!whole.direct || whole.array.element != array.element || whole.array.big_endian != array.big_endian)
    fail(place, "a part can be written only into a contiguous dataset of the same type; this is " +
                    whole.element + ", " + whole.storage + ", and " + std::string(to_string(array.element)) +
                    " is to be written");
  if (w.i1 > whole.array.rows || w.j1 > whole.array.cols)
    fail(place, part + " do not lie in the dataset of " + std::to_string(whole.array.rows) + " x " +
                    std::to_string(whole.array.cols));
  if (w.rows() != array.rows || w.cols() != array.cols)
    fail(place, part + " have another shape than the matrix, " + std::to_string(array.rows) + " x " +
                    std::to_string(array.cols));
  const bool by_rows = whole.array.row_major;
  const Index size = size_of(array.element), length = by_rows ? whole.array.cols : whole.array.rows;
  return {whole.array.offset + ((by_rows ? w.i0 : w.j0) * length + (by_rows ? w.j0 : w.i0)) * size,
          length * size, by_rows};
}

/// Puts the dataset into the file in place of one of the same name.
Target make_dataset(hid_t file, const Place& place, const ArrayLayout& array,
                    const std::vector<Attribute>& attributes) {
  require_free(file, place);
  if (H5Lexists(file, place.dataset.c_str(), H5P_DEFAULT) > 0 &&
      H5Ldelete(file, place.dataset.c_str(), H5P_DEFAULT) < 0)
    fail(place, "what is there cannot be replaced");
  H5Eclear2(H5E_DEFAULT);
  const Id dataset = create_dataset(file, place, array);
  for (const Attribute& attribute : attributes) put(place, dataset, attribute);
  if (!array.row_major) put(place, dataset, {order_attribute, std::string("column")});
  const bool empty = array.rows == 0 || array.cols == 0;
  const haddr_t address = H5Dget_offset(dataset);
  if (address == HADDR_UNDEF && !empty) fail(place, "no room was made for it");
  if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0) fail(place, "cannot be written; is the disk full?");
  return {empty ? 0 : static_cast<Index>(address),
          (array.row_major ? array.cols : array.rows) * size_of(array.element), array.row_major};
}

/// The library cannot recover from a write that fails: it must not come to one.
void require_space(const Place& place, const std::string& temporary, Index more) {
  std::error_code error;
  const auto present = std::filesystem::file_size(temporary, error);
  const auto wanted = present + static_cast<std::uintmax_t>(more) + (1 << 20);  // and what describes it
  if (!error && std::filesystem::space(temporary, error).available < wanted - present && !error)
    fail(place, "needs " + std::to_string(wanted) + " bytes; the disk is too full");
  if (!error) std::filesystem::resize_file(temporary, wanted, error);
  if (!error) std::filesystem::resize_file(temporary, present, error);
  if (error) fail(place, "a file of " + std::to_string(wanted) + " bytes cannot be made: " + error.message());
}

}  // namespace

void require_place(const Place& given) {
  const Quiet quiet;
  const Place place = with_name(given);
  std::error_code error;
  if (!std::filesystem::exists(place.file, error)) {
    if (place.window) fail(place, "a part can be written only into a dataset that is there");
    return;
  }
  const Id file = open_file(place, place.file, H5F_ACC_RDONLY);
  if (place.window) open_dataset(file, place);
  require_free(file, place);
}

Target make_room(const Place& given, const std::string& temporary, const ArrayLayout& array,
                 const std::vector<Attribute>& attributes) {
  const Quiet quiet;
  const Place place = with_name(given);
  std::error_code error;
  const bool existed = std::filesystem::exists(place.file, error);
  if (existed) {
    std::filesystem::copy_file(place.file, temporary, std::filesystem::copy_options::overwrite_existing,
                               error);
    if (error) fail(place, "the file cannot be copied: " + error.message());
  }
  Target target;
  require_space(place, temporary, place.window ? 0 : total_bytes(array));
  if (place.window) {
    Place whole = place;
    whole.window.reset();
    whole.file = temporary;
    target = place_of_part(place, inspect(whole), array);
  } else {
    const Id file = existed ? open_file(place, temporary, H5F_ACC_RDWR) : create_file(place, temporary);
    target = make_dataset(file, place, array, attributes);
  }
  target.file_bytes = static_cast<Index>(std::filesystem::file_size(temporary, error));
  if (error) fail(place, error.message());
  return target;
}

}  // namespace cyclade::hdf5
