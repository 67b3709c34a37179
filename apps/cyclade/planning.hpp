// What an inversion needs of a rank's memory, before it runs: for `plan`, and to refuse what cannot fit
// before the system ends the program.
//
//   matrix  m n          panels  2 b (m + n) + 5 b^2, b columns a step          (m x n: the largest local
//   part) and the larger of    certificate  k (2 N + 4 max(m, n)), k = 10 or 6        permutation  its budget
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cyclade/program.hpp"

namespace cyclade::app {

/// Bytes of the rank with the most. Doubles: no size overflows them.
struct MemoryPlan {
  double matrix = 0, panels = 0, certificate = 0, permutation = 0;
  double total() const { return matrix + panels + std::max(certificate, permutation); }
};

MemoryPlan plan_memory(const Layout& layout, ScalarType type);

/// The largest local extent.
Index most_local(const Axis& axis);

/// Throws unless `bytes` a rank fit: into --memory (ArgumentError), or without it into this rank's share of
/// the node's memory (MemoryError). Collective over the world.
void require_memory(const Program& program, double bytes, const GridOptions& options);

}  // namespace cyclade::app
