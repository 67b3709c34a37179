// C := beta C + alpha A B on the grid, by SUMMA: the inner dimension in steps, each step the sum of one
// product of panels. A process receives the rows of A's panel that belong to its rows of C, and the columns
// of B's panel that belong to its columns of C, and multiplies them on its own.
//
//            k                       A(:,k) travels along the process rows,
//   C  +=  A |  *  -- k  B           B(k,:) along the process columns:
//            |                       C_loc += alpha * A(i_loc, k) * B(k, j_loc)
//
// All three are Matrices, hence windows of matrices, anywhere: pass a.window(w). R. van de Geijn, J. Watts:
// SUMMA: Scalable Universal Matrix Multiplication Algorithm, Concurrency 9 (1997).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "cyclade/matrix/matrix.hpp"
#include "cyclade/multiply/panel_buffer.hpp"
#include "cyclade/multiply/telemetry.hpp"

namespace cyclade {

/// How a panel reaches the other processes of its row or column. The result does not depend on it, to the
/// bit.
enum class Transport : char {
  automatic = 'A',       ///< `ring_allgather` if the budget lets a round hold several panels, else `ring`
  ring = 'R',            ///< panel by panel, in segments around the ring of processes: see ring_broadcast
  ring_allgather = 'G',  ///< the next max(p,q) panels at once: every process starts its own on its way
  broadcast = 'B',       ///< MPI_Bcast, panel by panel
};

struct SummaOptions {
  Transport transport = Transport::automatic;
  /// Bytes of all panels that a rank holds at one time; panels get narrower to fit, down to one column.
  Index panel_bytes = Index{128} << 20;
  MultiplyTelemetry* telemetry = nullptr;  ///< filled if given; must outlive the product
};

/// C := beta C + alpha A B, as an entry of a list of products. The matrices must outlive the call.
template <Scalar T>
struct Product {
  T alpha;
  const Matrix<T>* a;
  const Matrix<T>* b;
  T beta;
  const Matrix<T>* c;
};

/// Products on one grid and their panel buffers, which only grow, so that a recursion always sends from the
/// same addresses (an interconnect registers memory, and does it once).
template <Scalar T>
class Summa {
 public:
  explicit Summa(const SummaOptions& options = {});

  /// All products of the list in one loop over their common inner dimension. A matrix that is a factor of
  /// several of them (the same Matrix object) is sent once: {C1 += A B1, C2 += A B2} sends A once. Collective
  /// over the grid; ranks outside it return at once.
  ///
  /// Shapes: A m x k, B k x n, C m x n; k is the same in all products. A's rows must be dealt as C's, and B's
  /// columns as C's; A's columns and B's rows as they like. No C may overlap a factor, of its own or of
  /// another product; where two products add to one C, the later one has beta = 1. beta = 0 never reads C; k
  /// = 0 still applies beta.
  ///
  /// Cost: 2 m n k / P flops (x4 complex) a product; a rank receives mloc (k - its columns of A) words for
  /// each left factor and nloc (k - its rows of B) for each right factor, and nothing else, except one
  /// agreement on each growth of the buffers (see reserve). The sum runs over ascending k in steps that
  /// depend on the layouts and the budget alone, so the result is repeatable to the bit.
  ///
  /// Throws ArgumentError, equal on all ranks and before any message, if shapes or dealings do not fit, grids
  /// differ, or an axis is replicated.
  void run(std::span<const Product<T>> products);

  /// Grows the panel buffers to `words` elements on every rank, so that smaller products need no agreement.
  /// Collective over `grid`; `words` equal on all its ranks. Throws MemoryError, equal on all.
  void reserve(const Grid& grid, Device& device, Index words);

  const SummaOptions& options() const { return options_; }

 private:
  SummaOptions options_;
  PanelBuffer<T> panels_;
};

/// C := beta C + alpha A B: one product of a list of one. See Summa::run.
template <Scalar T>
void multiply(T alpha, const Matrix<T>& a, const Matrix<T>& b, T beta, const Matrix<T>& c,
              const SummaOptions& options = {});

}  // namespace cyclade
