// What must be in the environment before OpenBLAS is loaded. It starts its threads then, one for every core,
// also when several ranks share the node; and a release older than the processor falls back to its slowest
// kernels. So the program looks at both at its very start, sets the variables and starts itself again, once.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cyclade/mpi/communicator.hpp"

namespace cyclade::app {

/// Sets OPENBLAS_NUM_THREADS to the cores of the node divided by its ranks (or to the number after
/// --threads), and OPENBLAS_CORETYPE if this OpenBLAS does not know the processor; unless the user has set
/// them. Returns if there is nothing to set, otherwise does not return. CYCLADE_REEXEC=off in the environment
/// switches it off.
void prepare_environment(char** argv);

/// The number of BLAS threads again, now that MPI can tell who shares this node: the processors that this
/// rank's affinity allows, shared fairly with the other ranks that may use them. Left alone if the user's
/// environment says it. Returns the processors for each rank, below 1 where ranks share one. Collective.
double settle_threads(const Communicator& world);

/// Kernels chosen by prepare_environment in place of OpenBLAS's own choice; empty if it was left alone.
std::string chosen_kernels();

}  // namespace cyclade::app
