// What a recursive Schur complement inversion tells of its course: how safe it was to leave pivoting to the
// blocks, and where its time went. One struct for both layouts (schur, schur_rows), equal on all ranks.
//
//   node [begin,end), split at middle:   [A11 A12]   B = A11^-1 A12     ||B||_F large: a leading block is
//                                        [A21 A22]   S = A22 - A21 B    small; ||S||_F >> ||A22||_F: growth
//
// ||B|| alone is no sign of failure: it is about sqrt(kappa) for positive definite matrices, whose inverses
// are right all the same. The names are those of Grid's RecursiveSchurInverse (P. Boyle et al.).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cyclade/layout/axis.hpp"
#include "cyclade/mpi/communicator.hpp"
#include "cyclade/multiply/telemetry.hpp"

namespace cyclade {

/// The smallest and the largest figure of the ranks.
struct OverRanks {
  double min = 0;
  double max = 0;
};

/// One split of the recursion, at depth 0 the whole matrix.
struct RecursionNode {
  Range range;       ///< global rows and columns
  Index middle = 0;  ///< A11 is [begin, middle)
  int depth = 0;
  double norm_b = 0;    ///< ||B||_F
  double norm_a22 = 0;  ///< ||A22||_F, before it became S
  double norm_s = 0;    ///< ||S||_F
  /// ||S||_F / ||A22||_F: above 10^3 is a warning. 0 if A22 is zero.
  double schur_ratio() const { return norm_a22 > 0 ? norm_s / norm_a22 : 0; }
};

/// A diagonal block that was inverted as a whole, pivoted inside.
struct RecursionLeaf {
  Range range;
  double largest = 0;  ///< max |re|+|im| of its inverse
};

/// What one transport did: collectives that a rank took part in, bytes that it received.
struct RecursionTransport {
  std::string name;
  OverRanks collectives;
  OverRanks bytes;
};

/// What can be said before an elimination without pivoting; costs O(n^2). Row or column dominance bounds its
/// growth by 2, and a positive definite matrix has none.
struct Preflight {
  double row_margin = 0;     ///< min_i (|a_ii| - sum_{j != i} |a_ij|): not negative if dominant by rows
  double column_margin = 0;  ///< the same by columns
  double asymmetry = 0;      ///< max |A - A^H|, |re|+|im|; 0 if Hermitian
  bool dominant() const { return row_margin >= 0 || column_margin >= 0; }
  bool hermitian() const { return asymmetry == 0; }
};

struct RecursionTelemetry {
  Index leaf = 0;  ///< spans up to it were not split
  Preflight preflight;
  std::vector<RecursionNode> nodes;   ///< in the order in which their Schur complements were formed
  std::vector<RecursionLeaf> leaves;  ///< in ascending order of their ranges

  std::vector<RecursionTransport> transports;
  std::vector<std::string> gathers;     ///< schur_rows: the first gathers in words, where that was asked for
  OverRanks bytes;                      ///< received in products
  OverRanks panel_bytes;                ///< of the panels that a rank was brought, its own parts included
  OverRanks zero_fill, pack, wait;      ///< seconds: see MultiplyTelemetry
  OverRanks transfer, repack, gemm;     ///< seconds
  OverRanks leaf_seconds;               ///< gathering, inverting and scattering leaves
  CallStatistics calls_min, calls_max;  ///< of the products, field by field the smallest and the largest

  double largest_b() const;      ///< max ||B||_F over the nodes
  double largest_ratio() const;  ///< max ||S||_F / ||A22||_F over the nodes
  double largest_leaf() const;   ///< max |leaf inverse|
};

/// Fills in what is measured by each rank for itself: its products (`mine`, words of `word_bytes` bytes) and
/// its seconds in leaves. Collective over `all`; a few hundred words.
void combine(RecursionTelemetry& telemetry, const MultiplyTelemetry& mine, double leaf_seconds,
             Index word_bytes, const Communicator& all);

}  // namespace cyclade
