// The layout of the Grid library's 2-D dense inverse under its own names: a square matrix of order N, one
// block size, the first block on process (0,0), ranks row by row over a Pr x Pc grid, local column-major
// storage with leading dimension mloc. Indices from 0, and what the original returns through references comes
// back as a value.
//
//   rank = p*Pc + q      entry (gi,gj) on  (gi/nb mod Pr, gj/nb mod Pc)
//
// The short last block belongs to the process after the owner of the last whole block, as in every
// block-cyclic layout (a comment in the original says otherwise; its code does not).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/base/error.hpp"
#include "cyclade/layout/layout.hpp"

namespace cyclade::lattice {

/// A process coordinate and a local index.
struct Located {
  int owner;
  Index loc;
  constexpr bool operator==(const Located&) const = default;
};

/// Rows and columns of a process grid.
struct ProcessGrid {
  int Pr;
  int Pc;
  constexpr bool operator==(const ProcessGrid&) const = default;
};

/// Which side of the grid is the longer one: the original's earlier version had Pr <= Pc, a later one Pr >=
/// Pc.
enum class Longer { columns, rows };

class BlockCyclicLayout {
 public:
  /// The exact factorisation of P closest to a square; 288 -> 16 x 18, or 18 x 16 with Longer::rows.
  /// Trap: of a prime number it is 1 x P.
  static constexpr ProcessGrid ChooseProcessGrid(int P, Longer longer = Longer::columns) {
    must(P >= 1, "ChooseProcessGrid: needs at least one process");
    int small = 1;
    for (int r = 1; r <= P / r; ++r)
      if (P % r == 0) small = r;
    return longer == Longer::columns ? ProcessGrid{small, P / small} : ProcessGrid{P / small, small};
  }

  /// How many of N indices process p of Pg holds. Trap: any N counts, also one inside the matrix.
  static constexpr Index NumLocal(Index N, Index nb, int p, int Pg) { return Axis{N, nb, Pg}.local_size(p); }

  /// Owner and local index of global index g. Trap: the local index is the OWNER's.
  static constexpr Located GlobalToLocal(Index g, Index nb, int Pg) {
    const Axis axis{0, nb, Pg};
    return {axis.owner(g), axis.to_local(g)};
  }

  /// Global index of local index l on process p. Trap: no bound is known: l past NumLocal gives one past N.
  static constexpr Index LocalToGlobal(Index l, Index nb, int p, int Pg) {
    return Axis{0, nb, Pg}.to_global(l, p);
  }

  /// What process p holds of the global range [g0,g1), as a local range.
  /// The original wants both ends on block borders and asserts; any 0 <= g0 <= g1 <= N is right here.
  static constexpr Range RangeToLocal(Index g0, Index g1, Index N, Index nb, int p, int Pg) {
    return Axis{N, nb, Pg}.to_local(g0, g1, p);
  }

  /// The view of one rank. Throws ArgumentError unless N >= 0, nb >= 1, Pr >= 1, Pc >= 1 and 0 <= me < Pr*Pc.
  constexpr BlockCyclicLayout(Index N_, Index nb_, int Pr_, int Pc_, int me_)
      : N(N_), nb(nb_), Pr(Pr_), Pc(Pc_), me(me_) {
    must(N >= 0, "BlockCyclicLayout: N must be 0 or more");
    must(nb >= 1, "BlockCyclicLayout: nb must be 1 or more");
    must(Pr >= 1 && Pc >= 1, "BlockCyclicLayout: Pr and Pc must be 1 or more");
    must(me >= 0 && me < Index{Pr} * Pc, "BlockCyclicLayout: the rank must lie in [0, Pr*Pc)");
    prow = me / Pc;
    pcol = me % Pc;
    mloc = rows().local_size(prow);
    nloc = cols().local_size(pcol);
  }

  /// Rank that owns entry (gi,gj). Trap: a rank, row by row, not a coordinate.
  constexpr int OwnerRank(Index gi, Index gj) const { return rows().owner(gi) * Pc + cols().owner(gj); }
  /// Does this rank own it?
  constexpr bool Owns(Index gi, Index gj) const { return OwnerRank(gi, gj) == me; }

  /// Where this rank stores entry (gi,gj): li + lj*mloc. Throws ArgumentError unless it owns the entry.
  constexpr Index LocalOffset(Index gi, Index gj) const {
    must(Owns(gi, gj), "LocalOffset: this rank does not own the entry");
    return rows().to_local(gi) + cols().to_local(gj) * mloc;
  }

  /// What this rank holds of the global rows (columns) [g0,g1), as a local range; any range, empty at the end
  /// too.
  constexpr Range RowRange(Index g0, Index g1) const { return rows().to_local(g0, g1, prow); }
  constexpr Range ColRange(Index g0, Index g1) const { return cols().to_local(g0, g1, pcol); }

  /// Size of global block b. Throws ArgumentError where there is no such block. Trap: the last may be short.
  constexpr Index BlockSize(Index b) const {
    must(b >= 0 && b < rows().blocks(), "BlockSize: there is no such block");
    return rows().block_end(b * nb) - b * nb;
  }

  /// The same layout in Cyclade's words.
  constexpr Layout layout() const { return {rows(), cols()}; }

  Index N;           ///< order of the matrix
  Index nb;          ///< block size
  int Pr, Pc;        ///< process grid
  int me;            ///< this rank
  int prow, pcol;    ///< its place in the grid
  Index mloc, nloc;  ///< its local extents; the leading dimension is mloc

 private:
  /// `require` for constant expressions.
  static constexpr void must(bool ok, const char* what) {
    if (!ok) throw ArgumentError(what);
  }
  constexpr Axis rows() const { return {N, nb, Pr}; }
  constexpr Axis cols() const { return {N, nb, Pc}; }
};

}  // namespace cyclade::lattice
