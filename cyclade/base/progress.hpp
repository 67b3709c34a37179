// How a long run tells how far it is. The algorithm reports finished work; the caller decides what to draw.
// No clock here: whoever draws has one (MPI_Wtime, handed in as a function), so nothing below it needs one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string_view>

namespace cyclade {

/// Called on every rank, from the thread that works: the name of the phase and the fraction done, in [0,1].
using Progress = std::function<void(std::string_view phase, double fraction)>;

/// Seconds since some fixed moment.
using Clock = std::function<double()>;

}  // namespace cyclade
