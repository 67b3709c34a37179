// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace cyclade::svg {
namespace {

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}

}  // namespace

std::string number(double value) {
  const long tenths = std::lround(value * 10);
  std::string out = (tenths < 0 ? "-" : "") + std::to_string(std::labs(tenths) / 10);
  if (tenths % 10 != 0) out += "." + std::to_string(std::labs(tenths) % 10);
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string grouped(Index value) {
  std::string digits = std::to_string(value);
  if (digits.size() <= 4) return digits;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), "\u2009");
  return digits;
}

std::string oklch(double lightness, double chroma, double hue) {
  // OKLab to linear sRGB: the matrices of B. Ottosson, "A perceptual color space for image processing"
  // (2020).
  const double a = chroma * std::cos(hue * std::numbers::pi / 180);
  const double b = chroma * std::sin(hue * std::numbers::pi / 180);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  const std::array rgb{4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                       -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                       -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
  std::string out = "#";
  for (const double linear : rgb) {
    const double x = std::clamp(linear, 0.0, 1.0);
    const double gamma = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
    const auto byte = static_cast<unsigned>(std::lround(255 * gamma));
    out += "0123456789abcdef"[byte / 16];
    out += "0123456789abcdef"[byte % 16];
  }
  return out;
}

void Canvas::rect(double x, double y, double width, double height, const std::string& style) {
  body_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
           attribute("height", height) + " " + style + "/>\n";
}

void Canvas::path(const std::string& data, const std::string& style) {
  body_ += "<path d=\"" + data + "\" " + style + "/>\n";
}

void Canvas::line(double x1, double y1, double x2, double y2) {
  body_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
           "/>\n";
}

void Canvas::text(double x, double y, double size, const std::string& text, const std::string& style) {
  const bool anchored = style.find("text-anchor") != std::string::npos;
  body_ += "<text" + attribute("x", x) + attribute("y", y + 0.35 * size) + attribute("font-size", size) +
           (anchored ? "" : " text-anchor=\"middle\"") + (style.empty() ? "" : " " + style) + ">" +
           escaped(text) + "</text>\n";
}

void Canvas::open_group(const std::string& attributes) { body_ += "<g " + attributes + ">\n"; }
void Canvas::close_group() { body_ += "</g>\n"; }

}  // namespace cyclade::svg
