// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/triangle.hpp"

#include "cyclade/certify/norm.hpp"

namespace cyclade {

template <Scalar T>
void require_mirrored(const Matrix<T>& a, Symmetry symmetry, double unit, const std::string& format) {
  const auto bad = first_asymmetry(a, symmetry, 100 * unit * size_of(a).largest);
  if (!bad) return;
  const std::string i = std::to_string(bad->first), j = std::to_string(bad->second);
  const std::string fault = i == j ? "the diagonal entry (" + i + "," + i + ") contradicts that"
                                   : "entries (" + i + "," + j + ") and (" + j + "," + i + ") do not match";
  throw ArgumentError("write: " + format + " keeps one triangle for the whole matrix, but " + fault +
                      "; write it as a general matrix");
}

#define CYCLADE_TRIANGLE(T) \
  template void require_mirrored<T>(const Matrix<T>&, Symmetry, double, const std::string&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_TRIANGLE)

}  // namespace cyclade
