// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/npy.hpp"

#include <charconv>
#include <optional>
#include <vector>

namespace cyclade::npy {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr Index longest_header = Index{1} << 16;  // of a plain array it has some hundred bytes

/// A Python literal as far as headers need it: {'key': value, ...} with strings, True, False, and tuples of
/// whole numbers.
class Literal {
 public:
  Literal(const std::string& file, std::string_view text) : file_(file), rest_(text) {}

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found = rest_.empty() ? "its end" : "'" + std::string(rest_.substr(0, 20)) + "'";
    throw FileError(file_ + ": the .npy header is malformed: expected " + expected + ", found " + found);
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail("'" + std::string(word) + "'");
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  std::string string() {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) fail("a string in quotes");
    const char quote = rest_.front();
    const auto end = rest_.find(quote, 1);
    if (end == std::string_view::npos) fail("a closing quote");
    const std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    if (take("True")) return true;
    if (take("False")) return false;
    fail("True or False");
  }
  std::vector<Index> tuple() {
    std::vector<Index> values;
    expect("(");
    while (!take(")")) {
      skip_blanks();
      Index value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc() || value < 0) fail("a size");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take("L");  // as Python 2 wrote long integers
      values.push_back(value);
      if (values.size() > 32) fail("at most 32 dimensions");
      if (take(",")) continue;
      expect(")");
      break;
    }
    return values;
  }

 private:
  const std::string& file_;
  std::string_view rest_;
};

std::optional<ElementType> element_of(std::string_view code) {
  constexpr std::pair<std::string_view, ElementType> known[] = {
      {"f4", ElementType::f4}, {"f8", ElementType::f8}, {"c8", ElementType::c8}, {"c16", ElementType::c16},
      {"i1", ElementType::i1}, {"i2", ElementType::i2}, {"i4", ElementType::i4}, {"i8", ElementType::i8},
      {"u1", ElementType::u1}, {"u2", ElementType::u2}, {"u4", ElementType::u4}, {"u8", ElementType::u8},
      {"b1", ElementType::b1}};
  for (const auto& [name, type] : known)
    if (name == code) return type;
  return std::nullopt;
}

void read_type(const std::string& file, const std::string& descr, ArrayLayout& array) {
  const std::string_view order = std::string_view(descr).substr(0, 1);
  const bool has_order = order == "<" || order == ">" || order == "|" || order == "=";
  const auto type = element_of(std::string_view(descr).substr(has_order ? 1 : 0));
  if (!type) {
    throw FileError(
        file + ": elements of type '" + descr +
        "' are not numbers that Cyclade reads; convert to float32, float64, complex64 or complex128");
  }
  array.element = *type;
  array.big_endian = order == ">";
}

std::string shape_words(const std::vector<Index>& shape) {
  std::string text = "(";
  for (const Index n : shape) text += std::to_string(n) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  return text + ")";
}

Index little_endian(std::string_view bytes) {
  Index value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value * 256 + static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string bytes_of(const Source& source, Index offset, Index count) {
  std::string bytes(static_cast<std::size_t>(std::max<Index>(0, std::min(count, source.size - offset))),
                    '\0');
  if (!bytes.empty()) source.read(offset, bytes);
  return bytes;
}

}  // namespace

ArrayLayout read_header(const Source& source) {
  const std::string& file = source.name;
  const std::string start = bytes_of(source, 0, 12);
  if (!start.starts_with(magic) || start.size() < 10)
    throw FileError(file + ": not an .npy file (it does not begin with \\x93NUMPY)");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    throw FileError(file + ": .npy version " + std::to_string(version) + " is not known; 1, 2 and 3 are");
  const Index prefix = version == 1 ? 10 : 12;
  const Index length = little_endian(std::string_view(start).substr(8, version == 1 ? 2 : 4));
  if (length > longest_header || prefix + length > source.size) {
    throw FileError(file + ": the .npy header claims " + std::to_string(length) + " bytes, the file has " +
                    std::to_string(source.size));
  }
  const std::string text = bytes_of(source, prefix, length);

  Literal literal(file, text);
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<Index>> shape;
  literal.expect("{");
  while (!literal.take("}")) {
    const std::string key = literal.string();
    literal.expect(":");
    if (key == "descr") {
      if (literal.take("[")) throw FileError(file + ": holds records (a structured type), not numbers");
      descr = literal.string();
    } else if (key == "fortran_order") {
      fortran = literal.boolean();
    } else if (key == "shape") {
      shape = literal.tuple();
    } else {
      throw FileError(file + ": the .npy header has an unknown key '" + key + "'");
    }
    if (literal.take(",")) continue;
    literal.expect("}");
    break;
  }
  if (!literal.at_end()) literal.fail("nothing after '}'");
  if (!descr || !fortran || !shape)
    throw FileError(file + ": the .npy header lacks 'descr', 'fortran_order' or 'shape'");

  ArrayLayout array;
  read_type(file, *descr, array);
  if (shape->size() != 2)
    throw FileError(file + ": needs a matrix (two dimensions), got the shape " + shape_words(*shape));
  array.row_major = !*fortran;
  array.rows = (*shape)[0];
  array.cols = (*shape)[1];
  array.offset = prefix + length;
  const Index bytes = total_bytes(array);
  if (bytes != source.size) {
    throw FileError(file + ": the shape " + shape_words(*shape) + " of " +
                    std::string(to_string(array.element)) + " needs " +
                    (bytes < 0 ? std::string("more than 2^63") : std::to_string(bytes)) +
                    " bytes, the file has " + std::to_string(source.size));
  }
  return array;
}

std::string write_header(ArrayLayout& array) {
  constexpr std::string_view codes[] = {"f4", "f8", "c8", "c16", "i1", "i2", "i4",
                                        "i8", "u1", "u2", "u4",  "u8", "b1"};
  std::string text = "{'descr': '" + std::string(array.big_endian ? ">" : "<") +
                     std::string(codes[static_cast<std::size_t>(array.element)]) +
                     "', 'fortran_order': " + (array.row_major ? "False" : "True") + ", 'shape': (" +
                     std::to_string(array.rows) + ", " + std::to_string(array.cols) + "), }";
  const std::size_t whole = (10 + text.size() + 1 + 63) / 64 * 64;
  text.resize(whole - 10 - 1, ' ');
  text += '\n';
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(text.size() % 256), static_cast<char>(text.size() / 256)};
  array.offset = static_cast<Index>(whole);
  return header + text;
}

}  // namespace cyclade::npy
