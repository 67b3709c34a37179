// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/column_slab.hpp"

namespace cyclade {
namespace {

/// One of the processes that hold an index speaks for it.
bool speaks(const Axis& axis, int rank) { return axis.source != replicated || rank == 0; }

/// Calls f(j, i_loc range) for each column of the slab that process (r,c) sends, in order.
template <class F>
void for_each_piece(const Layout& layout, Triangle part, const Range& columns, int r, int c, F&& f) {
  if (!speaks(layout.rows, r) || !speaks(layout.cols, c)) return;
  const Range cols_loc = layout.cols.to_local(columns.begin, columns.end, c);
  for (Index j_loc = cols_loc.begin; j_loc < cols_loc.end; ++j_loc) {
    const Index j = layout.cols.to_global(j_loc, c);
    const Range rows = rows_of_column(part, layout.rows.size, j);
    f(j, j_loc, layout.rows.to_local(rows.begin, rows.end, r));
  }
}

Index words(const Layout& layout, Triangle part, const Range& columns, int r, int c) {
  Index sum = 0;
  for_each_piece(layout, part, columns, r, c, [&](Index, Index, const Range& rows) { sum += rows.size(); });
  return sum;
}

}  // namespace

template <Scalar T>
ColumnSlab<T> gather_slab(const Matrix<T>& a, Index first, Index width, Triangle part) {
  const Grid& grid = a.grid();
  const Communicator& comm = grid.all();
  const Layout& layout = a.layout();
  const MatrixView<T> loc = a.local();
  const auto columns_of = [&](int rank) {
    const Index begin = std::min(first + rank * width, a.cols());
    return Range{begin, std::min(begin + width, a.cols())};
  };
  ColumnSlab<T> slab{columns_of(comm.rank()), a.rows(), {}};
  std::vector<std::vector<T>> out(static_cast<std::size_t>(comm.size())), in(out.size());
  std::vector<Piece<const T>> out_pieces;
  std::vector<Piece<T>> in_pieces;
  agree(comm, [&] {
    a.device().synchronise();
    slab.data.resize(static_cast<std::size_t>(slab.rows * slab.columns.size()));
    for (int r = 0; r < grid.p(); ++r) {
      for (int c = 0; c < grid.q(); ++c) {
        const int rank = grid.rank_of(r, c);
        auto& mine = out[static_cast<std::size_t>(rank)];
        mine.reserve(
            static_cast<std::size_t>(words(layout, part, columns_of(rank), grid.my_row(), grid.my_col())));
        for_each_piece(layout, part, columns_of(rank), grid.my_row(), grid.my_col(),
                       [&](Index, Index j_loc, const Range& rows) {
                         const T* column = loc.column(j_loc);
                         mine.insert(mine.end(), column + rows.begin, column + rows.end);
                       });
        auto& theirs = in[static_cast<std::size_t>(rank)];
        if (rank == comm.rank()) continue;
        theirs.resize(static_cast<std::size_t>(words(layout, part, slab.columns, r, c)));
        out_pieces.push_back({rank, mine});
        in_pieces.push_back({rank, theirs});
      }
    }
  });
  comm.exchange<T>(out_pieces, in_pieces);
  for (int r = 0; r < grid.p(); ++r) {
    for (int c = 0; c < grid.q(); ++c) {
      const auto rank = static_cast<std::size_t>(grid.rank_of(r, c));
      const T* from = (static_cast<int>(rank) == comm.rank() ? out : in)[rank].data();
      for_each_piece(layout, part, slab.columns, r, c, [&](Index j, Index, const Range& rows) {
        T* column = slab.data.data() + (j - slab.columns.begin) * slab.rows;
        for (Index i_loc = rows.begin; i_loc < rows.end; ++i_loc)
          column[layout.rows.to_global(i_loc, r)] = *from++;
      });
    }
  }
  return slab;
}

template <Scalar T>
Index write_columns(const Matrix<T>& a, Triangle part, const WriteAt& write_at, const std::string& head,
                    const FormatColumn<T>& format) {
  const Communicator& comm = a.grid().all();
  const Index width = slab_width(a.rows());
  std::string output = comm.rank() == 0 ? head : std::string();
  Index offset = 0, first = 0;
  do {
    const ColumnSlab<T> slab = gather_slab(a, first, width, part);
    agree(comm, [&] {
      for (Index j = slab.columns.begin; j < slab.columns.end; ++j) format(output, slab, j);
    });
    const auto bytes = static_cast<Index>(output.size());
    const std::vector<Index> all = comm.all_gather<Index>(std::span<const Index>(&bytes, 1));
    Index mine = offset;
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (rank == comm.rank()) mine = offset;
      offset += all[static_cast<std::size_t>(rank)];
    }
    agree(comm, [&] {
      if (!output.empty()) write_at(mine, output);
    });
    output.clear();
    first += width * comm.size();
  } while (first < a.cols());
  return offset;
}

#define CYCLADE_COLUMN_SLAB(T)                                                                    \
  template ColumnSlab<T> gather_slab<T>(const Matrix<T>&, Index, Index, Triangle);                \
  template Index write_columns<T>(const Matrix<T>&, Triangle, const WriteAt&, const std::string&, \
                                  const FormatColumn<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_COLUMN_SLAB)

}  // namespace cyclade
