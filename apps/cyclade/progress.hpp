// How far a long run is, on stderr of rank 0: a bar with the time left on a terminal, a line a minute in a
// log.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cyclade/program.hpp"
#include "cyclade/base/progress.hpp"

namespace cyclade::app {

/// To be handed to the library; silent on other ranks than 0. The clock is MPI_Wtime, or what a test gives.
Progress show_progress(const Program& program, Clock clock);

}  // namespace cyclade::app
