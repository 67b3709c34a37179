// The text of Matrix Market files, without MPI: what is accepted, what is refused and where, numbers to the
// last bit, and that a file means the same however it is cut into pieces.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/matrix_market_text.hpp"

#include <cmath>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/error.hpp"
#include "cyclade/io/text.hpp"
#include "tests/io/memory_source.hpp"

namespace cyclade::matrix_market {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Z = std::complex<double>;
using Entry = std::tuple<Index, Index, Z>;

struct Parsed {
  Header header;
  std::vector<Entry> entries;
  std::string error;
  Index lines = 0;
};

/// The whole file, piece after piece; stops at the first error.
Parsed parse(const std::string& text, Index piece_bytes = Index{1} << 16) {
  Parsed all;
  const Source source = memory_source(text);
  try {
    all.header = read_header(source);
  } catch (const FileError& error) {
    all.error = error.what();
    return all;
  }
  Index line = all.header.size_line + 1, entry = 0;
  for (Index at = all.header.data_begin; at < source.size; at += piece_bytes) {
    const std::string piece = whole_lines(source, at, at + piece_bytes);
    const auto result =
        parse_piece<Z>(all.header, source.name, piece, line, entry,
                       [&](Index i, Index j, const Z& v) { all.entries.emplace_back(i, j, v); });
    if (result.error_line != no_line) {
      all.error = result.error;
      break;
    }
    const LineCounts counts = count_lines(piece);
    line += counts.lines;
    entry += counts.entries;
  }
  all.lines = line - 1;
  return all;
}

TEST(MatrixMarketText, ReadsEveryBannerThatMakesSense) {
  int combinations = 0;
  for (const Form form : {Form::array, Form::coordinate}) {
    for (const Field field : {Field::real, Field::integer, Field::complex, Field::pattern}) {
      for (const Symmetry symmetry :
           {Symmetry::general, Symmetry::symmetric, Symmetry::skew, Symmetry::hermitian}) {
        const std::string text = std::string("%%MatrixMarket matrix ") + word(form) + " " + word(field) +
                                 " " + word(symmetry) + "\n0 0" + (form == Form::coordinate ? " 0\n" : "\n");
        const bool sensible =
            !(field == Field::pattern && (form == Form::array || symmetry == Symmetry::skew)) &&
            !(symmetry == Symmetry::hermitian && field != Field::complex);
        const Parsed parsed = parse(text);
        EXPECT_EQ(parsed.error.empty(), sensible) << text << parsed.error;
        if (!sensible) {
          EXPECT_THAT(parsed.error, StartsWith("test.mtx:1: expected "));
          continue;
        }
        ++combinations;
        EXPECT_EQ(parsed.header.form, form);
        EXPECT_EQ(parsed.header.field, field);
        EXPECT_EQ(parsed.header.symmetry, symmetry);
      }
    }
  }
  EXPECT_EQ(combinations, 10 + 12);  // array and coordinate
}

TEST(MatrixMarketText, HeaderMayHaveAnyCaseBlankLinesCommentsAndLineEnds) {
  for (const std::string text :
       {"%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 5\n",
        "%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL\n% c\n\n  % c\n2 3 1\n2 3 5",
        "%%matrixmarket\tMatrix  Coordinate Integer General  \r\n\r\n%\r\n 2\t3  1 \r\n\r\n% c\r\n 2 3 "
        "+5\r\n\r\n",
        "%MatrixMarket matrix coordinate double general\n2 3 1\n%\n2 3 .5D+1\n",
        "\xEF\xBB\xBF%%MatrixMarket matrix coordinate unsigned-integer general\n2 3 1\n2 3 5\n"}) {
    const Parsed parsed = parse(text);
    EXPECT_EQ(parsed.error, "") << text;
    EXPECT_EQ(parsed.header.rows, 2);
    EXPECT_EQ(parsed.header.cols, 3);
    EXPECT_THAT(parsed.entries, testing::ElementsAre(Entry{1, 2, 5.0})) << text;
  }
}

TEST(MatrixMarketText, RefusesBrokenHeadersWithLineExpectedAndFound) {
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n",
                    dense = "%%MatrixMarket matrix array real ";
  const std::vector<std::tuple<std::string, std::string>> broken = {
      {"", "test.mtx:1: expected the banner"},
      {"\n", "test.mtx:1: expected \"%%MatrixMarket matrix"},
      {"2 2\n1.3 2.4\n", "test.mtx:1: expected \"%%MatrixMarket matrix"},
      {"%%MatrixMarket junk coordinate real general\n",
       "test.mtx:1: expected the object (one of: matrix), found \"junk\""},
      {"%%MatrixMarket matrix junk real general\n", "(one of: array, coordinate), found \"junk\""},
      {"%%MatrixMarket matrix array\n", "test.mtx:1: expected the field"},
      {"%%MatrixMarket matrix array real generally\n", "found \"generally\""},
      {"%%MatrixMarket matrix array real general x\n2 2\n",
       "test.mtx:1: expected the end of the line after the symmetry, found \"x\""},
      {"%%MatrixMarket matrix array real general",
       "test.mtx:1: expected the line with the sizes, found the end"},
      {coordinate + "% only\n\n% comments\n", "test.mtx:4: expected the line with the sizes"},
      {coordinate + "2 2\n",
       "test.mtx:2: expected the number of entries, a whole number from 0 on, found the end of the line"},
      {coordinate + "\n2 2 1 1\n1 1 1\n", "test.mtx:3: expected the end of the line after the sizes"},
      {coordinate + "2 -2 1\n1 1 1\n",
       "test.mtx:2: expected the number of columns, a whole number from 0 on, found \"-2\""},
      {coordinate + "2.0 2 1\n1 1 1\n", "found \"2.0\""},
      {coordinate + "99999999999999999999 2 1\n1 1 1\n", "more than 64 bits can count"},
      {coordinate + "5000000000 5000000000 1\n1 1 1\n",
       "test.mtx:2: expected a matrix whose bytes 64 bits can count"},
      {coordinate + "0 0 1\n1 1 1\n", "test.mtx:2: expected 0 entries in a matrix without rows"},
      {dense + "general\n100000 100000\n1\n",
       "test.mtx:2: expected 10000000000 entries, at least 2 bytes each"},
      {dense + "symmetric\n2 3\n1\n1\n1\n",
       "test.mtx:2: expected a square matrix, since it is symmetric, found 2 x 3"},
      {dense + "general\n2 2 4\n1\n1\n1\n1\n",
       "test.mtx:2: expected the end of the line after the two sizes of an array, found \"4\""},
  };
  for (const auto& [text, message] : broken) {
    const Parsed parsed = parse(text);
    EXPECT_THAT(parsed.error, HasSubstr(message)) << text;
    EXPECT_THAT(parsed.error, StartsWith("test.mtx:")) << text;
  }
}

TEST(MatrixMarketText, RefusesBrokenEntriesWithLineExpectedAndFound) {
  const std::string c = "%%MatrixMarket matrix coordinate ", a = "%%MatrixMarket matrix array ";
  const std::vector<std::tuple<std::string, std::string>> broken = {
      {c + "real general\n2 2 2\n1 1 1\n0 1 1\n",
       ":4: expected the row, a whole number from 1 to 2, found \"0\""},
      {c + "real general\n2 2 2\n1 1 1\n1 3 1\n",
       ":4: expected the column, a whole number from 1 to 2, found \"3\""},
      {c + "real general\n2 2 1\n1.0 1 1\n", ":3: expected the row"},
      {c + "real general\n2 2 1\n1 1\n", ":3: expected a number, found the end of the line"},
      {c + "real general\n2 2 1\n1 1 1 2\n", ":3: expected the end of the line after the entry, found \"2\""},
      {c + "real general\n2 2 1\n1 1 1%\n", ":3: expected a number, found \"1%\""},
      {c + "real general\n2 2 1\n1 1 1\n1 2 1\n",
       ":4: expected no more than the 1 entries that line 2 asks for"},
      {c + "pattern general\n2 2 1\n1 1 4\n",
       ":3: expected the end of the line after the entry (a pattern has no values"},
      {c + "integer general\n2 2 1\n1 1 1.5\n", ":3: expected a whole number, found \"1.5\""},
      {c + "integer general\n2 2 1\n1 1 nan\n", ":3: expected a whole number, found \"nan\""},
      {c + "complex general\n2 2 1\n1 1 1\n", ":3: expected the imaginary part"},
      {c + "complex hermitian\n2 2 1\n2 2 1.707 -1\n", ":3: expected a real number on the diagonal, (2,2)"},
      {c + "complex hermitian\n2 2 1\n2 2 1.707 nan\n", ":3: expected a real number on the diagonal, (2,2)"},
      {c + "real skew-symmetric\n2 2 1\n2 2 1\n", ":3: expected nothing but 0 on the diagonal, (2,2)"},
      {a + "real general\n2 1\n1 2\n3\n", ":3: expected the end of the line after the entry, found \"2\""},
      {a + "real general\n2 1\n1\n2\n\n% c\n3\n", ":7: expected no more than the 2 entries"},
      {a + "complex hermitian\n2 2\n1 0\n2 1\n\n1.707 -1\n",
       ":6: expected a real number on the diagonal, (2,2)"},
  };
  for (const auto& [text, message] : broken)
    for (const Index piece : {1, 7, 1000}) EXPECT_THAT(parse(text, piece).error, HasSubstr(message)) << text;
}

TEST(MatrixMarketText, MeansTheSameHoweverItIsCut) {
  const std::vector<std::string> texts = {
      "%%MatrixMarket matrix array complex symmetric\n2 2\n1.3 2.3\n\n3.4 1.7\n\n% comment here\n7.7 8.0",
      "%%MatrixMarket matrix coordinate real general\r\n3 3 3\r\n1 1 1\r\n\r\n  2 2 4\r\n%\r\n3 3 "
      "9\r\n\r\n\r\n",
      "%%MatrixMarket matrix array integer general\n4 2\n1\n2\n3\n4\n5\n6\n7\n8\n\n\n",
      "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 bad\n3 3 3\n",
      "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"};
  for (const std::string& text : texts) {
    const Parsed whole = parse(text);
    const Source source = memory_source(text);
    for (Index piece = 1; piece <= source.size + 1; ++piece) {
      const Parsed parts = parse(text, piece);
      EXPECT_EQ(parts.entries, whole.entries) << text << piece;
      EXPECT_EQ(parts.error, whole.error) << text << piece;
      if (whole.error.empty()) {
        EXPECT_EQ(parts.lines, whole.lines) << text << piece;
      }
      std::string joined;
      for (Index at = 0; at < source.size; at += piece) joined += whole_lines(source, at, at + piece);
      EXPECT_EQ(joined, text) << piece;
    }
  }
}

TEST(MatrixMarketText, NumbersAreRoundedCorrectlyAndWrittenShortest) {
  const auto number = [](std::string_view word) { return text::real_number<double>(word, false); };
  EXPECT_EQ(number("1."), 1);
  EXPECT_EQ(number("-.5"), -0.5);
  EXPECT_EQ(number("+1.0D+00"), 1);
  EXPECT_EQ(number("25d-2"), 0.25);
  EXPECT_EQ(number("1E3"), 1000);
  EXPECT_EQ(number("9007199254740993"), 9007199254740992);  // to even
  EXPECT_EQ(number("4.9e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(number("1e-400"), 0);
  EXPECT_TRUE(std::signbit(number("-1e-99999999999999999999")));
  EXPECT_EQ(number("0e99999999999999999999"), 0);
  EXPECT_EQ(number("0.0000001e309"), 1e302);
  EXPECT_TRUE(std::isnan(number("NaN")));
  EXPECT_EQ(number("-INF"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(number("infinity"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(text::real_number<float>("16777217", true), 16777216.0F);
  EXPECT_EQ(text::real_number<float>("1e-50", false), 0.0F);
  EXPECT_THROW(text::real_number<float>("1e39", false), text::Wrong);
  for (const char* bad : {"", "+", "-", "++1", "+-1", "--1", "1e", "e5", "0x10", "1,5", "1.5.2", "1e400",
                          "12345e305", "1e99999999999999999999", "1-100", "abc", "nano", "1 "})
    EXPECT_THROW(number(bad), text::Wrong) << bad;
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, -0.0, 123456789.0}) {
    std::string digits;
    text::append_number(digits, value);
    EXPECT_EQ(number(digits), value);
  }
  std::string digits;
  text::append_number(digits, 0.1F);
  EXPECT_EQ(digits, "0.1");
}

TEST(MatrixMarketText, ArrayEntriesFindTheirPlaceFromAnyStart) {
  for (const Symmetry symmetry :
       {Symmetry::general, Symmetry::symmetric, Symmetry::skew, Symmetry::hermitian}) {
    for (const Index n : {1, 2, 3, 7}) {
      Header header;
      header.symmetry = symmetry;
      header.rows = header.cols = n;
      header.entries = stored_entries(n, n, symmetry);
      std::vector<std::pair<Index, Index>> places;
      for (Index j = 0; j < n; ++j)
        for (Index i = symmetry == Symmetry::general ? 0 : j + (symmetry == Symmetry::skew ? 1 : 0); i < n;
             ++i)
          places.emplace_back(i, j);
      ASSERT_EQ(static_cast<Index>(places.size()), header.entries);
      for (Index start = 0; start < header.entries; ++start) {
        std::string text;
        for (Index k = start; k < header.entries; ++k) text += "0\n";
        auto at = static_cast<std::size_t>(start);
        const auto result = parse_piece<double>(header, "x", text, 1, start, [&](Index i, Index j, double) {
          EXPECT_EQ(std::pair(i, j), places[at++]);
        });
        EXPECT_EQ(result.error, "");
        EXPECT_EQ(at, places.size());
      }
    }
  }
}

TEST(MatrixMarketText, ALineWithoutEndIsRefusedAndNotReadWhole) {
  const std::string head = "%%MatrixMarket matrix array real general\n1 1\n";
  const std::string text =
      head + "%" + std::string(static_cast<std::size_t>(8 * longest_line), 'x') + "\n1\n";
  Index most = 0;
  const Source whole = memory_source(text);
  const Source counted{"test.mtx", whole.size, [&](Index offset, std::span<char> into) {
                         most = std::max(most, static_cast<Index>(into.size()));
                         whole.read(offset, into);
                       }};
  const Header header = read_header(counted);
  for (const Index piece : {Index{1000}, longest_line}) {
    const std::string lines = whole_lines(counted, header.data_begin, header.data_begin + piece);
    EXPECT_LT(static_cast<Index>(lines.size()), 4 * longest_line);
    const auto result = parse_piece<double>(header, "test.mtx", lines, 3, 0, [](Index, Index, double) {});
    EXPECT_THAT(result.error, HasSubstr("test.mtx:3: expected lines of at most"));
    EXPECT_EQ(whole_lines(counted, header.data_begin + 3 * piece, header.data_begin + 4 * piece), "");
  }
  EXPECT_LT(most, 4 * longest_line);
  EXPECT_THAT(parse(std::string(static_cast<std::size_t>(4 * longest_line), '%')).error,
              HasSubstr("test.mtx:1: expected lines of at most"));
}

TEST(MatrixMarketText, DamagedFilesAreRefusedOrReadButNeverCrash) {
  const std::vector<std::string> texts = {
      "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 4.5\n2 1 -1e-3\n2 2 4\n3 3 1.D0\n",
      "%%MatrixMarket matrix coordinate pattern general\n3 4 3\n1 4\n2 2\n3 1\n",
      "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2.5 -1\n3 0\n",
      "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n"};
  for (const std::string& text : texts) {
    int refused = 0;
    for (std::uint64_t number = 0; number < 1000; ++number) {
      const std::string damaged = mutated(text, number);
      const Parsed whole = parse(damaged), parts = parse(damaged, 5);
      refused += whole.error.empty() ? 0 : 1;
      EXPECT_EQ(parts.error, whole.error) << damaged;
      if (!whole.error.empty()) {
        EXPECT_THAT(whole.error, StartsWith("test.mtx:")) << damaged;
      }
    }
    EXPECT_GT(refused, 300);
  }
}

}  // namespace
}  // namespace cyclade::matrix_market
