// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/matrix/redistribute.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
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

/// What all ranks must know of a matrix.
struct Description {
  Layout layout;
  GridShape shape;
  std::vector<int> members;  // rank in the communicator of process (r,c), at r + c*p; -1: it is not there
};

template <Scalar T>
Description describe(const Communicator& comm, const Matrix<T>& a) {
  const Grid& grid = a.grid();
  const std::vector<int> known = grid.parent().ranks_in(comm);  // the grid is its first p*q ranks
  Description d{a.layout(), grid.shape(), {}};
  for (int c = 0; c < grid.q(); ++c)
    for (int r = 0; r < grid.p(); ++r) d.members.push_back(known[at(grid.rank_of(r, c))]);
  return d;
}

/// The same on every rank, told by the lowest that has the matrix. Collective.
template <Scalar T>
Description describe(const Communicator& comm, const Matrix<T>* a, const char* name) {
  const int teller = comm.min(a ? comm.rank() : comm.size());
  require(teller < comm.size(), std::string("redistribute: no rank has the matrix `") + name + "`");
  Description d = comm.rank() == teller ? describe(comm, *a) : Description{};
  const Axis &r = d.layout.rows, &c = d.layout.cols;
  std::array<Index, 12> words{r.size,  r.block, r.ranks,  r.source,      r.first_block, c.size,
                              c.block, c.ranks, c.source, c.first_block, d.shape.p,     d.shape.q};
  comm.broadcast(std::span<Index>(words), teller);
  const auto number = [&](std::size_t k) { return static_cast<int>(words[k]); };
  d.layout = {{words[0], words[1], number(2), number(3), words[4]},
              {words[5], words[6], number(7), number(8), words[9]}};
  d.shape = {number(10), number(11)};
  d.members.resize(at(Index{d.shape.p} * d.shape.q));
  comm.broadcast(std::span<int>(d.members), teller);
  return d;
}

/// A matrix as the others see it, in the target's orientation: under a transposition the rows of the source
/// are dealt by its column axis.
struct Dealing {
  Axis rows, cols;
  int p, q;
  std::vector<Place> places;  // by rank of the communicator

  /// Throws ArgumentError if a process of the grid is not in `comm`.
  Dealing(const Communicator& comm, const Description& d, bool transposed, const char* name)
      : rows(transposed ? d.layout.cols : d.layout.rows),
        cols(transposed ? d.layout.rows : d.layout.cols),
        p(transposed ? d.shape.q : d.shape.p),
        q(transposed ? d.shape.p : d.shape.q),
        places(at(comm.size())) {
    for (int c = 0; c < d.shape.q; ++c) {
      for (int r = 0; r < d.shape.p; ++r) {
        const int rank = d.members[at(r + Index{c} * d.shape.p)];
        require(rank >= 0, std::string("redistribute: process (") + std::to_string(r) + "," +
                               std::to_string(c) + ") of the grid of `" + name +
                               "` is not in the communicator");
        places[at(rank)] = transposed ? Place{c, r} : Place{r, c};
      }
    }
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

/// Entries of the copy of a rank to itself that are in flight: they stay in cache.
constexpr Index copy_chunk = Index{1} << 14;

/// My part in a redistribution. First the copy to myself; then messages in rounds, in round k to rank me + k
/// and from rank me - k, piece by piece. Each rank posts as many successive pieces as fit its buffers and
/// waits for them. That cannot lock: of all unfinished messages the first, in the order of (round, piece),
/// is in the current batch of both its ends.
template <Scalar T>
class Exchange {
 public:
  /// `from` and `to` are null where this rank has no part in them.
  Exchange(const Communicator& comm, const Dealing& source, const Dealing& target, const Matrix<T>* from,
           const Matrix<T>* to, Op op, Index limit)
      : comm_(comm), source_(source), target_(target), from_(from), to_(to), op_(op), limit_(limit) {
    const Place s = source.places[at(comm.rank())], t = target.places[at(comm.rank())];
    require((from || s.nowhere()) && (to || t.nowhere()),
            "redistribute: rank " + std::to_string(comm.rank()) + " of the communicator has a part of `" +
                (from || s.nowhere() ? "to" : "from") + "` but gave a null pointer");
    if (!s.nowhere()) {
      out_rows_ = Sorted(source.rows, s.r, target.rows, target.p);
      out_cols_ = Sorted(source.cols, s.c, target.cols, target.q);
    }
    if (!t.nowhere()) {
      in_rows_ = Sorted(target.rows, t.r, source.rows, source.p);
      in_cols_ = Sorted(target.cols, t.c, source.cols, source.q);
    }
    Index out = 0, in = 0;
    for (int k = 1; k < comm.size(); ++k) {
      out += outgoing(after(k), limit).entries();
      in += incoming(before(k), limit).entries();
    }
    const Index own = std::min(outgoing(comm.rank(), limit).entries(), copy_chunk);
    if (!s.nowhere()) out_buffer_ = Buffer<T>(from->device(), std::min(std::max(out, own), limit));
    if (!t.nowhere()) in_buffer_ = Buffer<T>(to->device(), std::min(in, limit));
  }

  void run() {
    copy_own();
    for (int k = 1; k < comm_.size(); ++k) {
      const Pieces out = outgoing(after(k), limit_), in = incoming(before(k), limit_);
      for (Index n = 0; n < std::max(out.count(), in.count()); ++n) {
        if (out_used_ + out.entries(n) > limit_ || in_used_ + in.entries(n) > limit_) flush();
        if (n < out.count()) post(out.rows(n), out.cols(n), after(k));
        if (n < in.count()) expect(in.rows(n), in.cols(n), before(k));
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

  Pieces outgoing(int t, Index limit) const {
    if (!serves(source_, target_, source_.places[at(comm_.rank())], t)) return {};
    const Place place = target_.places[at(t)];
    return {out_rows_.with(place.r), out_cols_.with(place.c), limit};
  }
  Pieces incoming(int s, Index limit) const {
    const Place place = source_.places[at(s)];
    if (!serves(source_, target_, place, comm_.rank())) return {};
    return {in_rows_.with(place.r), in_cols_.with(place.c), limit};
  }

  void copy_own() {
    const Index limit = std::min(limit_, copy_chunk);
    const Pieces out = outgoing(comm_.rank(), limit), in = incoming(comm_.rank(), limit);
    for (Index n = 0; n < out.count(); ++n) {
      const MatrixView<T> packed{out_buffer_.data(), std::ssize(out.rows(n)), std::ssize(out.cols(n))};
      pack<T>(from_->kernels(), op_, from_->local(), out.rows(n), out.cols(n), packed);
      from_->device().synchronise();
      unpack<T>(to_->kernels(), packed, in.rows(n), in.cols(n), to_->local());
      to_->device().synchronise();
    }
  }

  void post(List rows, List cols, int rank) {
    const MatrixView<T> packed{out_buffer_.data() + out_used_, std::ssize(rows), std::ssize(cols)};
    pack<T>(from_->kernels(), op_, from_->local(), rows, cols, packed);
    out_.push_back({rank, {packed.data, at(packed.size())}});
    out_used_ += packed.size();
  }
  void expect(List rows, List cols, int rank) {
    const MatrixView<T> packed{in_buffer_.data() + in_used_, std::ssize(rows), std::ssize(cols)};
    in_.push_back({rank, {packed.data, at(packed.size())}});
    arrivals_.push_back({packed, rows, cols});
    in_used_ += packed.size();
  }

  void flush() {
    if (!out_.empty()) from_->device().synchronise();
    if (!out_.empty() || !in_.empty()) comm_.exchange<T>(out_, in_);
    for (const Arrival& a : arrivals_) unpack<T>(to_->kernels(), a.packed, a.rows, a.cols, to_->local());
    if (!in_.empty()) to_->device().synchronise();
    out_.clear();
    in_.clear();
    arrivals_.clear();
    out_used_ = in_used_ = 0;
  }

  const Communicator& comm_;
  const Dealing& source_;
  const Dealing& target_;
  const Matrix<T>* from_;
  const Matrix<T>* to_;
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

void require_budget(Index bytes) {
  require(bytes > 0, "redistribute: the budget must be 1 byte or more, got " + std::to_string(bytes));
}

/// Both matrices described alike on all ranks.
template <Scalar T>
void move_entries(const Communicator& comm, const Description& described_from, const Matrix<T>* from,
                  const Description& described_to, const Matrix<T>* to, Op op, Index budget_bytes) {
  const Dealing source(comm, described_from, op != Op::none, "from");
  const Dealing target(comm, described_to, false, "to");
  require(source.rows.size == target.rows.size && source.cols.size == target.cols.size,
          std::string("redistribute: ") + (op == Op::none ? "`from`" : "`from` transposed") + " is " +
              shape(source.rows, source.cols) + ", `to` is " + shape(target.rows, target.cols));
  if (target.rows.size == 0 || target.cols.size == 0) return;
  const Index limit = std::max<Index>(1, budget_bytes / 2 / static_cast<Index>(sizeof(T)));
  std::optional<Exchange<T>> exchange;
  agree(comm, [&] { exchange.emplace(comm, source, target, from, to, op, limit); });
  exchange->run();
}

}  // namespace

template <Scalar T>
void redistribute(const Communicator& comm, const Matrix<T>& from, const Matrix<T>& to, Op op,
                  Index budget_bytes) {
  require_budget(budget_bytes);
  move_entries(comm, describe(comm, from), &from, describe(comm, to), &to, op, budget_bytes);
}

template <Scalar T>
void redistribute(const Communicator& comm, const Matrix<T>* from, const Matrix<T>* to, Op op,
                  Index budget_bytes) {
  require_budget(budget_bytes);
  const Description described_from = describe(comm, from, "from"), described_to = describe(comm, to, "to");
  move_entries(comm, described_from, from, described_to, to, op, budget_bytes);
}

#define CYCLADE_REDISTRIBUTE(T)                                                                      \
  template void redistribute<T>(const Communicator&, const Matrix<T>&, const Matrix<T>&, Op, Index); \
  template void redistribute<T>(const Communicator&, const Matrix<T>*, const Matrix<T>*, Op, Index);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_REDISTRIBUTE)

}  // namespace cyclade
