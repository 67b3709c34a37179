// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/session.hpp"

#include "cyclade/mpi/communicator.hpp"

namespace cyclade {

Session::Session(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
}

Session::~Session() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Finalize();
}

double now() { return MPI_Wtime(); }

}  // namespace cyclade
