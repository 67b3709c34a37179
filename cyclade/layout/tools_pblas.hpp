// The index routines of the PBLAS (PTOOLS, PB_C*, and the macros M* of the same names) under their own names:
// indices from 0, an explicit first block (inb, imb), arguments in the originals' order. A source of -1 is a
// replicated dimension: then, and with one process, the local index is the global one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>

#include "cyclade/layout/descriptor.hpp"

namespace cyclade::pblas {

/// The dealing that (INB, NB, SRCPROC, NPROCS) means, of an unbounded dimension.
constexpr Axis dealing(Index inb, Index nb, int srcproc, int nprocs) { return {0, nb, nprocs, srcproc, inb}; }

/// PB_Cnumroc: how many of the n indices from i on process `proc` holds.
/// Trap: unlike ScaLAPACK's NUMROC the range starts at any i, and source -1 (replicated) gives n.
constexpr Index numroc(Index n, Index i, Index inb, Index nb, int proc, int srcproc, int nprocs) {
  return dealing(inb, nb, srcproc, nprocs).to_local(i, i + n, proc).size();
}

/// PB_Cindxg2p: the process that owns global index `ig`.
/// Trap: -1 for a replicated dimension: "everyone", not an error. `proc` is unused.
constexpr int indxg2p(Index ig, Index inb, Index nb, int /*proc*/, int srcproc, int nprocs) {
  return nprocs == 1 ? srcproc : dealing(inb, nb, srcproc, nprocs).owner(ig);
}

/// Mindxl2g: the global index of local index `il` on process `proc`.
/// Trap: no bound is known, so an index past the local count gives one past the end.
constexpr Index indxl2g(Index il, Index inb, Index nb, int proc, int srcproc, int nprocs) {
  return dealing(inb, nb, srcproc, nprocs).to_global(il, proc);
}

/// PB_Cg2lrem: where on process `myproc` the indices >= ig begin: infog2l in one dimension, without the
/// owner. Trap: the local index on the owner, the NEXT local index elsewhere; its manual says srcproc is
/// ignored: it is not.
constexpr Index g2lrem(Index ig, Index inb, Index nb, int myproc, int srcproc, int nprocs) {
  return dealing(inb, nb, srcproc, nprocs).count_before(ig, myproc);
}

/// What infog2l returns, in its order.
struct Infog2l {
  Index ii, jj;
  int prow, pcol;
  constexpr bool operator==(const Infog2l&) const = default;
};

/// PB_Cinfog2l: owner of (i,j), and where rows >= i and columns >= j begin on process (myrow, mycol).
/// Trap: ii, jj are the NEXT local indices where the entry is not owned; prow (pcol) is -1 where replicated.
template <DescriptorInteger I>
constexpr Infog2l infog2l(Index i, Index j, const I* desc, int nprow, int npcol, int myrow, int mycol) {
  const auto rsrc = static_cast<int>(desc[desc11::rsrc]), csrc = static_cast<int>(desc[desc11::csrc]);
  const Index imb = desc[desc11::imb], mb = desc[desc11::mb], inb = desc[desc11::inb], nb = desc[desc11::nb];
  return {g2lrem(i, imb, mb, myrow, rsrc, nprow), g2lrem(j, inb, nb, mycol, csrc, npcol),
          indxg2p(i, imb, mb, myrow, rsrc, nprow), indxg2p(j, inb, nb, mycol, csrc, npcol)};
}

/// PB_Cfirstnb: size of the first block, or part of one, of the n indices from i on.
/// Trap: 0 when n is 0, though a block has at least one entry.
constexpr Index firstnb(Index n, Index i, Index inb, Index nb) {
  const Axis axis{i + n, nb, 1, 0, inb};
  return n == 0 ? 0 : axis.block_end(i) - i;
}

/// PB_Clastnb: size of the last block, or part of one, of the n indices from i on.
/// Trap: it is firstnb, not nb, when the range lies in one block; 0 when n is 0.
constexpr Index lastnb(Index n, Index i, Index inb, Index nb) {
  if (n == 0) return 0;
  const Axis axis{i + n, nb, 1, 0, inb};
  const Index last = axis.block_of(i + n - 1);
  return i + n - std::max(i, last == 0 ? 0 : axis.first() + (last - 1) * nb);
}

/// PB_Cspan: does the range touch more than one process? 1 or 0, an int as in the original.
/// Trap: two blocks are always two processes, so only replicated or one process make a long range 0.
constexpr int span(Index n, Index i, Index inb, Index nb, int srcproc, int nprocs) {
  const Axis axis = dealing(inb, nb, srcproc, nprocs);
  return !axis.whole() && n > 0 && axis.block_of(i) != axis.block_of(i + n - 1) ? 1 : 0;
}

/// PB_Cnpreroc: how many of the n indices from i on the processes before `proc` hold, from the owner of i on.
/// Trap: "before" starts at the owner of i, not at srcproc; 0 where replicated or one process. O(1).
constexpr Index npreroc(Index n, Index i, Index inb, Index nb, int proc, int srcproc, int nprocs) {
  const Axis axis = dealing(inb, nb, srcproc, nprocs);
  if (axis.whole() || n == 0) return 0;
  const Index first = firstnb(n, i, inb, nb);
  const Index before = (proc - axis.owner(i) + nprocs) % nprocs;
  if (before == 0) return 0;
  const Index full = (n - first) / nb, rounds = full / nprocs,
              rest = full % nprocs;  // blocks after the first
  const Index part = (n - first) % nb;
  // Block k = 1, 2, ... lies at distance k mod nprocs; distance 0 holds the first block and k = nprocs, 2
  // nprocs, ...
  return first + (rounds * before + std::min(rest, before - 1)) * nb +
         ((rest + 1) % nprocs < before ? part : 0);
}

/// PB_Cnnxtroc: how many of the n indices from i on the processes after `proc` hold: n = npreroc + numroc +
/// nnxtroc. Trap: as npreroc.
constexpr Index nnxtroc(Index n, Index i, Index inb, Index nb, int proc, int srcproc, int nprocs) {
  if (dealing(inb, nb, srcproc, nprocs).whole()) return 0;
  return n - npreroc(n, i, inb, nb, proc, srcproc, nprocs) - numroc(n, i, inb, nb, proc, srcproc, nprocs);
}

/// PB_Cgcd: the greatest common divisor. Trap: of 0 and n it is n.
constexpr Index gcd(Index m, Index n) { return std::gcd(m, n); }

/// PB_Clcm: the least common multiple. Trap: the original multiplies before it divides; here 0 where one is
/// 0.
constexpr Index lcm(Index m, Index n) { return m == 0 || n == 0 ? 0 : m / std::gcd(m, n) * n; }

/// What ainfog2l returns, in its order.
struct Ainfog2l {
  Index imb1, inb1, mp, nq, ii, jj;
  int prow, pcol, rprow, rpcol;
  constexpr bool operator==(const Ainfog2l&) const = default;
};

/// PB_Cainfog2l: all of the m x n window at (i,j): first blocks, local counts, local starts, owner of its
/// first entry. Trap: (rprow, rpcol) is MY position seen from that owner; its manual says -1 where
/// replicated, it is 0.
template <DescriptorInteger I>
constexpr Ainfog2l ainfog2l(Index m, Index n, Index i, Index j, const I* desc, int nprow, int npcol,
                            int myrow, int mycol) {
  const Infog2l at = infog2l(i, j, desc, nprow, npcol, myrow, mycol);
  const auto rsrc = static_cast<int>(desc[desc11::rsrc]), csrc = static_cast<int>(desc[desc11::csrc]);
  const Index imb = desc[desc11::imb], mb = desc[desc11::mb], inb = desc[desc11::inb], nb = desc[desc11::nb];
  const auto seen_from = [](int me, int owner, int nprocs) {
    return owner == replicated || nprocs == 1 ? 0 : (me - owner + nprocs) % nprocs;
  };
  return {firstnb(m, i, imb, mb),
          firstnb(n, j, inb, nb),
          numroc(m, i, imb, mb, myrow, rsrc, nprow),
          numroc(n, j, inb, nb, mycol, csrc, npcol),
          at.ii,
          at.jj,
          at.prow,
          at.pcol,
          seen_from(myrow, at.prow, nprow),
          seen_from(mycol, at.pcol, npcol)};
}

/// What describe returns, in its order; `da0` is the descriptor of the window alone.
template <DescriptorInteger I>
struct Described {
  Index ii, jj, lda, imb, inb, mb, nb;
  int prow, pcol;
  std::array<I, 11> da0;
};

/// PB_Cdescribe: the m x n window at (ia,ja) as a matrix of its own, with first blocks, on the same storage.
/// Trap: the storage of the window begins at local (ii, jj), not at (0, 0).
template <DescriptorInteger I>
constexpr Described<I> describe(Index m, Index n, Index ia, Index ja, const I* da, int nprow, int npcol,
                                int myrow, int mycol) {
  const Infog2l at = infog2l(ia, ja, da, nprow, npcol, myrow, mycol);
  const I mb = da[desc11::mb], nb = da[desc11::nb], lld = da[desc11::lld];
  const auto imb = static_cast<I>(firstnb(m, ia, da[desc11::imb], mb));
  const auto inb = static_cast<I>(firstnb(n, ja, da[desc11::inb], nb));
  Described<I> out{at.ii, at.jj, lld, imb, inb, mb, nb, at.prow, at.pcol, {}};
  descset<I>(out.da0.data(), static_cast<I>(m), static_cast<I>(n), imb, inb, mb, nb, static_cast<I>(at.prow),
             static_cast<I>(at.pcol), da[desc11::ctxt], lld);
  return out;
}

/// What binfo returns, in its order.
struct Binfo {
  Index lcmt00, mblks, nblks, imbloc, inbloc, lmbloc, lnbloc, ilow, low, iupp, upp;
  constexpr bool operator==(const Binfo&) const = default;
};

/// The local blocks of one dimension: how many, and the sizes of the first and the last. n > 0.
struct LocalBlocks {
  Index count, first, last;
};
/// Of n local indices on the process at distance `relative` from the owner of the first block (of size
/// first1).
constexpr LocalBlocks local_blocks(Index n, Index first1, Index nb, int relative) {
  const auto tail = [nb](Index k) { return k % nb == 0 ? nb : k % nb; };
  if (relative != 0) return {(n - 1) / nb + 1, std::min(n, nb), tail(n)};
  const Index rest = n - first1;
  return rest == 0 ? LocalBlocks{1, first1, first1} : LocalBlocks{(rest - 1) / nb + 2, first1, tail(rest)};
}

/// PB_Cbinfo: where the diagonal i - j = offd crosses the blocks of the m x n LOCAL array of relative process
/// (mrrow, mrcol): block counts and sizes, lcmt00 of its first block, and the bounds that say "crosses".
/// Trap: m, n are local counts; a positive offd lies below the main diagonal; an empty array has other
/// bounds.
constexpr Binfo binfo(Index offd, Index m, Index n, Index imb1, Index inb1, Index mb, Index nb, int mrrow,
                      int mrcol) {
  Binfo out{};
  out.low = 1 - nb;
  out.upp = mb - 1;
  out.iupp = mrrow != 0 ? mb - 1 : std::max<Index>(imb1 - 1, 0);
  out.ilow = mrcol != 0 ? 1 - nb : std::min<Index>(1 - inb1, 0);
  if (m <= 0 || n <= 0) {
    out.lcmt00 = offd + (out.low - out.ilow + mrcol * nb) - (out.iupp - out.upp + mrrow * mb);
    return out;
  }
  const LocalBlocks rows = local_blocks(m, imb1, mb, mrrow), cols = local_blocks(n, inb1, nb, mrcol);
  const Index top = mrrow != 0 ? imb1 - mb + mrrow * mb : 0;   // rows of the window above my first block
  const Index left = mrcol != 0 ? inb1 - nb + mrcol * nb : 0;  // columns of the window left of it
  out.lcmt00 = offd - top + left;
  out.mblks = rows.count;
  out.nblks = cols.count;
  out.imbloc = rows.first;
  out.inbloc = cols.first;
  out.lmbloc = rows.last;
  out.lnbloc = cols.last;
  return out;
}

}  // namespace cyclade::pblas
