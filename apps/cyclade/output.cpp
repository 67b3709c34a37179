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

}  // namespace

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

#define CYCLADE_WRITE_AS(T) \
  template void write_as<T>(MatrixOutput&, const std::string&, const Matrix<T>&, WriteOptions);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_WRITE_AS)

}  // namespace cyclade::app
