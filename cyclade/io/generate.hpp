// The gallery: matrices given by a formula for their entries, so that every rank of any grid makes its own
// part of any order, and always the same matrix. Many have a known inverse, given by a formula too: anyone
// can check the inverter with them.
//
// Sources: N. J. Higham, Accuracy and Stability of Numerical Algorithms, ch. 28 and the Test Matrix Toolbox;
// L. V. Foster, SIAM J. Matrix Anal. Appl. 15 (1994); S. J. Wright, SIAM J. Sci. Comput. 14 (1993); M. Kac,
// W. Murdock, G. Szego (1953).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

/// A row of the table of names.
struct GalleryMatrix {
  std::string_view name;
  std::string_view what;  ///< one line: formula, and what it is good for
  bool complex_only = false;
  bool inverse_known = false;
};

/// All of them, in the order in which `cyclade generate --list` shows them.
const std::vector<GalleryMatrix>& gallery();

struct GenerateOptions {
  std::uint64_t seed = 1;  ///< of the random ones
  double condition = 100;  ///< of diagonal, rank_one and randsvd
  bool inverse = false;    ///< the inverse in place of the matrix
};

/// a := the matrix of that name and of the order of `a`. Local, no communication; O(n) memory and at most
/// O(n) work an entry (O(1) for all but pascal). Throws ArgumentError, equal on all ranks: an unknown name
/// (with the list), a real type for a complex matrix, an order that the matrix does not have, an inverse that
/// is not known.
template <Scalar T>
void generate(std::string_view name, const Matrix<T>& a, const GenerateOptions& options = {});

}  // namespace cyclade
