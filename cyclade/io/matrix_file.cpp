// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/matrix_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cyclade/io/grm.hpp"
#include "cyclade/io/matrix_market.hpp"
#include "cyclade/io/npy.hpp"

namespace cyclade {
namespace {

Source source_of(const InputFile& file) {
  return {file.path(), file.size(), [&file](Index offset, std::span<char> into) { file.read(offset, into); }};
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

void describe_array(FileInfo& info) {
  info.rows = info.array.rows;
  info.cols = info.array.cols;
  info.type = scalar_type_of(info.array.element);
  info.element = to_string(info.array.element);
  info.form = std::string(info.array.row_major ? "C order (rows)" : "Fortran order (columns)") +
              (info.array.big_endian ? ", big-endian" : "");
}

void describe_dataset(FileInfo& info) {
  info.array = info.dataset.array;
  describe_array(info);
  info.element = info.dataset.element;
  info.form += ", " + info.dataset.storage;
}

/// The file that a path means: of a dataset, the one that it lies in.
std::string file_of(const std::string& path) {
  if (format_of(path) != FileFormat::hdf5) return path;
  hdf5::require_available(path);
  return hdf5::parse(path).file;
}

ArrayLayout bin_layout(const Source& source, const FileOptions& options) {
  ArrayLayout array;
  array.element = element_type_of(options.type);
  array.rows = array.cols = options.n;
  if (options.n < 0 || (options.n == 0 && source.size > 0)) {
    throw ArgumentError(source.name +
                        ": a .bin file does not say how large its matrix is; give --n (and --type)");
  }
  const Index bytes = total_bytes(array);
  if (bytes != source.size) {
    throw FileError(source.name + ": " + std::to_string(options.n) + " x " + std::to_string(options.n) +
                    " of " + std::string(to_string(array.element)) + " needs " +
                    (bytes < 0 ? std::string("more than 2^63") : std::to_string(bytes)) +
                    " bytes, the file has " + std::to_string(source.size));
  }
  return array;
}

void describe_market(FileInfo& info) {
  using namespace matrix_market;
  info.rows = info.header.rows;
  info.cols = info.header.cols;
  info.type = info.header.field == Field::complex ? ScalarType::z : ScalarType::d;
  info.element = word(info.header.field);
  info.form = std::string(word(info.header.form)) + ", " + word(info.header.symmetry);
}

}  // namespace

std::string_view to_string(FileFormat format) {
  switch (format) {
    case FileFormat::npy:
      return "npy";
    case FileFormat::bin:
      return "bin";
    case FileFormat::matrix_market:
      return "Matrix Market";
    case FileFormat::grm:
      return "GCTA relationship matrix";
    case FileFormat::hdf5:
      return "HDF5";
  }
  return "unknown";
}

FileFormat format_of(const std::string& path) {
  const std::string name = lower_case(path);
  if (hdf5::is_place(path)) return FileFormat::hdf5;
  if (name.ends_with(".npy")) return FileFormat::npy;
  if (name.ends_with(".grm.bin")) return FileFormat::grm;
  if (name.ends_with(".bin")) return FileFormat::bin;
  if (name.ends_with(".mtx") || name.ends_with(".mm")) return FileFormat::matrix_market;
  throw ArgumentError(path +
                      ": the name does not tell the format; known are .npy, .bin, .mtx, .grm.bin and .h5");
}

FileInfo inspect(const Communicator& comm, const std::string& path, const FileOptions& options) {
  FileInfo info;
  info.path = path;
  info.format = format_of(path);
  const InputFile file(comm, file_of(path));
  const Source source = source_of(file);
  info.bytes = file.size();
  if (info.format == FileFormat::matrix_market) {
    info.header = matrix_market::inspect(comm, source);
    describe_market(info);
    return info;
  }
  agree(comm, [&] {  // every rank reads the few bytes of a header
    switch (info.format) {
      case FileFormat::npy:
        info.array = npy::read_header(source);
        break;
      case FileFormat::bin:
        info.array = bin_layout(source, options);
        break;
      case FileFormat::grm:
        info.rows = info.cols = grm::order(path, file.size());
        break;
      case FileFormat::hdf5:
        info.dataset = hdf5::inspect(hdf5::parse(path));
        break;
      case FileFormat::matrix_market:
        break;
    }
  });
  if (info.format == FileFormat::hdf5) {
    describe_dataset(info);
    return info;
  }
  if (info.format != FileFormat::grm) {
    describe_array(info);
    return info;
  }
  info.element = "float32";
  info.form = "lower triangle";
  const InputFile ids(comm, grm::id_path(path));
  agree(comm, [&] {
    if (comm.rank() == 0) grm::require_ids(source_of(ids), path, info.rows);
  });
  return info;
}

namespace {

/// Through the library, each rank its own rows.
template <Scalar T>
void read_lines(const hdf5::Dataset& dataset, const Matrix<T>& a) {
  Source lines;
  agree(a.grid().all(), [&] { lines = hdf5::open_lines(dataset); });
  read_array(lines, dataset.array, a);
}

}  // namespace

template <Scalar T>
Index read_matrix(const FileInfo& info, const Matrix<T>& a) {
  if (!a.grid().inside()) return 0;
  const InputFile file(a.grid().all(), file_of(info.path));
  const Source source = source_of(file);
  switch (info.format) {
    case FileFormat::matrix_market:
      return matrix_market::read(source, info.header, a);
    case FileFormat::grm:
      grm::read(source, a);
      return 0;
    case FileFormat::hdf5:
      if (info.dataset.direct) break;
      read_lines(info.dataset, a);
      return 0;
    case FileFormat::npy:
    case FileFormat::bin:
      break;
  }
  read_array(source, info.array, a);
  return 0;
}

MatrixOutput::MatrixOutput(const Communicator& comm, const std::string& path)
    : comm_(&comm), path_(path), format_(format_of(path)), file_(comm, file_of(path)) {
  if (format_ != FileFormat::hdf5) return;
  agree(comm, [&] {
    if (comm.rank() == 0) hdf5::require_place(hdf5::parse(path));
  });
}

/// One rank makes room in a copy of the file; then all write, as into an .npy.
template <Scalar T>
void MatrixOutput::write_dataset(const Matrix<T>& a, ArrayLayout& array, const WriteOptions& options) {
  array.row_major = options.order != FileOrder::column;
  hdf5::Target target;
  agree(*comm_, [&] {
    if (comm_->rank() != 0) return;
    std::vector<hdf5::Attribute> attributes = options.attributes;
    if (!options.comment.empty()) attributes.emplace_back("description", options.comment);
    target = hdf5::make_room(hdf5::parse(path_), file_.temporary(), array, attributes);
  });
  Index told[] = {target.offset, target.stride, target.row_major ? 1 : 0, target.file_bytes};
  comm_->broadcast(std::span<Index>(told), 0);
  const Index offset = told[0], stride = told[1];
  array.row_major = told[2] == 1;
  bytes_ = told[3];
  const Index line = (array.row_major ? array.cols : array.rows) * size_of(array.element);
  write_array(a, array, [&](Index at, std::span<const char> bytes) {
    if (stride == line || bytes.empty()) return file_.write(offset + at, bytes);
    for (Index done = 0; done < static_cast<Index>(bytes.size()); done += line)
      file_.write(offset + (at + done) / line * stride,
                  bytes.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(line)));
  });
}

template <Scalar T>
void MatrixOutput::write(const Matrix<T>& a, const WriteOptions& options) {
  const WriteAt write_at = [&](Index offset, std::span<const char> bytes) { file_.write(offset, bytes); };
  if (format_ == FileFormat::matrix_market) {
    bytes_ = matrix_market::write(a, write_at, options.symmetry, options.comment);
    return;
  }
  if (format_ == FileFormat::grm) {
    bytes_ = grm::write(a, write_at);
    ids_ = options.ids;
    return;
  }
  ArrayLayout array;
  array.element = element_type_of(options.type.value_or(scalar_type<T>));
  array.rows = a.rows();
  array.cols = a.cols();
  if (format_ == FileFormat::hdf5) return write_dataset(a, array, options);
  if (format_ == FileFormat::npy) {
    array.row_major = options.order == FileOrder::row;
    const std::string header = npy::write_header(array);
    agree(*comm_, [&] {
      if (comm_->rank() == 0) write_at(0, header);
    });
  }
  write_array(a, array, write_at, slab_budget, file_.path());
  bytes_ = total_bytes(array);
}

void MatrixOutput::commit() {
  file_.commit(bytes_);
  if (ids_.empty()) return;
  agree(*comm_, [&] {
    if (comm_->rank() != 0) return;
    std::error_code error, ignored;
    const std::string target = grm::id_path(file_.path()), temporary = target + ".part";
    if (std::filesystem::equivalent(ids_, target, ignored)) return;
    std::filesystem::copy_file(ids_, temporary, std::filesystem::copy_options::overwrite_existing, error);
    if (!error) std::filesystem::rename(temporary, target, error);
    if (!error) return;
    std::filesystem::remove(temporary, ignored);
    throw FileError(target + ": cannot be written: " + error.message());
  });
}

#define CYCLADE_MATRIX_FILE(T)                                      \
  template Index read_matrix<T>(const FileInfo&, const Matrix<T>&); \
  template void MatrixOutput::write<T>(const Matrix<T>&, const WriteOptions&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_MATRIX_FILE)

}  // namespace cyclade
