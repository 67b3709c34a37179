// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/output.hpp"

#include <fmt/format.h>

#include "cyclade/io/grm.hpp"

namespace cyclade::app {
namespace {

template <Scalar To, Scalar From>
void convert(const Matrix<From>& a, const Matrix<To>& b, const std::string& path) {
  const MatrixView<From> from = a.local();
  const MatrixView<To> to = b.local();
  for (Index j = 0; j < from.cols; ++j) {
    for (Index i = 0; i < from.rows; ++i) {
      const std::complex<double> x(from(i, j));
      if constexpr (is_complex<To>) {
        to(i, j) = To(static_cast<Real<To>>(x.real()), static_cast<Real<To>>(x.imag()));
      } else {
        if (x.imag() != 0)
          throw FileError(fmt::format(
              "{}: entry ({},{}) has an imaginary part, and real numbers are asked for; ask for complex ones",
              path, a.global_row(i), a.global_col(j)));
        to(i, j) = static_cast<To>(x.real());
      }
    }
  }
}

/// The diagonal on every rank.
template <Scalar T>
std::vector<T> diagonal_of(const Matrix<T>& a) {
  std::vector<T> diagonal(static_cast<std::size_t>(a.rows()), T(0));
  const Axis& rows = a.layout().rows;
  for (Index j = 0; j < a.local().cols; ++j) {
    const Index i = a.global_col(j);
    if (rows.owner(i) == a.grid().my_row())
      diagonal[static_cast<std::size_t>(i)] = a.local()(rows.to_local(i), j);
  }
  a.grid().all().all_reduce_sum(std::span(diagonal));
  return diagonal;
}

bool is_array(const std::string& path) { return path.ends_with(".npy") || hdf5::is_place(path); }

}  // namespace

std::vector<hdf5::Attribute> provenance(const std::string& input, const Report& report) {
  std::vector<hdf5::Attribute> attributes{{"cyclade_version", CYCLADE_VERSION},
                                          {"input", input},
                                          {"status", std::string(to_string(report.status))},
                                          {"method", std::string(to_string(report.method))},
                                          {"structure", std::string(to_string(report.structure))},
                                          {"norm1_a", report.norm1_a},
                                          {"norm1_x", report.norm1_x},
                                          {"cond1", report.cond1},
                                          {"growth", report.growth}};
  const auto add = [&](const char* name, double value) { attributes.emplace_back(name, value); };
  add("logabsdet", report.log_determinant.log_abs());
  add("sign_re", report.log_determinant.sign().real());
  add("sign_im", report.log_determinant.sign().imag());
  const Certificate& c = report.certificate;
  if (!c.taken) return attributes;
  attributes.emplace_back("digits", Index{c.digits});
  add("residual_left", c.left);
  add("residual_right", c.right);
  add("residual_bound", c.tolerance);
  add("confidence", c.confidence);
  return attributes;
}

void require_place_of_diagonal(const Program& program, const std::string& path) {
  if (!is_array(path)) return require_writable(program, path);
  const MatrixOutput probe(program.world, path);
}

template <Scalar T>
void write_diagonal(const Program& program, const std::string& path, const Matrix<T>& a,
                    const WriteOptions& options) {
  const std::vector<T> diagonal = diagonal_of(a);
  if (is_array(path)) {
    const Layout layout{a.layout().rows, {1, 1, a.grid().q()}};
    std::optional<Matrix<T>> column;
    agree(a.grid().all(), [&] { column.emplace(a.grid(), layout, a.device()); });
    fill_entries(*column, [&](Index i, Index) { return diagonal[static_cast<std::size_t>(i)]; });
    MatrixOutput output(a.grid().all(), path);
    write_as(output, path, *column, options);
    return output.commit();
  }
  std::string text;
  for (const T& x : diagonal)
    text += is_complex<T> ? fmt::format("{} {}\n", std::real(x), std::imag(x))
                          : fmt::format("{}\n", std::real(x));
  write_text(program, path, text);
}

template <Scalar T>
void write_as(MatrixOutput& output, const std::string& path, const Matrix<T>& a, WriteOptions options) {
  const FileFormat format = format_of(path);
  const bool as_it_is = format == FileFormat::matrix_market || format == FileFormat::grm;
  if (!as_it_is || options.type.value_or(scalar_type<T>) == scalar_type<T>) return output.write(a, options);
  with_scalar(*options.type, [&]<class To>() {
    std::optional<Matrix<To>> b;
    agree(a.grid().all(), [&] {
      b.emplace(a.grid(), a.layout(), a.device());
      convert(a, *b, path);
    });
    output.write(*b, options);
  });
}

std::string_view written_element(const std::string& path, ScalarType type) {
  return format_of(path) == FileFormat::grm ? to_string(ElementType::f4) : type_name(type);
}

std::string missing_ids_note(const std::string& path, const std::string& ids) {
  if (format_of(path) != FileFormat::grm || !ids.empty()) return "";
  return fmt::format(
      "{} is to be put beside {}, a line for each row: programs that read the one want the other",
      grm::id_path(path), path);
}

matrix_market::Symmetry symmetry_of_result(Structure structure, ScalarType type) {
  using matrix_market::Symmetry;
  const bool complex = type == ScalarType::c || type == ScalarType::z;
  if (structure == Structure::general) return Symmetry::general;
  return structure == Structure::symmetric || !complex ? Symmetry::symmetric : Symmetry::hermitian;
}

#define CYCLADE_WRITE_AS(T)                                                                     \
  template void write_as<T>(MatrixOutput&, const std::string&, const Matrix<T>&, WriteOptions); \
  template void write_diagonal<T>(const Program&, const std::string&, const Matrix<T>&, const WriteOptions&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_WRITE_AS)

}  // namespace cyclade::app
