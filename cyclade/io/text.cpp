// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace cyclade::text {
namespace {

constexpr Index huge_exponent = 1 << 20;  // beyond any floating point type

/// The power of ten in front of the first digit that is not 0: tells "too large" from "too small". 0 for 0.
Index decimal_exponent(std::string_view number) {
  Index exponent = 0, before = 0, zeros = 0;
  bool point = false, started = false;
  for (std::size_t k = 0; k < number.size(); ++k) {
    const char c = number[k];
    if (c == 'e' || c == 'E') {
      const std::string_view rest = number.substr(k + 1 + (number.substr(k + 1).starts_with('+') ? 1 : 0));
      const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
      if (parsed.ec == std::errc::result_out_of_range)
        exponent = rest.starts_with('-') ? -huge_exponent : huge_exponent;
      break;
    }
    if (c == '.') point = true;
    if (c >= '1' && c <= '9') started = true;
    if (c >= '0' && c <= '9' && started && !point) ++before;
    if (c == '0' && !started && point) ++zeros;
  }
  return started ? std::clamp(exponent, -huge_exponent, huge_exponent) + before - zeros : 0;
}

}  // namespace

void wrong(const std::string& expected, const std::string& found) {
  throw Wrong{"expected " + expected + ", found " + found};
}

std::string_view next_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(blanks), line.size());
  const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
  const std::string_view found = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return found;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string shown(std::string_view text) {
  if (text.empty()) return "the end of the line";
  std::string result = "\"";
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 40 ? "...\"" : "\"");
}

Index whole_number(std::string_view word, Index smallest, Index largest, const std::string& what) {
  const auto expected = [&] {
    return what + ", a whole number from " + std::to_string(smallest) +
           (largest == unlimited ? std::string(" on") : " to " + std::to_string(largest));
  };
  Index value = -1;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code == std::errc::result_out_of_range && word.front() != '-')
    wrong(expected(), shown(word) + ", more than 64 bits can count");
  if (code != std::errc() || end != word.data() + word.size() || value < smallest || value > largest)
    wrong(expected(), shown(word));
  return value;
}

template <class R>
R real_number(std::string_view word, bool integer) {
  const char* const kind = integer ? "a whole number" : "a number";
  std::string_view digits = word;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || digits.starts_with('+') || (digits.size() < word.size() && digits.starts_with('-')))
    wrong(kind, shown(word));
  if (integer && digits.find_first_not_of("0123456789", digits.front() == '-' ? 1 : 0) != digits.npos)
    wrong(kind, shown(word));
  std::string fortran;
  if (digits.find_first_of("dD") != digits.npos) {
    fortran = digits;
    std::replace_if(
        fortran.begin(), fortran.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
    digits = fortran;
  }
  R value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) wrong(kind, shown(word));
  if (code == std::errc::result_out_of_range) {
    if (decimal_exponent(digits) > 0)
      wrong(std::string("a number that a ") + (sizeof(R) == 4 ? "float" : "double") + " can hold",
            shown(word));
    return digits.front() == '-' ? -R{0} : R{0};
  }
  return value;
}

template <class R>
void append_number(std::string& line, R value) {
  std::array<char, 40> digits;
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  line.append(digits.data(), end);
}

template float real_number<float>(std::string_view, bool);
template double real_number<double>(std::string_view, bool);
template void append_number<float>(std::string&, float);
template void append_number<double>(std::string&, double);

}  // namespace cyclade::text
