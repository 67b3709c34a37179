// The few SVG elements that a drawing needs, written into a string with one decimal. Knows nothing of
// layouts.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cyclade/base/scalar.hpp"

namespace cyclade::svg {

/// "12.5", without a needless ".0".
std::string number(double value);
/// With &, <, > and quotes as entities.
std::string escaped(const std::string& text);
/// 1 234 567, groups set apart by thin spaces.
std::string grouped(Index value);
/// "#rrggbb" of a colour in OKLCH: lightness 0..1, chroma, hue in degrees; out of gamut values are cut.
std::string oklch(double lightness, double chroma, double hue);

class Canvas {
 public:
  void rect(double x, double y, double width, double height, const std::string& style);
  /// `data` as in the attribute d.
  void path(const std::string& data, const std::string& style);
  /// In the stroke of its group.
  void line(double x1, double y1, double x2, double y2);
  /// Text set in the middle of (x,y) vertically; `style` says the anchor, "middle" by default.
  void text(double x, double y, double size, const std::string& text, const std::string& style = "");
  void open_group(const std::string& attributes);
  void close_group();
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

}  // namespace cyclade::svg
