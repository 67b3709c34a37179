// The index routines of ScaLAPACK TOOLS under their own names: 1-based indices, processes from 0, no first
// block size, arguments in the originals' order. 64-bit throughout: nothing overflows unless the result does.
// There is no replication here: a source of -1 is taken around the ring and means process nprocs-1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>

#include "cyclade/layout/descriptor.hpp"

namespace cyclade::scalapack {

/// The dealing that (NB, ISRCPROC, NPROCS) means, of an unbounded dimension.
constexpr Axis dealing(Index nb, int isrcproc, int nprocs) {
  return {0, nb, nprocs, (isrcproc + nprocs) % nprocs};
}

/// NUMROC: how many of n indices process `iproc` holds.
/// Trap: source -1 does not mean replicated, but process nprocs-1.
constexpr Index numroc(Index n, Index nb, int iproc, int isrcproc, int nprocs) {
  return dealing(nb, isrcproc, nprocs).count_before(n, iproc);
}

/// NPREROC: how many of n indices the processes before `iproc` hold, counted from the source: NUMROC's prefix
/// sum. Trap: "before" is around the ring from the source, not by process number. O(1).
constexpr Index npreroc(Index n, Index nb, int iproc, int isrcproc, int nprocs) {
  const Axis axis = dealing(nb, isrcproc, nprocs);
  const Index before = axis.distance(iproc);  // processes between the source and me
  const Index full = n / nb, rounds = full / nprocs, rest = full % nprocs;
  return (rounds * before + std::min(rest, before)) * nb + (before > rest ? n % nb : 0);
}

/// INDXG2L: the local index of global index `indxglob` on its owner.
/// Trap: the OWNER's index on every process; for where a loop starts here, use infog1l. iproc, isrcproc
/// unused.
constexpr Index indxg2l(Index indxglob, Index nb, int /*iproc*/, int /*isrcproc*/, int nprocs) {
  return Axis{0, nb, nprocs}.to_local(indxglob - 1) + 1;
}

/// INDXG2P: the process that owns global index `indxglob`.
/// Trap: with source -1 it answers -1 for the first block alone, then counts on as from process nprocs-1.
/// iproc unused.
constexpr int indxg2p(Index indxglob, Index nb, int /*iproc*/, int isrcproc, int nprocs) {
  return static_cast<int>((isrcproc + (indxglob - 1) / nb) % nprocs);
}

/// INDXL2G: the global index of local index `indxloc` on process `iproc`.
/// Trap: no bound is known, so an index past NUMROC gives one past N.
constexpr Index indxl2g(Index indxloc, Index nb, int iproc, int isrcproc, int nprocs) {
  return dealing(nb, isrcproc, nprocs).to_global(indxloc - 1, iproc) + 1;
}

/// What infog1l returns, in its order.
struct Infog1l {
  Index lindx;
  int rocsrc;
  constexpr bool operator==(const Infog1l&) const = default;
};

/// INFOG1L: the owner of `gindx`, and where on process `myroc` the indices >= gindx begin.
/// Trap: lindx is the local index on the owner, the NEXT local index elsewhere, which may be NUMROC+1.
constexpr Infog1l infog1l(Index gindx, Index nb, int nprocs, int myroc, int isrcproc) {
  return {dealing(nb, isrcproc, nprocs).count_before(gindx - 1, myroc) + 1,
          indxg2p(gindx, nb, myroc, isrcproc, nprocs)};
}

/// What infog2l returns, in its order.
struct Infog2l {
  Index lrindx, lcindx;
  int rsrc, csrc;
  constexpr bool operator==(const Infog2l&) const = default;
};

/// INFOG2L: infog1l in both dimensions, of a 9-entry descriptor.
/// Trap: as infog1l; the two processes are coordinates of the grid, not ranks.
template <DescriptorInteger I>
constexpr Infog2l infog2l(Index grindx, Index gcindx, const I* desc, int nprow, int npcol, int myrow,
                          int mycol) {
  const Infog1l row = infog1l(grindx, desc[desc9::mb], nprow, myrow, static_cast<int>(desc[desc9::rsrc]));
  const Infog1l col = infog1l(gcindx, desc[desc9::nb], npcol, mycol, static_cast<int>(desc[desc9::csrc]));
  return {row.lindx, col.lindx, row.rocsrc, col.rocsrc};
}

/// ICEIL: the smallest integer >= inum / idenom.
/// Trap: both must be positive or inum zero. The original adds inum + idenom first, which overflows near the
/// end.
constexpr Index iceil(Index inum, Index idenom) { return inum / idenom + (inum % idenom > 0 ? 1 : 0); }

/// ILCM: the least common multiple.
/// Trap: the original multiplies before it divides (overflow), and divides by zero where an argument is 0;
/// here 0.
constexpr Index ilcm(Index m, Index n) { return m == 0 || n == 0 ? 0 : m / std::gcd(m, n) * n; }

}  // namespace cyclade::scalapack
