// The charge on the cube as a picture: three faces in isometric view, coloured by density, as SVG.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "examples/cube.hpp"

/// What came out with m panels along an edge.
struct Refinement {
  cyclade::Index m;
  double capacitance;
};

/// `density` by panel of `cube`; the refinements from coarse to fine, the last one that of `cube`; and the
/// capacitance that they should reach.
std::string draw_cube(const Cube& cube, const std::vector<double>& density,
                      const std::vector<Refinement>& refinements, double literature);
