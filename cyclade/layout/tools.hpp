// The index routines that every program with block-cyclic data calls, under the names their users know, as
// 64-bit constexpr functions on Axis. Each library has its own conventions (from 0 or 1; the owner's local
// index or the next one here; what source -1 means), so each has its own namespace, and each function names
// its trap.
//
//   cyclade::scalapack   numroc npreroc indxg2l indxg2p indxl2g infog1l infog2l iceil ilcm     (TOOLS, from
//   1) cyclade::pblas       numroc indxg2p indxl2g infog2l g2lrem ainfog2l firstnb lastnb ...     (PTOOLS,
//   from 0) cyclade::hpl         indxg2l indxg2lp indxg2p indxl2g numroc numrocI infog2l (pauxil, from 0)
//   cyclade::lattice     BlockCyclicLayout                                                     (Grid, from 0)
//
// Descriptors, descinit and the argument checks are in layout/descriptor.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/layout/tools_grid.hpp"
#include "cyclade/layout/tools_hpl.hpp"
#include "cyclade/layout/tools_pblas.hpp"
#include "cyclade/layout/tools_scalapack.hpp"
