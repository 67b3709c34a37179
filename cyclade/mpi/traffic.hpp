// What a rank has received: the figure by which communication is judged. Words are matrix elements or indices
// of the payload. Point-to-point messages and broadcasts count what arrives; a reduction counts the elements
// of its ceil(log2 P) rounds. Nothing is guessed: every call in mpi/ adds to the counter of its communicator.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/base/scalar.hpp"

namespace cyclade {

struct Traffic {
  Index words_received = 0;
  Index messages_received = 0;

  constexpr Traffic operator-(const Traffic& earlier) const {
    return {words_received - earlier.words_received, messages_received - earlier.messages_received};
  }
  constexpr Traffic& operator+=(const Traffic& more) {
    words_received += more.words_received;
    messages_received += more.messages_received;
    return *this;
  }
  constexpr bool operator==(const Traffic&) const = default;
};

}  // namespace cyclade
