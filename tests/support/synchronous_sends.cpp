// MPI that buffers nothing: linked into a test, every send waits until its receive has begun, as messages
// above the eager limit do. What relies on buffering hangs, at any message size.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Ssend(data, count, type, to, tag, comm);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}

}  // extern "C"
