// Text in memory as the formats' input, files of the shared folder, and damaged copies of either.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "cyclade/io/bytes.hpp"

namespace cyclade {

/// Reads of the text; one outside of it throws, which fails the test.
inline Source memory_source(const std::string& text, const std::string& name = "test.mtx") {
  return {name, static_cast<Index>(text.size()), [text](Index offset, std::span<char> into) {
            const auto begin = static_cast<std::size_t>(offset);
            if (offset < 0 || begin + into.size() > text.size())
              throw std::logic_error("read outside of the file");
            std::copy_n(text.begin() + offset, into.size(), into.begin());
          }};
}

/// The bytes of a file; empty if there is none.
inline std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Copy `number` of the text with one kind of damage: cut short, bytes changed, a digit changed, a line lost
/// or doubled.
inline std::string mutated(std::string text, std::uint64_t number) {
  std::uint64_t state = number * 0x9E3779B97F4A7C15u + 1;
  const auto below = [&](std::size_t limit) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<std::size_t>(state % limit);
  };
  for (int k = 0; k < 4; ++k) below(2);
  const std::size_t at = below(text.size());
  switch (number % 5) {
    case 0:
      text.resize(at);
      break;
    case 1:
      for (int k = 0; k < 3; ++k) text[below(text.size())] = static_cast<char>(below(256));
      break;
    case 2: {  // sizes, indices, exponents
      const std::size_t digit =
          std::min(text.find_first_of("0123456789", below(2) ? 0 : at), text.size() - 1);
      text.insert(digit, 1 + below(12), static_cast<char>('0' + below(10)));
      break;
    }
    case 3: {
      const std::size_t end = text.find('\n', at);
      if (end != text.npos) text.erase(at, end - at + 1);
      break;
    }
    default:
      text.insert(at, text.substr(at / 2, 40));
  }
  return text;
}

}  // namespace cyclade
