// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/redistribute.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cyclade {
namespace {

using List = std::span<const Index>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// A process of a grid, as row and column of the *target's* orientation; nowhere: not in the grid.
struct Place {
  int r = -1, c = -1;
  bool nowhere() const { return r < 0; }
};

/// A matrix as the others know it, seen in the target's orientation: under a transposition the rows of the
/// source are dealt by its column axis.
struct Dealing {
  Axis rows, cols;
  int p = 1, q = 1;
  std::vector<Place> places;  // by rank of the communicator

  /// Throws ArgumentError if a process of the grid is not in `comm`.
  Dealing(const Communicator& comm, const Layout& layout, const Grid& grid, bool transposed, const char* name)
      : rows(layout.rows), cols(layout.cols), p(grid.p()), q(grid.q()), places(at(comm.size())) {
    const std::vector<int> known = grid.parent().ranks_in(comm);  // the grid is its first p*q ranks
    for (int c = 0; c < q; ++c) {
      for (int r = 0; r < p; ++r) {
        const int rank = known[at(grid.rank_of(r, c))];
        require(rank >= 0, std::string("redistribute: process (") + std::to_string(r) + "," +
                               std::to_string(c) + ") of the grid of `" + name +
                               "` is not in the communicator");
        places[at(rank)] = transposed ? Place{c, r} : Place{r, c};
      }
    }
    if (!transposed) return;
    std::swap(rows, cols);
    std::swap(p, q);
  }

  bool whole_rows() const { return rows.source == replicated; }
  bool whole_cols() const { return cols.source == replicated; }
};

/// One dimension of my part of a matrix, sorted by who holds it on the other side: local indices, ascending.
class Sorted {
 public:
  Sorted() = default;
  Sorted(const Axis& mine, int my_place, const Axis& other, int other_places)
      : whole_(other.source == replicated), lists_(at(whole_ ? 1 : other_places)) {
    const Index n = mine.local_size(my_place);
    for (Index l = 0; l < n; ++l)
      lists_[whole_ ? 0 : at(other.owner(mine.to_global(l, my_place)))].push_back(l);
  }
  List with(int other_place) const { return lists_[whole_ ? 0 : at(other_place)]; }

 private:
  bool whole_ = true;
  std::vector<std::vector<Index>> lists_ = std::vector<std::vector<Index>>(1);
};

/// The process of the source from which rank t of the communicator reads what is replicated: itself, or one
/// that is as good as any other. Only coordinates of replicated dimensions mean something.
Place reads_from(const Dealing& source, const Dealing& target, int t) {
  if (!source.places[at(t)].nowhere()) return source.places[at(t)];
  const Place place = target.places[at(t)];
  const Index number = place.r + Index{place.c} * target.p;
  const Index rest = source.whole_rows() ? number / source.p : number;
  return {static_cast<int>(number % source.p), static_cast<int>(rest % source.q)};
}

/// Whether anything may go from process `s` of the source to rank t.
bool serves(const Dealing& source, const Dealing& target, Place s, int t) {
  if (s.nowhere() || target.places[at(t)].nowhere()) return false;
  const Place chosen = reads_from(source, target, t);
  return (!source.whole_rows() || s.r == chosen.r) && (!source.whole_cols() || s.c == chosen.c);
}

/// Calls f(position, first, length) for the runs of successive local indices of a list.
template <class F>
void for_each_run(List list, F&& f) {
  for (std::size_t k = 0; k < list.size();) {
    std::size_t n = 1;
    while (k + n < list.size() && list[k + n] == list[k] + static_cast<Index>(n)) ++n;
    f(static_cast<Index>(k), list[k], static_cast<Index>(n));
    k += n;
  }
}

bool one_run(List list) { return list.back() - list.front() + 1 == static_cast<Index>(list.size()); }

/// packed := op(a)[rows, cols]
template <Scalar T>
void pack(const Kernels<T>& kernels, Op op, ConstMatrixView<T> a, List rows, List cols,
          MatrixView<T> packed) {
  for_each_run(cols, [&](Index j, Index first_col, Index n) {
    const MatrixView<T> out = packed.column_range(j, j + n);
    if (op != Op::none) {
      for_each_run(rows, [&](Index i, Index first_row, Index m) {
        kernels.transpose(op, a.sub(first_col, first_col + n, first_row, first_row + m),
                          out.row_range(i, i + m));
      });
    } else if (one_run(rows)) {
      kernels.copy(a.sub(rows.front(), rows.back() + 1, first_col, first_col + n), out);
    } else {
      kernels.gather_rows(a.column_range(first_col, first_col + n), rows, out);
    }
  });
}

/// a[rows, cols] := packed
template <Scalar T>
void unpack(const Kernels<T>& kernels, ConstMatrixView<T> packed, List rows, List cols, MatrixView<T> a) {
  for_each_run(cols, [&](Index j, Index first_col, Index n) {
    const ConstMatrixView<T> in = packed.column_range(j, j + n);
    const MatrixView<T> part = a.column_range(first_col, first_col + n);
    if (one_run(rows)) {
      kernels.copy(in, part.row_range(rows.front(), rows.back() + 1));
    } else {
      kernels.scatter_rows(in, rows, part);
    }
  });
}

/// What goes from one rank to another, cut into pieces of at most `limit` entries: some whole columns each,
/// or some rows of one column. Both ends cut alike.
class Pieces {
 public:
  Pieces() = default;
  Pieces(List rows, List cols, Index limit)
      : rows_(rows),
        cols_(cols),
        height_(std::clamp<Index>(std::ssize(rows), 1, limit)),
        width_(std::clamp<Index>(std::ssize(cols), 1, limit / height_)) {
    if (rows.empty() || cols.empty()) return;
    across_ = (std::ssize(rows) - 1) / height_ + 1;
    count_ = across_ * ((std::ssize(cols) - 1) / width_ + 1);
  }
  Index count() const { return count_; }
  List rows(Index n) const { return part(rows_, n % across_, height_); }
  List cols(Index n) const { return part(cols_, n / across_, width_); }
  Index entries(Index n) const { return n < count_ ? std::ssize(rows(n)) * std::ssize(cols(n)) : 0; }
  Index entries() const { return count_ == 0 ? 0 : std::ssize(rows_) * std::ssize(cols_); }

 private:
  static List part(List list, Index n, Index size) {
    return list.subspan(at(n * size), std::min(at(size), list.size() - at(n * size)));
  }
  List rows_, cols_;
  Index height_ = 1, width_ = 1, across_ = 1, count_ = 0;
};

/// My part in a redistribution. Messages go in rounds: in round k to rank me + k and from rank me - k, piece
/// by piece; round 0 is the copy to myself. Each rank posts as many successive pieces as fit its buffers and
/// waits for them. That cannot lock: of all unfinished messages the first, in the order of (round, piece),
/// is in the current batch of both its ends.
template <Scalar T>
class Exchange {
 public:
  Exchange(const Communicator& comm, const Dealing& source, const Dealing& target, const Matrix<T>& from,
           const Matrix<T>& to, Op op, Index limit)
      : comm_(comm), source_(source), target_(target), from_(from), to_(to), op_(op), limit_(limit) {
    const Place s = source.places[at(comm.rank())], t = target.places[at(comm.rank())];
    if (!s.nowhere()) {
      out_rows_ = Sorted(source.rows, s.r, target.rows, target.p);
      out_cols_ = Sorted(source.cols, s.c, target.cols, target.q);
    }
    if (!t.nowhere()) {
      in_rows_ = Sorted(target.rows, t.r, source.rows, source.p);
      in_cols_ = Sorted(target.cols, t.c, source.cols, source.q);
    }
    Index out = 0, in = 0;
    for (int k = 0; k < comm.size(); ++k) {
      out += outgoing(after(k)).entries();
      if (k > 0) in += incoming(before(k)).entries();
    }
    out_buffer_ = Buffer<T>(from.device(), std::min(out, limit));
    in_buffer_ = Buffer<T>(to.device(), std::min(in, limit));
  }

  void run() {
    for (int k = 0; k < comm_.size(); ++k) {
      const Pieces out = outgoing(after(k)), in = incoming(before(k));
      for (Index n = 0; n < std::max(out.count(), in.count()); ++n) {
        const Index in_entries = k == 0 ? 0 : in.entries(n);
        if (out_used_ + out.entries(n) > limit_ || in_used_ + in_entries > limit_) flush();
        T* packed = out_buffer_.data() + out_used_;
        if (n < out.count()) post(out, n, after(k));
        if (n < in.count()) expect(in, n, before(k), k == 0 ? packed : in_buffer_.data() + in_used_);
        in_used_ += in_entries;
      }
    }
    flush();
  }

 private:
  struct Arrival {
    ConstMatrixView<T> packed;
    List rows, cols;
  };

  int after(int k) const { return static_cast<int>((Index{comm_.rank()} + k) % comm_.size()); }
  int before(int k) const {
    return static_cast<int>((Index{comm_.rank()} + comm_.size() - k) % comm_.size());
  }

  Pieces outgoing(int t) const {
    if (!serves(source_, target_, source_.places[at(comm_.rank())], t)) return {};
    const Place place = target_.places[at(t)];
    return {out_rows_.with(place.r), out_cols_.with(place.c), limit_};
  }
  Pieces incoming(int s) const {
    const Place place = source_.places[at(s)];
    if (!serves(source_, target_, place, comm_.rank())) return {};
    return {in_rows_.with(place.r), in_cols_.with(place.c), limit_};
  }

  void post(const Pieces& pieces, Index n, int rank) {
    const List rows = pieces.rows(n), cols = pieces.cols(n);
    const MatrixView<T> packed{out_buffer_.data() + out_used_, std::ssize(rows), std::ssize(cols)};
    pack<T>(from_.kernels(), op_, from_.local(), rows, cols, packed);
    out_used_ += packed.size();
    if (rank != comm_.rank()) out_.push_back({rank, {packed.data, at(packed.size())}});
  }
  void expect(const Pieces& pieces, Index n, int rank, T* place) {
    const List rows = pieces.rows(n), cols = pieces.cols(n);
    const MatrixView<T> packed{place, std::ssize(rows), std::ssize(cols)};
    arrivals_.push_back({packed, rows, cols});
    if (rank != comm_.rank()) in_.push_back({rank, {packed.data, at(packed.size())}});
  }

  void flush() {
    from_.device().synchronise();
    if (!out_.empty() || !in_.empty()) comm_.exchange<T>(out_, in_);
    for (const Arrival& a : arrivals_) unpack<T>(to_.kernels(), a.packed, a.rows, a.cols, to_.local());
    to_.device().synchronise();
    out_.clear();
    in_.clear();
    arrivals_.clear();
    out_used_ = in_used_ = 0;
  }

  const Communicator& comm_;
  const Dealing& source_;
  const Dealing& target_;
  const Matrix<T>& from_;
  const Matrix<T>& to_;
  Op op_;
  Index limit_;                 // entries of a buffer, and of a piece
  Sorted out_rows_, out_cols_;  // of my part of `from`, by the owners in `to`
  Sorted in_rows_, in_cols_;    // of my part of `to`, by the owners in `from`
  Buffer<T> out_buffer_, in_buffer_;
  Index out_used_ = 0, in_used_ = 0;
  std::vector<Piece<const T>> out_;
  std::vector<Piece<T>> in_;
  std::vector<Arrival> arrivals_;
};

std::string shape(const Axis& rows, const Axis& cols) {
  return std::to_string(rows.size) + " x " + std::to_string(cols.size);
}

}  // namespace

template <Scalar T>
void redistribute(const Communicator& comm, const Matrix<T>& from, const Matrix<T>& to, Op op,
                  Index budget_bytes) {
  require(budget_bytes > 0,
          "redistribute: the budget must be 1 byte or more, got " + std::to_string(budget_bytes));
  const Dealing source(comm, from.layout(), from.grid(), op != Op::none, "from");
  const Dealing target(comm, to.layout(), to.grid(), false, "to");
  require(source.rows.size == target.rows.size && source.cols.size == target.cols.size,
          "redistribute: " + std::string(op == Op::none ? "`from`" : "`from` transposed") + " is " +
              shape(source.rows, source.cols) + ", `to` is " + shape(target.rows, target.cols));
  if (target.rows.size == 0 || target.cols.size == 0) return;
  const Index limit = std::max<Index>(1, budget_bytes / 2 / static_cast<Index>(sizeof(T)));
  std::optional<Exchange<T>> exchange;
  agree(comm, [&] { exchange.emplace(comm, source, target, from, to, op, limit); });
  exchange->run();
}

#define CYCLADE_REDISTRIBUTE(T) \
  template void redistribute<T>(const Communicator&, const Matrix<T>&, const Matrix<T>&, Op, Index);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_REDISTRIBUTE)

}  // namespace cyclade
