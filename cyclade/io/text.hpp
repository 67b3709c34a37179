// Lines, words and numbers of text files, as all text formats need them: fast, exact (shortest digits that
// read back the same; correctly rounded), and the same in every locale. What is wrong is thrown as Wrong,
// with what was expected and what was found; the reader of the file adds its name and the line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "cyclade/base/scalar.hpp"

namespace cyclade::text {

/// "expected ..., found ...": an error that does not know its line yet.
struct Wrong {
  std::string what;
};
[[noreturn]] void wrong(const std::string& expected, const std::string& found);

/// Between words. A carriage return counts: lines may end as DOS ends them.
inline constexpr std::string_view blanks = " \t\r\v\f";

/// Takes the next word off the front of a line; empty when there is none.
std::string_view next_word(std::string_view& line);
/// Takes the next line, without its end, off the front of the text.
std::string_view next_line(std::string_view& text);
/// A word as a message may show it: in quotes, short, and printable.
std::string shown(std::string_view text);

inline constexpr Index unlimited = std::numeric_limits<Index>::max();

/// A whole number from `smallest` to `largest`, or Wrong; `what` names it in the message.
Index whole_number(std::string_view word, Index smallest, Index largest, const std::string& what);

/// A number, correctly rounded to R = float or double, or Wrong: as C writes them, also with a leading +,
/// with D for the exponent (Fortran), NaN and Inf. Too small becomes 0; too large for R is Wrong. `integer`
/// allows only a sign and digits.
template <class R>
R real_number(std::string_view word, bool integer);

/// Appends the shortest digits that read back as the same R.
template <class R>
void append_number(std::string& line, R value);

}  // namespace cyclade::text
