// Entries that one rank found, brought to the ranks that own them: how formats whose bytes do not follow the
// layout (text, packed triangles) reach a distributed matrix. Each rank adds what it read, in any order; a
// collective delivery sends each owner its part. The sum of entries at one place is taken in the order of the
// ranks, and on each rank in the order in which they were added: the same on every grid.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "cyclade/matrix/matrix.hpp"

namespace cyclade {

enum class Repeated { overwrite, sum_and_count };

struct Repeats {
  Index all = 0;
  Index on_diagonal = 0;  ///< of these
};

template <Scalar T>
class EntryRouter {
 public:
  /// Sets `a` to zero. Collective over the ranks of the grid, as all of this class (ranks outside have no
  /// part in it). To count entries at one place costs a bit for each entry of the local part.
  EntryRouter(const Matrix<T>& a, Repeated repeated);

  /// Local. Owners of a replicated dimension all get the entry.
  void add(Index i, Index j, const T& value);

  /// Sends what was added, in one round: a rank holds what it added and what is added for it, so add little
  /// at a time. Collective.
  void deliver();

  /// Entries that met another one at their place, on all ranks together. Collective.
  Repeats repeats() const;

 private:
  struct Mail {
    std::vector<Index> places;  // i_loc + j_loc * (local rows) on the receiver
    std::vector<T> values;
  };
  void put(const Mail& mail);

  Matrix<T> a_;  // a view
  Repeated repeated_;
  Repeats met_;
  std::vector<std::uint64_t> seen_;
  std::vector<Mail> out_;  // for each rank of the grid
};

}  // namespace cyclade
