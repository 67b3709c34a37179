// A rectangle of a matrix, in global indices, half-open, anywhere: rows [i0,i1), columns [j0,j1).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cyclade/base/scalar.hpp"

namespace cyclade {

struct Window {
  Index i0 = 0, i1 = 0;
  Index j0 = 0, j1 = 0;

  constexpr Index rows() const { return i1 - i0; }
  constexpr Index cols() const { return j1 - j0; }
  constexpr bool empty() const { return i0 == i1 || j0 == j1; }
  constexpr bool operator==(const Window&) const = default;
};

/// "rows [i0,i1) x columns [j0,j1)", for messages.
inline std::string to_string(const Window& w) {
  return "rows [" + std::to_string(w.i0) + "," + std::to_string(w.i1) + ") x columns [" +
         std::to_string(w.j0) + "," + std::to_string(w.j1) + ")";
}

}  // namespace cyclade
