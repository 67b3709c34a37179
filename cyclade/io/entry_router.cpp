// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/entry_router.hpp"

#include <array>

namespace cyclade {
namespace {

/// The processes, along one dimension, that hold an index.
Range holders(const Axis& axis, Index index, int ranks) {
  const int owner = axis.owner(index);
  return owner == replicated ? Range{0, ranks} : Range{owner, owner + 1};
}

}  // namespace

template <Scalar T>
EntryRouter<T>::EntryRouter(const Matrix<T>& a, Repeated repeated)
    : a_(a.window({0, a.rows(), 0, a.cols()})), repeated_(repeated) {
  a_.kernels().fill(a_.local(), T{0});
  agree(a_.grid().all(), [&] {
    out_.resize(static_cast<std::size_t>(a_.grid().all().size()));
    if (repeated_ == Repeated::sum_and_count)
      seen_.resize(static_cast<std::size_t>(a_.local().size() / 64 + 1));
  });
  a_.device().synchronise();
}

template <Scalar T>
void EntryRouter<T>::add(Index i, Index j, const T& value) {
  const Axis &rows = a_.layout().rows, &cols = a_.layout().cols;
  const Range r = holders(rows, i, a_.grid().p()), c = holders(cols, j, a_.grid().q());
  const Index i_loc = rows.to_local(i), j_loc = cols.to_local(j);
  for (Index col = c.begin; col < c.end; ++col) {
    for (Index row = r.begin; row < r.end; ++row) {
      const int to_row = static_cast<int>(row);
      Mail& mail = out_[static_cast<std::size_t>(a_.grid().rank_of(to_row, static_cast<int>(col)))];
      mail.places.push_back(i_loc + j_loc * rows.local_size(to_row));
      mail.values.push_back(value);
    }
  }
}

template <Scalar T>
void EntryRouter<T>::put(const Mail& mail) {
  const MatrixView<T> loc = a_.local();
  for (std::size_t k = 0; k < mail.places.size(); ++k) {
    const Index place = mail.places[k];
    const Index i_loc = place % loc.rows, j_loc = place / loc.rows;
    T& entry = loc(i_loc, j_loc);
    if (repeated_ == Repeated::overwrite) {
      entry = mail.values[k];
      continue;
    }
    std::uint64_t& word = seen_[static_cast<std::size_t>(place / 64)];
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if (word & bit) {
      ++met_.all;
      if (a_.global_row(i_loc) == a_.global_col(j_loc)) ++met_.on_diagonal;
      entry += mail.values[k];
    } else {
      word |= bit;
      entry = mail.values[k];  // not 0 + value, which would lose the sign of -0
    }
  }
}

template <Scalar T>
void EntryRouter<T>::deliver() {
  const Communicator& comm = a_.grid().all();
  const auto ranks = static_cast<std::size_t>(comm.size()), me = static_cast<std::size_t>(comm.rank());
  std::vector<Index> out_counts(ranks), in_counts(ranks);
  std::vector<Piece<const Index>> out;
  std::vector<Piece<Index>> in;
  const auto others = [&](auto&& f) {
    for (std::size_t r = 0; r < ranks; ++r)
      if (r != me) f(static_cast<int>(r), r);
  };
  others([&](int rank, std::size_t r) {
    out_counts[r] = static_cast<Index>(out_[r].places.size());
    out.push_back({rank, std::span<const Index>(&out_counts[r], 1)});
    in.push_back({rank, std::span<Index>(&in_counts[r], 1)});
  });
  comm.exchange<Index>(out, in);

  std::vector<Mail> arrived(ranks);
  agree(comm, [&] {
    others([&](int, std::size_t r) {
      arrived[r].places.resize(static_cast<std::size_t>(in_counts[r]));
      arrived[r].values.resize(static_cast<std::size_t>(in_counts[r]));
    });
  });
  out.clear(), in.clear();
  std::vector<Piece<const T>> out_values;
  std::vector<Piece<T>> in_values;
  others([&](int rank, std::size_t r) {
    out.push_back({rank, out_[r].places});
    in.push_back({rank, arrived[r].places});
    out_values.push_back({rank, out_[r].values});
    in_values.push_back({rank, arrived[r].values});
  });
  comm.exchange<Index>(out, in);
  comm.exchange<T>(out_values, in_values);
  for (std::size_t r = 0; r < ranks; ++r) put(r == me ? out_[r] : arrived[r]);
  for (Mail& mail : out_) mail.places.clear(), mail.values.clear();
}

template <Scalar T>
Repeats EntryRouter<T>::repeats() const {
  const Layout& layout = a_.layout();
  const auto first = [](const Axis& axis, int rank) { return axis.source != replicated || rank == 0; };
  const bool speaks = first(layout.rows, a_.grid().my_row()) && first(layout.cols, a_.grid().my_col());
  std::array<Index, 2> sums{speaks ? met_.all : 0, speaks ? met_.on_diagonal : 0};
  a_.grid().all().all_reduce_sum(std::span<Index>(sums));
  return {sums[0], sums[1]};
}

#define CYCLADE_ENTRY_ROUTER(T) template class EntryRouter<T>;
CYCLADE_FOR_EACH_SCALAR(CYCLADE_ENTRY_ROUTER)

}  // namespace cyclade
