// .npy headers byte by byte: every version and spelling that is legal, and what is refused.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/memory_source.hpp"

namespace cyclade::npy {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Magic, version, length and text, then `data` zero bytes.
std::string file_of(int version, const std::string& text, std::size_t data) {
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), '\0'};
  for (std::size_t k = 0; k < (version == 1 ? 2 : 4); ++k)
    file += static_cast<char>((text.size() >> (8 * k)) & 255);
  return file + text + std::string(data, '\0');
}

std::string text_of(const std::string& descr, const std::string& fortran, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

ArrayLayout header_of(const std::string& file) { return read_header(memory_source(file, "a.npy")); }

TEST(NpyHeader, all_versions_are_read) {
  const std::string text = text_of("'<f8'", "True", "(2, 3)");
  for (const int version : {1, 2, 3}) {
    const ArrayLayout array = header_of(file_of(version, text, 48));
    EXPECT_EQ(array.element, ElementType::f8);
    EXPECT_FALSE(array.big_endian);
    EXPECT_FALSE(array.row_major);
    EXPECT_EQ(array.rows, 2);
    EXPECT_EQ(array.cols, 3);
    EXPECT_EQ(array.offset, (version == 1 ? 10 : 12) + static_cast<Index>(text.size()));
  }
}

TEST(NpyHeader, legal_spellings_are_read) {
  for (const char* text : {
           "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}",
           "{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (2, 3)}",
           "  {  'descr'  :  '<f8' ,'fortran_order':False,'shape':(2,3,),}   \n\n",
           "{'descr': 'f8', 'fortran_order': False, 'shape': (2L, 3L), }",
           "{'descr': '=f8',\n 'fortran_order': False,\n 'shape': (2, 3)\n}\t",
       }) {
    const ArrayLayout array = header_of(file_of(1, text, 48));
    EXPECT_TRUE(array.row_major) << text;
    EXPECT_EQ(array.rows * 10 + array.cols, 23) << text;
  }
}

TEST(NpyHeader, all_element_types_are_read) {
  const std::pair<const char*, ElementType> types[] = {
      {"'<f4'", ElementType::f4},   {"'<f8'", ElementType::f8}, {"'<c8'", ElementType::c8},
      {"'<c16'", ElementType::c16}, {"'|i1'", ElementType::i1}, {"'<i2'", ElementType::i2},
      {"'<i4'", ElementType::i4},   {"'<i8'", ElementType::i8}, {"'|u1'", ElementType::u1},
      {"'<u2'", ElementType::u2},   {"'<u4'", ElementType::u4}, {"'<u8'", ElementType::u8},
      {"'|b1'", ElementType::b1}};
  for (const auto& [descr, type] : types) {
    const auto bytes = static_cast<std::size_t>(6 * size_of(type));
    EXPECT_EQ(header_of(file_of(1, text_of(descr, "False", "(2, 3)"), bytes)).element, type) << descr;
  }
  EXPECT_TRUE(header_of(file_of(1, text_of("'>c8'", "False", "(1, 1)"), 8)).big_endian);
  EXPECT_EQ(header_of(file_of(1, text_of("'<f8'", "False", "(0, 0)"), 0)).rows, 0);
}

TEST(NpyHeader, what_is_written_is_read_and_aligned) {
  for (const ElementType type : {ElementType::f4, ElementType::f8, ElementType::c8, ElementType::c16}) {
    for (const Index n : {Index{0}, Index{1}, Index{123456}, Index{1} << 31}) {
      ArrayLayout array{type, false, n % 2 == 0, n, 1, 0};
      const std::string header = write_header(array);
      EXPECT_EQ(header.size() % 64, 0U);
      EXPECT_EQ(array.offset, static_cast<Index>(header.size()));
      EXPECT_EQ(header.back(), '\n');
      Source source = memory_source(header, "a.npy");
      source.size = total_bytes(array);
      const ArrayLayout back = read_header(source);
      EXPECT_EQ(back.element, type);
      EXPECT_EQ(back.row_major, array.row_major);
      EXPECT_EQ(back.rows, n);
      EXPECT_EQ(back.cols, 1);
      EXPECT_EQ(back.offset, array.offset);
    }
  }
}

struct Bad {
  std::string bytes;
  const char* told;
};

std::vector<Bad> malformed() {
  const std::string good = text_of("'<f8'", "False", "(2, 3)");
  std::vector<Bad> all = {
      {"", "not an .npy"},
      {"\x93NUMP", "not an .npy"},
      {"PK\3\4 a zip file of arrays", "not an .npy"},
      {file_of(1, good, 48).substr(0, 8), "not an .npy"},
      {file_of(2, good, 48).substr(0, 11), "claims"},
      {file_of(0, good, 48), "version 0"},
      {file_of(4, good, 48), "version 4"},
      {file_of(1, good, 48).substr(0, 40), "claims"},
      {file_of(1, good, 47), "the file has"},
      {file_of(1, good, 49), "the file has"},
      {file_of(1, good, 0), "the file has"},
      {std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12) + good, "claims 4294967295 bytes"},
      {std::string("\x93NUMPY\3\0\0\0\0\x40", 12) + good, "claims"},
      {file_of(1, "", 48), "expected '{', found its end"},
      {file_of(1, "[1, 2]", 48), "expected '{'"},
      {file_of(1, "{", 48), "a string in quotes"},
      {file_of(1, "{'descr", 48), "a closing quote"},
      {file_of(1, "{'descr' '<f8'}", 48), "expected ':'"},
      {file_of(1, "{'descr': '<f8' 'shape': (2, 3)}", 48), "expected '}'"},
      {file_of(1, good + "x", 48), "nothing after"},
      {file_of(1, "{'descr': '<f8', 'fortran_order': False, }", 48), "lacks"},
      {file_of(1, "{'descr': '<f8', 'shape': (2, 3), }", 48), "lacks"},
      {file_of(1, "{'fortran_order': False, 'shape': (2, 3), }", 48), "lacks"},
      {file_of(1, "{}", 48), "lacks"},
      {file_of(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'x': 1}", 48),
       "unknown key 'x'"},
  };
  const std::pair<const char*, const char*> types[] = {{"'<f2'", "<f2"},
                                                       {"'<f16'", "<f16"},
                                                       {"'|O'", "|O"},
                                                       {"'<U3'", "<U3"},
                                                       {"'|S8'", "|S8"},
                                                       {"'<M8[ns]'", "M8"},
                                                       {"''", "type ''"},
                                                       {"'<'", "type '<'"},
                                                       {"'<<f8'", "<<f8"},
                                                       {"8", "a string"},
                                                       {"[('a', '<f8')]", "records"}};
  for (const auto& [descr, told] : types)
    all.push_back({file_of(1, text_of(descr, "False", "(2, 3)"), 48), told});
  const std::pair<const char*, const char*> shapes[] = {
      {"()", "the shape ()"},
      {"(6,)", "the shape (6,)"},
      {"(1, 2, 3)", "the shape (1, 2, 3)"},
      {"6", "expected '('"},
      {"(2 3)", "expected ')'"},
      {"(2,, 3)", "a size"},
      {"(-2, -3)", "a size"},
      {"(2.0, 3)", "expected ')'"},
      {"(2, 3", "a size"},
      {"(99999999999999999999, 3)", "a size"},
      {"(4294967296, 4294967296)", "more than 2^63"},
      {"(1000000000, 1000000000)", "needs 8000000000000000"},
      {"(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", "at most 32"}};
  for (const auto& [shape, told] : shapes)
    all.push_back({file_of(1, text_of("'<f8'", "False", shape), 48), told});
  for (const char* order : {"0", "false", "None", "'True'"})
    all.push_back({file_of(1, text_of("'<f8'", order, "(2, 3)"), 48), "True or False"});
  return all;
}

TEST(NpyHeader, malformed_files_are_refused_by_name) {
  EXPECT_GE(malformed().size(), 30U);
  for (const Bad& bad : malformed()) {
    try {
      header_of(bad.bytes);
      ADD_FAILURE() << "read: " << bad.bytes.substr(0, 200);
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), StartsWith("a.npy: "));
      EXPECT_THAT(error.what(), HasSubstr(bad.told));
    }
  }
}

}  // namespace
}  // namespace cyclade::npy
