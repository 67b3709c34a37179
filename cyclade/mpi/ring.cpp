// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/ring.hpp"

#include <algorithm>
#include <numeric>

namespace cyclade {

template <class T>
PipelinedBroadcast<T>::~PipelinedBroadcast() {
  // Only an exception leaves something under way: it must not write into memory that is about to be freed.
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return;
  for (auto* requests : {&arriving_, &leaving_}) {
    for (MPI_Request& request : *requests) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
  }
}

template <class T>
std::span<T> PipelinedBroadcast<T>::part(std::size_t segment) const {
  const std::size_t begin = segment * segment_;
  return data_.subspan(begin, std::min(segment_, data_.size() - begin));
}

template <class T>
void PipelinedBroadcast<T>::start(const Communicator& comm, std::span<T> data, int root,
                                  Index segment_bytes) {
  comm_ = &comm;
  data_ = data;
  passed_ = 0;
  arriving_.clear();
  leaving_.clear();
  segment_ = static_cast<std::size_t>(
      std::clamp<Index>(segment_bytes / static_cast<Index>(sizeof(T)), 1, largest_message));
  const int p = comm.size(), place = (comm.rank() - root + p) % p;  // distance from the root
  sends_ = place + 1 < p;
  const std::size_t segments = p == 1 ? 0 : (data.size() + segment_ - 1) / segment_;
  for (std::size_t s = 0; s < segments; ++s) {
    if (place == 0) {
      pass_on(s);
    } else {
      arriving_.push_back(comm.start_receive(part(s), (comm.rank() - 1 + p) % p));
    }
  }
}

template <class T>
void PipelinedBroadcast<T>::pass_on(std::size_t segment) {
  const std::span<const T> out = part(segment);
  if (sends_) leaving_.push_back(comm_->start_send(out, (comm_->rank() + 1) % comm_->size()));
}

template <class T>
void PipelinedBroadcast<T>::poll() {
  for (int arrived = 1; passed_ < arriving_.size(); ++passed_) {
    check(MPI_Test(&arriving_[passed_], &arrived, MPI_STATUS_IGNORE), "MPI_Test");
    if (!arrived) return;
    pass_on(passed_);
  }
  int left = 0;  // asking also drives what is on its way out
  if (!leaving_.empty())
    check(MPI_Testall(static_cast<int>(leaving_.size()), leaving_.data(), &left, MPI_STATUSES_IGNORE),
          "MPI_Testall");
}

template <class T>
void PipelinedBroadcast<T>::finish() {
  for (; passed_ < arriving_.size(); ++passed_) {
    check(MPI_Wait(&arriving_[passed_], MPI_STATUS_IGNORE), "MPI_Wait");
    pass_on(passed_);
  }
  check(MPI_Waitall(static_cast<int>(leaving_.size()), leaving_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

template <class T>
void ring_broadcast(const Communicator& comm, std::span<T> data, int root, Index segment_bytes) {
  PipelinedBroadcast<T> broadcast;
  broadcast.start(comm, data, root, segment_bytes);
  broadcast.finish();
}

template <class T>
void ring_allgather(const Communicator& comm, std::span<T> data, std::span<const Index> counts) {
  std::vector<int> members(counts.size());
  std::iota(members.begin(), members.end(), 0);
  std::vector<std::vector<std::span<T>>> held;
  for (const Index count : counts) {
    held.push_back({data.first(static_cast<std::size_t>(count))});
    data = data.subspan(static_cast<std::size_t>(count));
  }
  ring_allgather_among<T>(comm, members, held);
}

template <class T>
void ring_allgather_among(const Communicator& comm, std::span<const int> members,
                          std::span<const std::vector<std::span<T>>> held) {
  const std::size_t p = members.size();
  const auto me = static_cast<std::size_t>(std::ranges::find(members, comm.rank()) - members.begin());
  if (me == p) return;
  const int previous = members[(me + p - 1) % p], next = members[(me + 1) % p];
  for (std::size_t round = 0; round + 1 < p; ++round) {
    std::vector<Piece<const T>> out;
    std::vector<Piece<T>> in;
    for (const auto& piece : held[(me + p - round) % p]) out.push_back({next, piece});
    for (const auto& piece : held[(me + p - round - 1) % p]) in.push_back({previous, piece});
    comm.exchange(std::span<const Piece<const T>>(out), std::span<const Piece<T>>(in));
  }
}

#define CYCLADE_RING(T)                                                                       \
  template class PipelinedBroadcast<T>;                                                       \
  template void ring_broadcast<T>(const Communicator&, std::span<T>, int, Index);             \
  template void ring_allgather<T>(const Communicator&, std::span<T>, std::span<const Index>); \
  template void ring_allgather_among<T>(const Communicator&, std::span<const int>,            \
                                        std::span<const std::vector<std::span<T>>>);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_RING)
CYCLADE_RING(Index)

}  // namespace cyclade
