// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <memory>

#include "cyclade/io/hdf5_library.hpp"

namespace cyclade::hdf5 {
namespace {

// Compression shrinks at the most a thousandfold (deflate: 1032), and small datasets may have holes: what a
// file promises beyond this, it cannot hold.
constexpr Index most_compression = 2000;
constexpr Index always_believed = Index{64} << 20;

constexpr const char* expected =
    "expected real numbers, or complex ones as {r, i} or as a last dimension of 2";

/// The numbers of a dataset. If `standard`, they are in the file as the element type says; otherwise the
/// library converts them to it.
struct Numbers {
  ElementType element = ElementType::f8;
  bool big_endian = false;
  bool standard = false;
  std::string words = {};
};

bool is_complex(ElementType element) { return element == ElementType::c8 || element == ElementType::c16; }

/// One of the types that NumPy has, too, in either byte order.
std::optional<Numbers> standard_numbers(hid_t type) {
  for (const ElementType element :
       {ElementType::f4, ElementType::f8, ElementType::i1, ElementType::i2, ElementType::i4, ElementType::i8,
        ElementType::u1, ElementType::u2, ElementType::u4, ElementType::u8}) {
    for (const bool big_endian : {false, true})
      if (H5Tequal(type, type_of(element, big_endian)) > 0)
        return Numbers{element, big_endian, true, std::string(to_string(element))};
  }
  return std::nullopt;
}

std::string member_name(hid_t type, unsigned k) {
  char* name = H5Tget_member_name(type, k);
  const std::string copy = name != nullptr ? name : "?";
  H5free_memory(name);
  return copy;
}

/// {r, i} as h5py writes it, and the names that others give.
std::optional<Numbers> complex_numbers(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return std::nullopt;
  const std::pair<std::string, std::string> names{member_name(type, 0), member_name(type, 1)};
  const std::pair<const char*, const char*> known[] = {{"r", "i"}, {"real", "imag"}, {"re", "im"}};
  if (std::ranges::none_of(known,
                           [&](const auto& k) { return names.first == k.first && names.second == k.second; }))
    return std::nullopt;
  const Id re(H5Tget_member_type(type, 0), H5Tclose), im(H5Tget_member_type(type, 1), H5Tclose);
  if (H5Tget_class(re) != H5T_FLOAT || H5Tget_class(im) != H5T_FLOAT) return std::nullopt;
  const std::size_t part = std::max(H5Tget_size(re), H5Tget_size(im));
  Numbers numbers{part <= 4 ? ElementType::c8 : ElementType::c16};
  const auto standard = standard_numbers(re);
  numbers.standard = standard && H5Tequal(re, im) > 0 && H5Tget_member_offset(type, 0) == 0 &&
                     H5Tget_member_offset(type, 1) == part && H5Tget_size(type) == 2 * part;
  numbers.big_endian = numbers.standard && standard->big_endian;
  numbers.words = "complex" + std::to_string(16 * part);
  return numbers;
}

/// h5py's bool: a byte that is called FALSE or TRUE.
bool is_bool(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
  return member_name(type, 0) == "FALSE" && member_name(type, 1) == "TRUE";
}

std::string type_words(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return "text";
    case H5T_ENUM:
      return "an enumeration";
    case H5T_REFERENCE:
      return "references";
    case H5T_VLEN:
      return "lists of varying length";
    case H5T_ARRAY:
      return "arrays";
    case H5T_COMPOUND: {
      std::string text = "records {";
      const int members = std::min(H5Tget_nmembers(type), 6);
      for (int k = 0; k < members; ++k) text += (k ? ", " : "") + member_name(type, static_cast<unsigned>(k));
      return text + "}";
    }
    default:
      return "bytes that are no numbers";
  }
}

Numbers numbers_of(const Place& place, hid_t type, bool pairs) {
  std::optional<Numbers> found;
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
    case H5T_INTEGER:
      found = standard_numbers(type);
      if (!found) {
        const bool real = H5Tget_class(type) == H5T_FLOAT;
        const std::size_t size = H5Tget_size(type);
        found = Numbers{real && size <= 4 ? ElementType::f4 : ElementType::f8};
        found->words = (real ? "float" : "int") + std::to_string(8 * size);
      }
      break;
    case H5T_COMPOUND:
      found = complex_numbers(type);
      break;
    default:
      if (is_bool(type)) found = Numbers{ElementType::b1, false, true, "bool"};
  }
  if (!found || (pairs && (is_complex(found->element) || found->element == ElementType::b1)))
    fail(place, "holds " + (found ? found->words : type_words(type)) + "; " + expected);
  if (pairs) {
    const bool real = found->element == ElementType::f4 || found->element == ElementType::f8;
    found->standard = found->standard && real;
    found->element = found->element == ElementType::f4 ? ElementType::c8 : ElementType::c16;
    found->words = "pairs of " + found->words;
  }
  if (!found->standard) found->big_endian = std::endian::native == std::endian::big;
  return *found;
}

/// In which the library hands over the numbers: as they are, or converted to this machine's.
Id memory_type(hid_t file_type, const ArrayLayout& array, bool standard, bool pairs) {
  if (standard) return {H5Tcopy(file_type), H5Tclose};
  if (!is_complex(array.element)) return type_of(array.element, array.big_endian);
  const bool single = array.element == ElementType::c8;
  if (pairs) return type_of(single ? ElementType::f4 : ElementType::f8, array.big_endian);
  const hid_t part = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  Id type(H5Tcreate(H5T_COMPOUND, single ? 8 : 16), H5Tclose);
  for (unsigned k = 0; k < 2; ++k)  // members find each other by their names
    H5Tinsert(type, member_name(file_type, k).c_str(), k * (single ? 4 : 8), part);
  return type;
}

bool is_pairs(const std::vector<Index>& shape) { return shape.size() == 3; }

std::vector<Index> matrix_shape(const Place& place, hid_t dataset) {
  std::vector<Index> shape = shape_of(dataset);
  if (shape.size() == 2 || (shape.size() == 3 && shape[2] == 2)) return shape;
  fail(place, "has " + shape_words(shape) +
                  "; expected a matrix: two dimensions, or a third of 2 for real and imaginary parts");
}

/// What the properties of a dataset say about where its numbers lie.
struct Storage {
  H5D_layout_t layout = H5D_CONTIGUOUS;
  std::vector<Index> chunk;
  bool filtered = false;

  std::string words() const {
    if (layout == H5D_COMPACT) return "compact";
    if (layout != H5D_CHUNKED) return "contiguous";
    return "chunks of " + std::to_string(chunk[0]) + " x " + std::to_string(chunk[1]) +
           (filtered ? ", filtered" : "");
  }
};

Storage storage_of(const Place& place, hid_t dataset, std::size_t dimensions) {
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  Storage storage;
  storage.layout = H5Pget_layout(properties);
  storage.filtered = H5Pget_nfilters(properties) > 0;
  if (storage.layout == H5D_VIRTUAL || H5Pget_external_count(properties) > 0)
    fail(place,
         "its numbers are kept elsewhere (a virtual or external dataset); copy them into a dataset of their "
         "own");
  if (storage.layout == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(dimensions);
    if (H5Pget_chunk(properties, static_cast<int>(dimensions), chunk.data()) < 0)
      fail(place, "its chunks are not described");
    storage.chunk.assign(chunk.begin(), chunk.end());
  }
  if (storage.layout != H5D_CHUNKED && storage.layout != H5D_CONTIGUOUS && storage.layout != H5D_COMPACT)
    fail(place, "its layout is not known");
  return storage;
}

/// a*b*..., or the largest number if 64 bits cannot count it.
Index product_of(const std::vector<Index>& factors, Index product) {
  for (const Index factor : factors)
    if (__builtin_mul_overflow(product, factor, &product)) return std::numeric_limits<Index>::max();
  return product;
}

/// The file must hold what the shape promises, before anybody makes room for it.
void require_bytes(const Place& place, hid_t dataset, hid_t type, const std::vector<Index>& shape,
                   const Storage& storage) {
  const Index size = static_cast<Index>(H5Tget_size(type)), promised = product_of(shape, size);
  if (promised == 0) return;
  if (H5Dget_storage_size(dataset) == 0)
    fail(place, "nothing was ever written into the dataset, or it is damaged");
  const Id owner(H5Iget_file_id(dataset), H5Fclose);  // a link may lead into another file
  hsize_t there = 0;
  if (H5Fget_filesize(owner, &there) < 0) fail(place, "the size of its file cannot be found");
  const Index file_size = static_cast<Index>(there);
  const Index held = product_of({most_compression}, file_size);
  const bool chunked = storage.layout == H5D_CHUNKED;
  const Index believed = chunked ? std::max(held, always_believed) : file_size;
  const Index chunk = chunked ? product_of(storage.chunk, size) : 0;
  if (promised <= believed && chunk <= (storage.filtered ? believed : file_size)) return;
  fail(place, shape_words(shape) + " promises " + std::to_string(std::max(promised, chunk)) +
                  " bytes, the file has " + std::to_string(file_size));
}

bool in_its_own_file(hid_t dataset, const std::string& path) {
  std::string name(path.size() + 1, '\0');
  return H5Fget_name(dataset, name.data(), name.size() + 1) == static_cast<ssize_t>(path.size()) &&
         name.starts_with(path);
}

/// Cuts the part out of the whole.
void take_part(const Place& place, Dataset& found) {
  const Window w = *place.window;
  ArrayLayout& array = found.array;
  if (w.i1 > array.rows || w.j1 > array.cols)
    throw ArgumentError(place.text + ": " + to_string(w) + " do not lie in a matrix of " +
                        std::to_string(array.rows) + " x " + std::to_string(array.cols));
  array.rows = w.rows();
  array.cols = w.cols();
  found.first_line = array.row_major ? w.i0 : w.j0;
  found.first_in_line = array.row_major ? w.j0 : w.i0;
}

std::string only_dataset(hid_t file, const Place& place) {
  const std::vector<std::string> names = datasets_of(file);
  if (names.size() == 1) return names[0];
  if (names.empty()) fail(place, "the file holds no datasets");
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + place.file + ":" + name;
  fail(place, "the file holds several datasets; say which: " + text);
}

/// What a source keeps open.
struct Lines {
  Id file, dataset, space, type;
  std::size_t dimensions = 2;

  void read(const Dataset& d, Index offset, std::span<char> into) const {
    const Index length = d.array.row_major ? d.array.cols : d.array.rows;
    const Index line = length * size_of(d.array.element);
    if (into.empty()) return;
    const auto at = [](Index n) { return static_cast<hsize_t>(n); };
    const hsize_t start[3] = {at(d.first_line + offset / line), at(d.first_in_line), 0};
    const hsize_t count[3] = {at(static_cast<Index>(into.size()) / line), at(length), 2};
    const Id memory(H5Screate_simple(static_cast<int>(dimensions), count, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
        H5Dread(dataset, type, memory, space, H5P_DEFAULT, into.data()) < 0)
      fail(d.place, "lines " + std::to_string(start[0]) + " to " + std::to_string(start[0] + count[0] - 1) +
                        " cannot be read");
  }
};

}  // namespace

Dataset inspect(const Place& place) {
  const Quiet quiet;
  const Id file = open_file(place, place.file, H5F_ACC_RDONLY);
  Dataset found;
  found.place = place;
  if (place.dataset.empty()) found.place.dataset = only_dataset(file, place);
  const Id dataset = open_dataset(file, found.place);
  const std::vector<Index> shape = matrix_shape(place, dataset);
  const Id type(H5Dget_type(dataset), H5Tclose);
  const Numbers numbers = numbers_of(place, type, is_pairs(shape));
  const Storage storage = storage_of(place, dataset, shape.size());
  require_bytes(place, dataset, type, shape, storage);

  ArrayLayout& array = found.array;
  array.element = numbers.element;
  array.big_endian = numbers.big_endian;
  array.row_major = !is_by_columns(dataset);
  array.rows = array.row_major ? shape[0] : shape[1];
  array.cols = array.row_major ? shape[1] : shape[0];
  if (!storage.chunk.empty()) array.line_block = storage.chunk[0];
  found.element = numbers.words;
  found.storage = storage.words();
  if (place.window) {
    take_part(place, found);
  } else if (storage.layout == H5D_CONTIGUOUS && numbers.standard && in_its_own_file(dataset, place.file)) {
    const haddr_t address = H5Dget_offset(dataset);
    found.direct = address != HADDR_UNDEF;
    array.offset = found.direct ? static_cast<Index>(address) : 0;
  }
  return found;
}

Source open_lines(const Dataset& dataset) {
  const Quiet quiet;
  auto lines = std::make_shared<Lines>();
  lines->file = open_file(dataset.place, dataset.place.file, H5F_ACC_RDONLY);
  lines->dataset = open_dataset(lines->file, dataset.place);
  lines->space = Id(H5Dget_space(lines->dataset), H5Sclose);
  const std::vector<Index> shape = matrix_shape(dataset.place, lines->dataset);
  lines->dimensions = shape.size();
  const Id type(H5Dget_type(lines->dataset), H5Tclose);
  const Numbers numbers = numbers_of(dataset.place, type, is_pairs(shape));
  lines->type = memory_type(type, dataset.array, numbers.standard, is_pairs(shape));
  if (numbers.element != dataset.array.element || numbers.big_endian != dataset.array.big_endian)
    fail(dataset.place, "the dataset has changed since it was looked at");
  return {dataset.place.text, total_bytes(dataset.array),
          [lines, dataset](Index offset, std::span<char> into) {
            const Quiet silent;
            lines->read(dataset, offset, into);
          }};
}

}  // namespace cyclade::hdf5
