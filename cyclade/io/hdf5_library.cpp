// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/hdf5_library.hpp"

#include <algorithm>
#include <limits>

namespace cyclade::hdf5 {
namespace {

/// What went wrong first, in the library's words; empty if it knows of nothing.
std::string reason() {
  std::string text;
  const H5E_walk2_t first = [](unsigned n, const H5E_error2_t* error, void* into) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(into) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  H5Eclear2(H5E_DEFAULT);
  return text;
}

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "it holds no datasets";
  std::string text = "it holds ";
  for (const std::string& name : names) text += (&name == &names.front() ? "" : ", ") + name;
  return text;
}

/// Walks through a group and those below it. A file can name a group in two places, or in itself: each is
/// entered once.
class Walk {
 public:
  explicit Walk(std::size_t limit) : limit_(limit) {}

  void group(hid_t id, const std::string& path, int depth) {
    H5G_info_t info;
    if (H5Gget_info(id, &info) < 0) return;
    std::vector<std::pair<Id, std::string>> below;
    const hsize_t links = std::min<hsize_t>(info.nlinks, 1000);
    for (hsize_t k = 0; k < links && names.size() < limit_; ++k) {
      char name[256] = {};
      if (H5Lget_name_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT) <= 0)
        continue;
      Id object(H5Oopen(id, name, H5P_DEFAULT), H5Oclose);
      if (!object.valid()) continue;
      const H5I_type_t type = H5Iget_type(object);
      if (type == H5I_DATASET) names.push_back(path + "/" + name);
      if (type == H5I_GROUP && depth > 0) below.emplace_back(std::move(object), path + "/" + name);
    }
    for (const auto& [inner, inner_path] : below)
      if (names.size() < limit_ && ++entered_ < 100) group(inner, inner_path, depth - 1);
  }

  std::vector<std::string> names;

 private:
  std::size_t limit_;
  int entered_ = 0;
};

std::string text_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.valid()) return {};
  const Id type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    const Id memory(H5Tcopy(type), H5Tclose);
    if (H5Aread(attribute, memory, &text) < 0 || text == nullptr) return {};
    const std::string copy = text;
    H5free_memory(text);
    return copy;
  }
  std::string text(std::min<std::size_t>(H5Tget_size(type), 4096), '\0');
  const Id memory(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(memory, text.size());
  H5Tset_cset(memory, H5Tget_cset(type));
  if (H5Aread(attribute, memory, text.data()) < 0) return {};
  return text.substr(0, text.find('\0'));
}

Id file_access() {
  Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, true, true);  // file systems without locks are no reason to refuse
#endif
  H5Pset_alignment(access, 1 << 16, 4096);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  return access;
}

}  // namespace

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Eclear2(H5E_DEFAULT);
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

void fail(const Place& place, const std::string& what) {
  const std::string why = reason();
  throw FileError(place.text + ": " + what + (why.empty() ? "" : " (" + why + ")"));
}

void require_available(const std::string&) {}

Id open_file(const Place& place, const std::string& path, unsigned flags) {
  const htri_t known = H5Fis_hdf5(path.c_str());
  if (known < 0) fail(place, "cannot be opened");
  if (known == 0) fail(place, "not an HDF5 file (its signature is not there)");
  const Id access = file_access();
  Id file(H5Fopen(path.c_str(), flags, access), H5Fclose);
  if (!file.valid()) fail(place, "the HDF5 file cannot be opened; is it whole?");
  return file;
}

Id create_file(const Place& place, const std::string& path) {
  Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access()), H5Fclose);
  if (!file.valid()) fail(place, "the HDF5 file cannot be made");
  return file;
}

Id open_dataset(hid_t file, const Place& place) {
  Id object(H5Oopen(file, place.dataset.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object.valid()) {
    const std::string there = listed(datasets_of(file));
    fail(place, "no dataset " + place.dataset + " in the file; " + there);
  }
  if (H5Iget_type(object) != H5I_DATASET)
    fail(place,
         place.dataset + " is a group or a type, not a dataset; of datasets " + listed(datasets_of(file)));
  return object;
}

std::vector<std::string> datasets_of(hid_t file, std::size_t limit) {
  Walk walk(limit);
  const Id root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
  if (root.valid()) walk.group(root, "", 6);
  H5Eclear2(H5E_DEFAULT);  // what cannot be opened is not listed
  return std::move(walk.names);
}

std::vector<Index> shape_of(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose);
  const int dimensions = space.valid() ? H5Sget_simple_extent_ndims(space) : -1;
  if (dimensions < 1 || dimensions > H5S_MAX_RANK) return {};
  std::vector<hsize_t> extents(static_cast<std::size_t>(dimensions));
  if (H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0) return {};
  std::vector<Index> shape;
  for (const hsize_t n : extents)
    shape.push_back(static_cast<Index>(std::min<hsize_t>(n, std::numeric_limits<Index>::max())));
  return shape;
}

std::string shape_words(const std::vector<Index>& shape) {
  if (shape.empty()) return "no dimensions";
  std::string text = "the shape (";
  for (const Index n : shape) text += std::to_string(n) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  return text + ")";
}

bool is_by_columns(hid_t dataset) {
  return text_attribute(dataset, order_attribute) == "column" || H5Aexists(dataset, "MATLAB_class") > 0;
}

Id type_of(ElementType element, bool big_endian) {
  const auto number = [&](hid_t little, hid_t big) { return H5Tcopy(big_endian ? big : little); };
  const auto complex = [&](std::size_t part, hid_t little, hid_t big) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * part);
    H5Tinsert(type, "r", 0, big_endian ? big : little);
    H5Tinsert(type, "i", part, big_endian ? big : little);
    return type;
  };
  const auto make = [&]() -> hid_t {
    switch (element) {
      case ElementType::f4:
        return number(H5T_IEEE_F32LE, H5T_IEEE_F32BE);
      case ElementType::f8:
        return number(H5T_IEEE_F64LE, H5T_IEEE_F64BE);
      case ElementType::c8:
        return complex(4, H5T_IEEE_F32LE, H5T_IEEE_F32BE);
      case ElementType::c16:
        return complex(8, H5T_IEEE_F64LE, H5T_IEEE_F64BE);
      case ElementType::i1:
        return number(H5T_STD_I8LE, H5T_STD_I8BE);
      case ElementType::i2:
        return number(H5T_STD_I16LE, H5T_STD_I16BE);
      case ElementType::i4:
        return number(H5T_STD_I32LE, H5T_STD_I32BE);
      case ElementType::i8:
        return number(H5T_STD_I64LE, H5T_STD_I64BE);
      case ElementType::u1:
      case ElementType::b1:
        return number(H5T_STD_U8LE, H5T_STD_U8BE);
      case ElementType::u2:
        return number(H5T_STD_U16LE, H5T_STD_U16BE);
      case ElementType::u4:
        return number(H5T_STD_U32LE, H5T_STD_U32BE);
      case ElementType::u8:
        return number(H5T_STD_U64LE, H5T_STD_U64BE);
    }
    return -1;
  };
  return {make(), H5Tclose};
}

}  // namespace cyclade::hdf5
