// MPI from first to last: initialises on construction, finalises on destruction. For programs that own MPI;
// a library inside somebody else's MPI program needs no Session. MPI_THREAD_FUNNELED is asked for; SINGLE
// will do.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace cyclade {

class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// MPI_COMM_WORLD: the communicator that the launcher gave to the program.
  MPI_Comm world() const { return MPI_COMM_WORLD; }
};

/// Seconds since some fixed moment (MPI_Wtime): the only clock.
double now();

}  // namespace cyclade
