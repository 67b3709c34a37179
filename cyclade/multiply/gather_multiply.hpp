// C := beta C + alpha A B on row slabs. A rank has its rows of A and of C whole; what it lacks is B, or the
// rows of B that the window asks for, and it gathers those, some columns at a time, from the ranks that own
// them.
//
//   owners: ranks with rows of B in `inner`         users: ranks with rows of a C that is computed
//
//                 inner        columns of the chunk
//   C(rows,:) += A(rows,:) * [ B(inner, j0:j1) ]     the panel, gathered; |inner| x (j1-j0), within the
//   budget
//
// The GatherGemm of Grid's RecursiveSchurInverse (P. Boyle et al.), with its three transports, which bring
// the panel to every rank of the communicator, and two that bring it to its users only.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclade/matrix/block_rows.hpp"
#include "cyclade/multiply/panel_buffer.hpp"
#include "cyclade/multiply/telemetry.hpp"

namespace cyclade {

/// How the pieces of a panel reach the ranks.
enum class GatherTransport : char {
  automatic = 'X',  ///< `ring` for large pieces and more than two users, else `direct`
  zero_fill_allreduce =
      'Z',  ///< to all: every rank fills the panel with zeros and adds its rows; sends every word twice
  allgatherv = 'V',          ///< to all: MPI_Allgatherv with a count of zero for ranks that own nothing
  broadcast_per_rank = 'B',  ///< to all: one MPI_Bcast from every owner
  direct = 'D',              ///< to the users only: every owner sends its piece to each of them
  ring = 'R',  ///< to the users only: pieces travel around the ring of users; no rank sends more than a panel
};
std::string_view to_string(GatherTransport transport);

struct GatherOptions {
  GatherTransport transport = GatherTransport::automatic;
  /// Bytes of panel and messages that a rank holds at one time; half of it is panel where the pieces must be
  /// put in order after they arrive. Chunks get narrower to fit, down to one column.
  Index panel_bytes = Index{128} << 20;
  /// Panels of a product of at most so many bytes go by zero_fill_allreduce, whatever the transport: few
  /// rounds.
  Index small_bytes = 0;
  /// A barrier before each gather: separates waiting for others from transfer, and helps an allreduce on many
  /// ranks.
  bool barrier = false;
  /// Takes a transport that is known to be pathological (allgatherv with zero counts) all the same.
  bool force = false;
  /// Keeps the descriptors of the gathers of so many of the first calls.
  Index describe_calls = 0;
  MultiplyTelemetry* telemetry = nullptr;  ///< filled if given; must outlive the products
};

/// One product of a list that shares B: C(rows,:) := beta C(rows,:) + alpha A(rows,:) B(inner,:).
template <Scalar T>
struct SlabProduct {
  Range rows;  ///< global rows of A and C
  T alpha;
  const BlockRows<T>* a;  ///< columns: |inner|; a column window of a matrix
  T beta;
  const BlockRows<T>* c;  ///< columns: those of B
};

/// What one gather moved, equal on all ranks: for a trace of what a transport was asked to do.
struct GatherDescriptor {
  GatherTransport transport = GatherTransport::automatic;  ///< the one that was used
  Range inner;                                             ///< global rows of B
  Index j0 = 0, j1 = 0;                                    ///< columns of the chunk
  int owners = 0, users = 0;
  Index smallest_piece = 0, largest_piece = 0;  ///< words
  bool operator==(const GatherDescriptor&) const = default;
};
std::string to_string(const GatherDescriptor& gather);

/// Products on the row slabs of one communicator, and their panel buffers, which only grow.
template <Scalar T>
class GatherMultiply {
 public:
  /// Throws ArgumentError for a budget under 1 byte, and for allgatherv unless forced.
  explicit GatherMultiply(const GatherOptions& options = {});

  /// Gathers B(inner,:) once, in chunks of columns, for all products of the list. Collective over the
  /// communicator of B, on which all the matrices live. All must have the same row partition.
  ///
  /// In place: the C(rows,:) must not overlap B(inner,:), nor any A(rows,:); other windows of one matrix may
  /// be used freely. beta = 0 never reads C; an empty `inner` still applies beta.
  ///
  /// Cost: 2 |rows| |inner| n / users flops (x4 complex) on a user. Words received, own = this rank's rows of
  /// inner: direct and ring: (|inner| - own) n on a user, none elsewhere; allgatherv and broadcast_per_rank:
  /// the same on every rank; zero_fill_allreduce: |inner| n in each of ceil(log2 P) rounds, as reductions are
  /// counted. Each growth of the buffers adds one agreement (see reserve). Sums run over ascending inner:
  /// repeatable to the bit on one partition, and the same by all transports where their chunks are.
  ///
  /// Throws ArgumentError, equal on all ranks and before any message, if shapes, partitions or ranges do not
  /// fit.
  void run(const BlockRows<T>& b, Range inner, std::span<const SlabProduct<T>> products);

  /// Grows panel and message buffer to `words` elements each, so that smaller products need no agreement.
  /// Collective; `words` equal on all ranks. Throws MemoryError, equal on all.
  void reserve(const Communicator& comm, Device& device, Index words);

  const GatherOptions& options() const { return options_; }
  /// Of the first `describe_calls` calls.
  const std::vector<GatherDescriptor>& descriptors() const { return descriptors_; }

 private:
  GatherOptions options_;
  Index calls_ = 0;
  std::vector<GatherDescriptor> descriptors_;
  PanelBuffer<T> panel_, message_;
};

/// C(rows,:) := beta C(rows,:) + alpha A(rows,:) B(inner,:): a list of one. See GatherMultiply::run.
template <Scalar T>
void gather_multiply(Range rows, T alpha, const BlockRows<T>& a, const BlockRows<T>& b, Range inner, T beta,
                     const BlockRows<T>& c, const GatherOptions& options = {});

}  // namespace cyclade
