// The drawing, read back: well-formed, bounded, and every cell in the colour of the process that owns it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/draw.hpp"

#include <cmath>
#include <regex>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/base/error.hpp"

namespace cyclade {
namespace {

using testing::HasSubstr;

/// Empty if every element is closed in order, attributes are quoted and texts hold no bare "<" or "&".
std::string fault_of(const std::string& xml) {
  static const std::regex tag(R"(<(/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<&]*")*)(/?)>)");
  static const std::regex bare_ampersand("&(?!(amp|lt|gt|quot);)");
  const std::string body = xml.substr(xml.find("?>") + 2);
  std::vector<std::string> open;
  auto last = body.cbegin();
  for (std::sregex_iterator it(body.begin(), body.end(), tag), end; it != end; ++it) {
    const std::smatch& match = *it;
    const std::string text(last, match[0].first);
    last = match[0].second;
    if (text.find('<') != std::string::npos || std::regex_search(text, bare_ampersand))
      return "text: " + text;
    if (match[4].length() > 0) continue;
    if (match[1].length() == 0) {
      open.push_back(match[2]);
    } else if (open.empty() || open.back() != match[2]) {
      return "closes " + match[2].str();
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "open: " + open.back();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// The text from a group's opening to its own end.
std::string group(const std::string& svg, const std::string& id) {
  const std::size_t begin = svg.find("<g id=\"" + id + "\"");
  EXPECT_NE(begin, std::string::npos) << id;
  int depth = 0;
  for (std::size_t at = begin; at < svg.size(); ++at) {
    if (svg.compare(at, 3, "<g ") == 0) ++depth;
    if (svg.compare(at, 4, "</g>") == 0 && --depth == 0) return svg.substr(begin, at - begin);
  }
  return "";
}

/// The texts of a group, in order.
std::vector<std::string> texts(const std::string& svg) {
  static const std::regex text(">([^<>]*)</text>");
  std::vector<std::string> out;
  for (std::sregex_iterator it(svg.begin(), svg.end(), text), end; it != end; ++it) out.push_back((*it)[1]);
  return out;
}

std::string fill_of(const std::string& colour) { return "fill=\"" + colour + "\""; }

const std::vector<Layout> small_layouts = {
    square_layout(5, 2, 2, 2), square_layout(12, 2, 2, 3), {{9, 3, 2, 1, 2}, {9, 2, 2, 1, 1}},
    square_layout(3, 2, 3, 4), {{7, 3, 1}, {24, 5, 8}},    square_layout(1, 1, 1, 1),
};

TEST(Draw, every_entry_has_the_colour_of_its_owner) {
  for (const Layout& layout : small_layouts) {
    const std::string svg = draw_svg({.layout = layout});
    const std::string matrix = group(svg, "matrix");
    for (int r = 0; r < layout.rows.ranks; ++r)
      for (int c = 0; c < layout.cols.ranks; ++c) {
        const auto entries = static_cast<std::size_t>(layout.rows.local_size(r) * layout.cols.local_size(c));
        const std::string colour = fill_of(process_colour(layout, r, c));
        EXPECT_EQ(count(matrix, colour), entries);
        const std::string local = group(svg, "process-" + std::to_string(r) + "-" + std::to_string(c));
        EXPECT_EQ(count(local, colour), entries + 1);  // and its swatch
        for (int other = 0; other < layout.rows.ranks * layout.cols.ranks; ++other) {
          const int r2 = other / layout.cols.ranks, c2 = other % layout.cols.ranks;
          if (r2 == r && c2 == c) continue;
          EXPECT_EQ(count(local, fill_of(process_colour(layout, r2, c2))), 0U);
        }
      }
  }
}

TEST(Draw, local_arrays_hold_the_guides_figure) {
  const std::string svg = draw_svg({.layout = square_layout(5, 2, 2, 2)});
  const auto cells = [&](const std::string& id) {
    std::vector<std::string> out;
    for (const std::string& text : texts(group(svg, id)))
      if (text.find(',') != std::string::npos && text.front() != '(') out.push_back(text);
    return out;
  };
  using testing::ElementsAre;
  EXPECT_THAT(cells("process-0-0"),
              ElementsAre("0,0", "0,1", "0,4", "1,0", "1,1", "1,4", "4,0", "4,1", "4,4"));
  EXPECT_THAT(cells("process-0-1"), ElementsAre("0,2", "0,3", "1,2", "1,3", "4,2", "4,3"));
  EXPECT_THAT(cells("process-1-0"), ElementsAre("2,0", "2,1", "2,4", "3,0", "3,1", "3,4"));
  EXPECT_THAT(cells("process-1-1"), ElementsAre("2,2", "2,3", "3,2", "3,3"));
  EXPECT_EQ(cells("matrix").size(), 25U);
}

TEST(Draw, is_well_formed_and_bounded_for_any_layout) {
  const Index tera = Index{1} << 40;
  std::vector<Layout> layouts = small_layouts;
  for (const Index n : {Index{0}, Index{1}, Index{24}, Index{25}, Index{100}, Index{1000000}, tera})
    for (const Index nb : {Index{1}, Index{3}, Index{480}, tera})
      for (const auto& [p, q] : {std::pair{1, 1}, {2, 2}, {4, 4}, {1, 16}, {8, 2}, {16, 18}, {100, 2000}})
        for (const int source : {replicated, 0, p - 1})
          layouts.push_back(
              {{n, nb, p, source, n % 2 == 0 ? 0 : 2}, {n, nb, q, source == replicated ? 0 : q - 1}});
  layouts.push_back({{tera, 7, 50, replicated}, {tera, 7, 50, replicated, 1000}});
  layouts.push_back({{24, 2, 4, replicated}, {24, 2, 4, replicated}});
  for (const Layout& layout : layouts) {
    LayoutQuestion q{.layout = layout, .title = "A <title> & \"more\""};
    const auto& [rows, cols] = layout;
    q.window = Window{rows.size / 3, rows.size, cols.size / 4, cols.size / 2};
    if (rows.size > 0 && cols.size > 0) q.index = Position{rows.size / 2, cols.size - 1};
    const std::string svg = draw_svg(q);
    ASSERT_EQ(fault_of(svg), "") << summary(layout);
    ASSERT_LT(count(svg, "<"), 8000U) << summary(layout);
    ASSERT_LT(svg.size(), 500000U) << summary(layout);
    ASSERT_EQ(svg.find("nan"), std::string::npos);
    ASSERT_EQ(svg.find("\"-"), std::string::npos) << "something lies off the page: " << summary(layout);
  }
}

TEST(Draw, a_million_rows_show_head_tail_and_local_sizes) {
  const Layout layout = square_layout(1000000, 480, 16, 18);
  const std::string svg = draw_svg({.layout = layout});
  const std::string matrix = group(svg, "matrix"), map = group(svg, "processes");
  EXPECT_THAT(texts(matrix), testing::IsSupersetOf({"0", "17", "2082", "2083", "…"}));
  EXPECT_THAT(texts(map), testing::IsSupersetOf({"15,17", "62\u2009880", "62\u2009560", "55\u2009200"}));
  // Rows and columns 0..17, 2082 and 2083 are drawn, 400 blocks; (2,5) owns block rows 2 and 2082, block
  // column 5.
  EXPECT_EQ(count(matrix, fill_of(process_colour(layout, 2, 5))), 2U);
  EXPECT_EQ(count(matrix, fill_of(process_colour(layout, 9, 9))), 1U);
  EXPECT_EQ(count(map, "rx=\"3\""), 288U);
  EXPECT_THAT(svg, HasSubstr("begins at 999\u2009840 and has 160"));
}

TEST(Draw, a_matrix_without_entries_is_an_empty_frame) {
  const std::string svg = draw_svg({.layout = {{3, 1, 1}, {0, 4, 2}}});
  EXPECT_EQ(count(group(svg, "matrix"), "stroke-dasharray"), 1U);
  EXPECT_TRUE(texts(group(svg, "matrix")).empty());
  EXPECT_THAT(texts(group(svg, "process-0-1")), testing::Contains("3 × 0: empty"));
}

TEST(Draw, the_window_is_outlined_where_its_owners_hold_a_part) {
  LayoutQuestion q{.layout = square_layout(12, 2, 2, 3), .window = Window{0, 2, 0, 4}};
  const std::string svg = draw_svg(q);
  const auto outlines = [&](const std::string& id) {
    return count(group(svg, id), "stroke-dasharray=\"9 5\"");
  };
  EXPECT_EQ(outlines("matrix"), 1U);
  EXPECT_EQ(outlines("process-0-0"), 1U);
  EXPECT_EQ(outlines("process-0-1"), 1U);
  EXPECT_EQ(outlines("process-0-2"), 0U);
  EXPECT_EQ(outlines("process-1-0"), 0U);
}

/// Relative luminance of "#rrggbb" (WCAG 2).
double luminance(const std::string& colour) {
  const auto channel = [&](std::size_t at) {
    const double x = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

TEST(Colours, differ_between_processes_and_carry_dark_text) {
  for (const auto& [p, q] :
       {std::pair{1, 1}, {2, 2}, {3, 3}, {1, 9}, {2, 5}, {4, 4}, {16, 18}, {18, 16}, {1, 40}}) {
    const Layout layout = square_layout(1000, 8, p, q);
    std::set<std::string> seen;
    for (int r = 0; r < p; ++r)
      for (int c = 0; c < q; ++c) {
        const std::string colour = process_colour(layout, r, c);
        ASSERT_EQ(colour.size(), 7U);
        seen.insert(colour);
        // Contrast with the ink #1f2328 is what WCAG asks of small text.
        ASSERT_GE((luminance(colour) + 0.05) / (luminance("#1f2328") + 0.05), 4.5) << colour;
      }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(p * q));
  }
}

TEST(Draw, wrong_questions_are_refused) {
  EXPECT_THROW(draw_svg({.layout = square_layout(5, 2, 0, 2)}), ArgumentError);
  EXPECT_THROW(draw_svg({.layout = square_layout(5, 2, 2, 2), .index = Position{0, 5}}), ArgumentError);
  EXPECT_THROW(draw_svg({.layout = square_layout(5, 2, 2, 2), .window = Window{3, 2, 0, 1}}), ArgumentError);
}

}  // namespace
}  // namespace cyclade
