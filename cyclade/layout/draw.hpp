// The picture of a layout: the global matrix, coloured by owning process, beside the local array of each
// process. Small matrices are drawn entry by entry with their indices; large ones block by block, long runs
// of blocks cut short; many processes as a map of the grid with local sizes. The number of elements is
// bounded, whatever N and P.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cyclade/layout/describe.hpp"

namespace cyclade {

/// A stand-alone SVG document, at most a few hundred kilobytes: title, both pictures, legend. Of the question
/// it uses layout, order, title, and outlines index and window. Throws ArgumentError like describe.
std::string draw_svg(const LayoutQuestion& question);

/// The fill of process (r,c), "#rrggbb": light enough for dark text. Up to nine processes have colours that
/// also colour-blind readers tell apart; more are told apart by hue along the longer side of the grid (blue
/// to orange) and by shade along the shorter. Processes that hold the same, of a replicated dimension, have
/// one colour.
std::string process_colour(const Layout& layout, int r, int c);

}  // namespace cyclade
