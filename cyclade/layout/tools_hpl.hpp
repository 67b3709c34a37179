// The index routines of HPL (pauxil) under their own names: indices from 0, an explicit first block, a source
// of -1 is a replicated dimension. They are the PBLAS's, with scalars in place of a descriptor, except for
// one quirk: indxg2l and indxg2lp give the OWNER's local index on every process.
//
//   INB = NB = 2, two processes, IG = 3 (on process 1):   indxg2l 1 everywhere;   infog2l 2 on process 0, 1
//   on 1
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/layout/tools_pblas.hpp"

namespace cyclade::hpl {

/// HPL_indxg2l: the local index of global index `ig` on its owner.
/// Trap: the OWNER's on every process; where a loop starts on this process is infog2l's answer.
constexpr Index indxg2l(Index ig, Index inb, Index nb, int srcproc, int nprocs) {
  return pblas::dealing(inb, nb, srcproc, nprocs).to_local(ig);
}

/// HPL_indxg2p: the process that owns global index `ig`. Trap: -1 where replicated.
constexpr int indxg2p(Index ig, Index inb, Index nb, int srcproc, int nprocs) {
  return pblas::indxg2p(ig, inb, nb, 0, srcproc, nprocs);
}

/// What indxg2lp returns, in its order.
struct Indxg2lp {
  Index il;
  int proc;
  constexpr bool operator==(const Indxg2lp&) const = default;
};

/// HPL_indxg2lp: indxg2l and indxg2p at once.
/// Trap: as indxg2l; and proc is -1 where replicated, though its manual says at least zero.
constexpr Indxg2lp indxg2lp(Index ig, Index inb, Index nb, int srcproc, int nprocs) {
  return {indxg2l(ig, inb, nb, srcproc, nprocs), indxg2p(ig, inb, nb, srcproc, nprocs)};
}

/// HPL_indxl2g: the global index of local index `il` on process `proc`.
/// Trap: no bound is known, so an index past the local count gives one past the end.
constexpr Index indxl2g(Index il, Index inb, Index nb, int proc, int srcproc, int nprocs) {
  return pblas::indxl2g(il, inb, nb, proc, srcproc, nprocs);
}

/// HPL_numroc: how many of n indices process `proc` holds. Trap: no start; numrocI has one.
constexpr Index numroc(Index n, Index inb, Index nb, int proc, int srcproc, int nprocs) {
  return pblas::numroc(n, 0, inb, nb, proc, srcproc, nprocs);
}

/// HPL_numrocI: how many of the n indices from i on process `proc` holds. Trap: n is a length, not an end.
constexpr Index numrocI(Index n, Index i, Index inb, Index nb, int proc, int srcproc, int nprocs) {
  return pblas::numroc(n, i, inb, nb, proc, srcproc, nprocs);
}

/// HPL_infog2l: PB_Cinfog2l with scalars. Trap: (ii, jj) is the NEXT local index where the entry is not
/// owned, and the process's place comes before the grid's shape.
constexpr pblas::Infog2l infog2l(Index i, Index j, Index imb, Index mb, Index inb, Index nb, int rsrc,
                                 int csrc, int myrow, int mycol, int nprow, int npcol) {
  return {pblas::g2lrem(i, imb, mb, myrow, rsrc, nprow), pblas::g2lrem(j, inb, nb, mycol, csrc, npcol),
          indxg2p(i, imb, mb, rsrc, nprow), indxg2p(j, inb, nb, csrc, npcol)};
}

}  // namespace cyclade::hpl
