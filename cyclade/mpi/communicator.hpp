// A group of ranks and what they say to each other. Owns its MPI communicator (a duplicate of the caller's,
// or a split of one), counts what arrives, and splits messages that an int cannot count, in one place.
// Contiguous basic types only. Errors of MPI are thrown as MpiError. Nothing relies on MPI making progress by
// itself.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <source_location>
#include <span>
#include <vector>

#include "cyclade/base/error.hpp"
#include "cyclade/base/scalar.hpp"
#include "cyclade/mpi/traffic.hpp"

namespace cyclade {

/// Throws MpiError with MPI's own text, the call and the place, unless `code` is MPI_SUCCESS.
void check(int code, const char* call, std::source_location where = std::source_location::current());

namespace detail {
template <class T>
MPI_Datatype datatype();
template <>
inline MPI_Datatype datatype<float>() {
  return MPI_FLOAT;
}
template <>
inline MPI_Datatype datatype<double>() {
  return MPI_DOUBLE;
}
template <>
inline MPI_Datatype datatype<std::complex<float>>() {
  return MPI_C_FLOAT_COMPLEX;
}
template <>
inline MPI_Datatype datatype<std::complex<double>>() {
  return MPI_C_DOUBLE_COMPLEX;
}
template <>
inline MPI_Datatype datatype<Index>() {
  return MPI_INT64_T;
}
template <>
inline MPI_Datatype datatype<int>() {
  return MPI_INT;
}
template <>
inline MPI_Datatype datatype<char>() {
  return MPI_CHAR;
}
}  // namespace detail

/// Elements that one MPI call carries at the most, unless a communicator is told otherwise; longer messages
/// are split.
inline constexpr Index largest_message = Index{1} << 26;

/// A part of an exchange: a contiguous piece for, or from, one rank.
template <class T>
struct Piece {
  int rank = 0;
  std::span<T> data;
};

class Communicator {
 public:
  /// No ranks; only assignment and destruction are allowed.
  Communicator() = default;
  /// Collective over `parent`. Arrivals are counted in `traffic`, which must outlive this, if it is given.
  /// Messages of more than `largest` elements are split, here and in all splits of this communicator.
  static Communicator duplicate(MPI_Comm parent, Traffic* traffic = nullptr, Index largest = largest_message);
  /// Collective. Ranks that give MPI_UNDEFINED get an empty communicator.
  Communicator split(int color, int key) const;
  /// Collective: the ranks that share memory with this one (a node).
  Communicator split_by_node() const;

  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  ~Communicator();

  bool exists() const { return comm_ != MPI_COMM_NULL; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm handle() const { return comm_; }

  /// Of each rank of this communicator, in order, its rank in `other`; -1 if it is not there. Local, no
  /// message: the two may have any members.
  std::vector<int> ranks_in(const Communicator& other) const;

  void barrier() const;

  /// Blocking, standard mode. An empty message is not sent: both sides know the size.
  template <class T>
  void send(std::span<const T> data, int to) const {
    send_(data.data(), size_of_(data), detail::datatype<T>(), sizeof(T), to);
  }
  template <class T>
  void receive(std::span<T> data, int from) const {
    receive_(data.data(), size_of_(data), detail::datatype<T>(), sizeof(T), from);
  }
  /// Both at once, without deadlock whatever MPI buffers.
  template <class T>
  void send_receive(std::span<const T> out, int to, std::span<T> in, int from) const {
    send_receive_(out.data(), size_of_(out), to, in.data(), size_of_(in), from, detail::datatype<T>(),
                  sizeof(T));
  }
  /// All pieces out and in at once; empty pieces send nothing; pieces for this rank itself are not allowed.
  template <class T>
  void exchange(std::span<const Piece<const T>> out, std::span<const Piece<T>> in) const {
    std::vector<RawPiece> raw_out, raw_in;
    for (const auto& p : out) raw_out.push_back({p.rank, const_cast<T*>(p.data.data()), size_of_(p.data)});
    for (const auto& p : in) raw_in.push_back({p.rank, p.data.data(), size_of_(p.data)});
    exchange_(raw_out, raw_in, detail::datatype<T>(), sizeof(T));
  }

  /// Begins to send (receive) one message of at most largest_message elements; counted now. The caller
  /// completes the request.
  template <class T>
  MPI_Request start_send(std::span<const T> data, int to) const {
    return start_send_(data.data(), size_of_(data), detail::datatype<T>(), to);
  }
  template <class T>
  MPI_Request start_receive(std::span<T> data, int from) const {
    return start_receive_(data.data(), size_of_(data), detail::datatype<T>(), from);
  }

  /// MPI_Bcast. Ranks other than the root count what arrives.
  template <class T>
  void broadcast(std::span<T> data, int root) const {
    broadcast_(data.data(), size_of_(data), detail::datatype<T>(), sizeof(T), root);
  }
  template <class T>
  void all_reduce_sum(std::span<T> data) const {
    all_reduce_(data.data(), size_of_(data), detail::datatype<T>(), sizeof(T), MPI_SUM);
  }
  template <class T>
  void all_reduce_max(std::span<T> data) const {
    all_reduce_(data.data(), size_of_(data), detail::datatype<T>(), sizeof(T), MPI_MAX);
  }
  template <class T>
  void all_reduce_min(std::span<T> data) const {
    all_reduce_(data.data(), size_of_(data), detail::datatype<T>(), sizeof(T), MPI_MIN);
  }
  template <class T>
  T sum(T value) const {
    all_reduce_sum(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  T max(T value) const {
    all_reduce_max(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  T min(T value) const {
    all_reduce_min(std::span<T>(&value, 1));
    return value;
  }
  /// `each.size()` elements from every rank, in rank order.
  template <class T>
  std::vector<T> all_gather(std::span<const T> each) const {
    std::vector<T> all(each.size() * static_cast<std::size_t>(size_));
    all_gather_(each.data(), all.data(), size_of_(each), detail::datatype<T>());
    return all;
  }

  /// MPI_Allgatherv: pieces of any size in rank order, counts[r] elements of rank r; each rank has filled in
  /// its own in `all`. What an int cannot count goes as one broadcast from each rank.
  template <class T>
  void all_gather_v(std::span<T> all, std::span<const Index> counts) const {
    all_gather_v_(all.data(), counts, detail::datatype<T>(), sizeof(T));
  }

  /// Elements that arrived through this communicator and those that share its counter.
  Traffic* traffic() const { return traffic_; }

 private:
  struct RawPiece {
    int rank;
    void* data;
    Index count;
  };
  template <class S>
  static Index size_of_(const S& span) {
    return static_cast<Index>(span.size());
  }
  static Communicator adopt(MPI_Comm comm, Traffic* traffic, Index largest);
  /// Calls that a message of `count` elements takes.
  Index parts(Index count) const { return (count + largest_ - 1) / largest_; }
  /// Calls f(offset, count) for each of them.
  template <class F>
  void in_parts(Index count, F&& f) const;
  void received(Index words, Index messages) const;

  void send_(const void* data, Index count, MPI_Datatype type, std::size_t width, int to) const;
  void receive_(void* data, Index count, MPI_Datatype type, std::size_t width, int from) const;
  void send_receive_(const void* out, Index count_out, int to, void* in, Index count_in, int from,
                     MPI_Datatype type, std::size_t width) const;
  void exchange_(const std::vector<RawPiece>& out, const std::vector<RawPiece>& in, MPI_Datatype type,
                 std::size_t width) const;
  MPI_Request start_send_(const void* data, Index count, MPI_Datatype type, int to) const;
  MPI_Request start_receive_(void* data, Index count, MPI_Datatype type, int from) const;
  void broadcast_(void* data, Index count, MPI_Datatype type, std::size_t width, int root) const;
  void all_reduce_(void* data, Index count, MPI_Datatype type, std::size_t width, MPI_Op op) const;
  void all_gather_(const void* each, void* all, Index count, MPI_Datatype type) const;
  void all_gather_v_(void* all, std::span<const Index> counts, MPI_Datatype type, std::size_t width) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  Traffic* traffic_ = nullptr;
  Index largest_ = largest_message;
};

/// Runs `work` on every rank; if it throws on any, the error of the lowest such rank is thrown on all.
/// Collective. `work` itself must not communicate: it is for what one rank alone can know (a file, a pointer,
/// memory). Exceptions that are not Cyclade's travel as InternalError with their text (bad_alloc:
/// MemoryError).
void agree(const Communicator& comm, const std::function<void()>& work);

}  // namespace cyclade
