// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/communicator.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>
#include <string>
#include <utility>

namespace cyclade {
namespace {

constexpr int tag = 0;  // one tag: messages between two ranks keep their order

char* at(void* data, Index offset, std::size_t width) {
  return static_cast<char*>(data) + static_cast<std::size_t>(offset) * width;
}
const char* at(const void* data, Index offset, std::size_t width) {
  return static_cast<const char*>(data) + static_cast<std::size_t>(offset) * width;
}

void wait_all(std::vector<MPI_Request>& requests) {
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

}  // namespace

void check(int code, const char* call, std::source_location where) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw MpiError(std::string(call) + " failed at " + where.file_name() + ":" + std::to_string(where.line()) +
                 ": " + std::string(text, static_cast<std::size_t>(length)));
}

template <class F>
void Communicator::in_parts(Index count, F&& f) const {
  for (Index done = 0; done < count; done += largest_)
    f(done, static_cast<int>(std::min(largest_, count - done)));
}

Communicator Communicator::adopt(MPI_Comm comm, Traffic* traffic, Index largest) {
  Communicator result;
  if (comm == MPI_COMM_NULL) return result;
  result.comm_ = comm;
  result.traffic_ = traffic;
  result.largest_ = largest;
  check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm, &result.rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &result.size_), "MPI_Comm_size");
  return result;
}

Communicator Communicator::duplicate(MPI_Comm parent, Traffic* traffic, Index largest) {
  require(parent != MPI_COMM_NULL, "communicator: the parent is MPI_COMM_NULL");
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_dup(parent, &comm), "MPI_Comm_dup");
  return adopt(comm, traffic, largest);
}

Communicator Communicator::split(int color, int key) const {
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_split(comm_, color, key, &comm), "MPI_Comm_split");
  return adopt(comm, traffic_, largest_);
}

Communicator Communicator::split_by_node() const {
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &comm), "MPI_Comm_split_type");
  return adopt(comm, traffic_, largest_);
}

Communicator::Communicator(Communicator&& other) noexcept { *this = std::move(other); }

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  std::swap(traffic_, other.traffic_);
  std::swap(largest_, other.largest_);
  return *this;
}

Communicator::~Communicator() {
  if (comm_ == MPI_COMM_NULL) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&comm_);
}

void Communicator::received(Index words, Index messages) const {
  if (traffic_) *traffic_ += {words, messages};
}

std::vector<int> Communicator::ranks_in(const Communicator& other) const {
  MPI_Group mine = MPI_GROUP_NULL, theirs = MPI_GROUP_NULL;
  check(MPI_Comm_group(comm_, &mine), "MPI_Comm_group");
  check(MPI_Comm_group(other.comm_, &theirs), "MPI_Comm_group");
  std::vector<int> ranks(static_cast<std::size_t>(size_)), found(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  check(MPI_Group_translate_ranks(mine, size_, ranks.data(), theirs, found.data()),
        "MPI_Group_translate_ranks");
  check(MPI_Group_free(&mine), "MPI_Group_free");
  check(MPI_Group_free(&theirs), "MPI_Group_free");
  std::ranges::replace(found, MPI_UNDEFINED, -1);
  return found;
}

void Communicator::barrier() const { check(MPI_Barrier(comm_), "MPI_Barrier"); }

void Communicator::send_(const void* data, Index count, MPI_Datatype type, std::size_t width, int to) const {
  in_parts(count, [&](Index offset, int n) {
    check(MPI_Send(at(data, offset, width), n, type, to, tag, comm_), "MPI_Send");
  });
}

void Communicator::receive_(void* data, Index count, MPI_Datatype type, std::size_t width, int from) const {
  in_parts(count, [&](Index offset, int n) {
    check(MPI_Recv(at(data, offset, width), n, type, from, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
  });
  received(count, parts(count));
}

void Communicator::send_receive_(const void* out, Index count_out, int to, void* in, Index count_in, int from,
                                 MPI_Datatype type, std::size_t width) const {
  exchange_({{to, const_cast<void*>(out), count_out}}, {{from, in, count_in}}, type, width);
}

void Communicator::exchange_(const std::vector<RawPiece>& out, const std::vector<RawPiece>& in,
                             MPI_Datatype type, std::size_t width) const {
  std::vector<MPI_Request> requests;
  for (const auto& piece : in) {
    in_parts(piece.count, [&](Index offset, int n) {
      check(MPI_Irecv(at(piece.data, offset, width), n, type, piece.rank, tag, comm_,
                      &requests.emplace_back(MPI_REQUEST_NULL)),
            "MPI_Irecv");
    });
    received(piece.count, parts(piece.count));
  }
  for (const auto& piece : out) {
    in_parts(piece.count, [&](Index offset, int n) {
      check(MPI_Isend(at(piece.data, offset, width), n, type, piece.rank, tag, comm_,
                      &requests.emplace_back(MPI_REQUEST_NULL)),
            "MPI_Isend");
    });
  }
  wait_all(requests);
}

MPI_Request Communicator::start_send_(const void* data, Index count, MPI_Datatype type, int to) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(data, static_cast<int>(count), type, to, tag, comm_, &request), "MPI_Isend");
  return request;
}

MPI_Request Communicator::start_receive_(void* data, Index count, MPI_Datatype type, int from) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(data, static_cast<int>(count), type, from, tag, comm_, &request), "MPI_Irecv");
  received(count, 1);
  return request;
}

void Communicator::broadcast_(void* data, Index count, MPI_Datatype type, std::size_t width, int root) const {
  if (size_ == 1) return;
  in_parts(count, [&](Index offset, int n) {
    check(MPI_Bcast(at(data, offset, width), n, type, root, comm_), "MPI_Bcast");
  });
  if (rank_ != root) received(count, parts(count));
}

void Communicator::all_reduce_(void* data, Index count, MPI_Datatype type, std::size_t width,
                               MPI_Op op) const {
  if (size_ == 1) return;
  in_parts(count, [&](Index offset, int n) {
    check(MPI_Allreduce(MPI_IN_PLACE, at(data, offset, width), n, type, op, comm_), "MPI_Allreduce");
  });
  const Index rounds = std::bit_width(static_cast<unsigned>(size_ - 1));
  received(rounds * count, rounds * parts(count));
}

void Communicator::all_gather_(const void* each, void* all, Index count, MPI_Datatype type) const {
  require(count <= largest_message, "all_gather: at most " + std::to_string(largest_message) +
                                        " elements a rank, got " + std::to_string(count));
  if (count == 0) return;
  const int n = static_cast<int>(count);
  check(MPI_Allgather(each, n, type, all, n, type, comm_), "MPI_Allgather");
  received(count * (size_ - 1), size_ - 1);
}

void Communicator::all_gather_v_(void* all, std::span<const Index> counts, MPI_Datatype type,
                                 std::size_t width) const {
  require(std::ssize(counts) == size_, "all_gather_v: needs one count a rank");
  if (size_ == 1) return;
  std::vector<int> n, offsets;
  Index total = 0, messages = 0;
  for (int r = 0; r < size_; ++r) {
    const Index count = counts[static_cast<std::size_t>(r)];
    n.push_back(static_cast<int>(std::min(count, largest_)));
    offsets.push_back(static_cast<int>(std::min(total, largest_)));
    total += count;
    if (r != rank_ && count > 0) ++messages;
  }
  if (total == 0) return;
  if (total > largest_) {  // as one broadcast from each rank
    Index offset = 0;
    for (int r = 0; r < size_; ++r) {
      broadcast_(at(all, offset, width), counts[static_cast<std::size_t>(r)], type, width, r);
      offset += counts[static_cast<std::size_t>(r)];
    }
    return;
  }
  check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n.data(), offsets.data(), type, comm_),
        "MPI_Allgatherv");
  received(total - counts[static_cast<std::size_t>(rank_)], messages);
}

void agree(const Communicator& comm, const std::function<void()>& work) {
  int kind = 0;
  std::string text;
  try {
    work();
  } catch (const Error& error) {
    kind = static_cast<int>(error.kind());
    text = error.what();
  } catch (const std::bad_alloc&) {
    kind = static_cast<int>(ErrorKind::memory);
    text = "out of memory";
  } catch (const std::exception& error) {
    kind = static_cast<int>(ErrorKind::internal);
    text = error.what();
  } catch (...) {  // no rank may leave the others waiting
    kind = static_cast<int>(ErrorKind::internal);
    text = "an exception of unknown type";
  }
  const int first = comm.min(kind == 0 ? comm.size() : comm.rank());
  if (first == comm.size()) return;
  Index head[2] = {kind, static_cast<Index>(text.size())};
  comm.broadcast(std::span<Index>(head), first);
  text.resize(static_cast<std::size_t>(head[1]));
  comm.broadcast(std::span<char>(text), first);
  throw_error(static_cast<ErrorKind>(head[0]), text);
}

}  // namespace cyclade
