// Files for C: what is in one, into a matrix, out of a matrix.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "cyclade/api/c_handles.hpp"
#include "cyclade/io/matrix_file.hpp"

using namespace cyclade;
using namespace cyclade::c;

namespace {

constexpr std::size_t first_options = offsetof(cyclade_write_options, comment) + sizeof(char*);

cyclade_write_options defaults() {
  cyclade_write_options o = {};
  o.size = sizeof o;
  return o;
}

std::string shape(Index rows, Index cols) { return std::to_string(rows) + "x" + std::to_string(cols); }

cyclade_write_options read_options(const cyclade_write_options* given, const char* function) {
  cyclade_write_options o = defaults();
  if (!given) return o;
  const std::string who = std::string(function) + ": options->";
  require_size(given->size, first_options, sizeof o, "cyclade_write: `options`",
               "cyclade_write_options_init");
  std::memcpy(&o, given, given->size);
  if (o.type != 0) to_scalar_type(o.type, (who + "type").c_str());
  require(o.order == 0 || o.order == CYCLADE_ROW_ORDER || o.order == CYCLADE_COLUMN_ORDER,
          who + "order must be CYCLADE_ROW_ORDER, CYCLADE_COLUMN_ORDER or 0, got " + std::to_string(o.order));
  require(o.symmetry == CYCLADE_GENERAL || o.symmetry == CYCLADE_SYMMETRIC || o.symmetry == CYCLADE_HERMITIAN,
          who + "symmetry must be CYCLADE_GENERAL, CYCLADE_SYMMETRIC or CYCLADE_HERMITIAN, got " +
              std::to_string(o.symmetry));
  return o;
}

WriteOptions to_options(const cyclade_write_options& o) {
  WriteOptions options;
  if (o.type != 0) options.type = static_cast<ScalarType>(o.type);
  if (o.order == CYCLADE_ROW_ORDER) options.order = FileOrder::row;
  if (o.order == CYCLADE_COLUMN_ORDER) options.order = FileOrder::column;
  if (o.symmetry == CYCLADE_SYMMETRIC) options.symmetry = matrix_market::Symmetry::symmetric;
  if (o.symmetry == CYCLADE_HERMITIAN) options.symmetry = matrix_market::Symmetry::hermitian;
  if (o.comment) options.comment = o.comment;
  return options;
}

template <Scalar T>
void read_into(const Matrix<T>& a, const char* path) {
  const Communicator& comm = a.grid().all();
  FileOptions options;
  if (format_of(path) == FileFormat::bin) {
    require(a.rows() == a.cols(),
            "cyclade_read: a .bin file holds a square matrix, this one is " + shape(a.rows(), a.cols()));
    options.n = a.rows();
    options.type = scalar_type<T>;
  }
  const FileInfo info = inspect(comm, path, options);
  require(info.rows == a.rows() && info.cols == a.cols(), std::string(path) + " holds " +
                                                              shape(info.rows, info.cols) +
                                                              ", the matrix is " + shape(a.rows(), a.cols()));
  read_matrix(info, a);
}

}  // namespace

void cyclade_write_options_defaults(cyclade_write_options* options, size_t size) {
  if (!options) return;
  cyclade_write_options o = defaults();
  o.size = size;
  std::memcpy(options, &o, std::min(size, sizeof o));
}

cyclade_status cyclade_inspect(const cyclade_grid* grid, const char* path, cyclade_file_info* info) {
  constexpr const char* function = "cyclade_inspect";
  return guarded([&] {
    const Communicator& comm = checked(grid, function).grid->parent();
    in_agreement(comm, function, [&] {
      require_pointer(path, function, "path");
      require_pointer(info, function, "info");
      require(format_of(path) != FileFormat::bin,
              std::string(path) + ": a .bin file does not say how large its matrix is");
      return std::vector<Alike>{};
    });
    const FileInfo found = inspect(comm, path);
    *info = {found.rows, found.cols, static_cast<int>(found.type)};
    return CYCLADE_OK;
  });
}

cyclade_status cyclade_read(cyclade_matrix* a, const char* path) {
  constexpr const char* function = "cyclade_read";
  return guarded([&] {
    const cyclade_matrix& handle = checked(a, function, "a");
    in_agreement_inside(*handle.grid, function, [&] {
      require_pointer(path, function, "path");
      format_of(path);
      return std::vector<Alike>{};
    });
    if (!handle.grid->inside()) return CYCLADE_OK;
    std::visit([&](const auto& m) { read_into(m, path); }, *handle.matrix);
    return CYCLADE_OK;
  });
}

cyclade_status cyclade_write(const cyclade_matrix* a, const char* path,
                             const cyclade_write_options* options) {
  constexpr const char* function = "cyclade_write";
  return guarded([&] {
    const cyclade_matrix& handle = checked(a, function, "a");
    cyclade_write_options o = {};
    in_agreement_inside(*handle.grid, function, [&] {
      require_pointer(path, function, "path");
      format_of(path);
      o = read_options(options, function);
      return std::vector<Alike>{
          {"options->type", o.type}, {"options->order", o.order}, {"options->symmetry", o.symmetry}};
    });
    if (!handle.grid->inside()) return CYCLADE_OK;
    MatrixOutput output(handle.grid->all(), path);
    std::visit([&](const auto& m) { output.write(m, to_options(o)); }, *handle.matrix);
    output.commit();
    return CYCLADE_OK;
  });
}
