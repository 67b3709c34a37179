// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/planning.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "cyclade/certify/certificate.hpp"
#include "cyclade/inverse/gauss_jordan.hpp"

namespace cyclade::app {

Index most_local(const Axis& axis) {
  Index most = 0;
  for (int rank = 0; rank < axis.ranks; ++rank) most = std::max(most, axis.local_size(rank));
  return most;
}

MemoryPlan plan_memory(const Layout& layout, ScalarType type) {
  const Index order = layout.cols.size;
  const auto m = static_cast<double>(most_local(layout.rows)),
             n = static_cast<double>(most_local(layout.cols)), word = static_cast<double>(size_of(type));
  const auto b =
      static_cast<double>(std::min({layout.cols.block, default_panel_width<double>(order), order}));
  const auto k = static_cast<double>(type == ScalarType::c || type == ScalarType::z
                                         ? certificate_vectors<std::complex<double>>
                                         : certificate_vectors<double>);
  MemoryPlan plan;
  plan.matrix = m * n * word;
  plan.panels = (2 * b * (m + n) + 5 * b * b) * word;
  plan.certificate = (2 * k * static_cast<double>(order) + 4 * k * std::max(m, n)) * word;
  plan.permutation = std::min(0x1p26, 2 * m * n * word);
  return plan;
}

void require_memory(const Program& program, double bytes, const GridOptions& options) {
  if (const Index limit = options.memory_limit(); limit > 0) {
    require(
        bytes <= static_cast<double>(limit),
        fmt::format("{} a rank are needed, --memory allows {}; use more ranks (cyclade plan tells how many)",
                    in_bytes(bytes), in_bytes(static_cast<double>(limit))));
    return;
  }
  const double node =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double share = program.world.min(node / program.world.split_by_node().size());
  if (bytes <= share) return;
  throw MemoryError(
      fmt::format("{} a rank are needed, and a rank's share of its node is {}; use more ranks on more nodes "
                  "(cyclade plan tells how many), or say with --memory that a rank may use more",
                  in_bytes(bytes), in_bytes(share)));
}

}  // namespace cyclade::app
