// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cube_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

#include "cyclade/layout/svg.hpp"

using cyclade::Index;
using cyclade::svg::Canvas;
using cyclade::svg::number;

namespace {

constexpr int width = 940, height = 690;
constexpr double edge = 278;                      // of the cube, in the picture
constexpr double centre_x = 316, centre_y = 388;  // the corner that is nearest to the eye
constexpr int shades = 160;

/// Perceptually even: from night blue over magenta to a warm white, t from 0 to 1.
std::string shade(double t) {
  return cyclade::svg::oklch(0.25 + 0.71 * t, 0.05 + 0.16 * std::sin(std::numbers::pi * std::pow(t, 0.85)),
                             278 + 175 * t);
}

/// Densities over their mean, on a logarithmic scale from the smallest to the largest.
class Scale {
 public:
  explicit Scale(const std::vector<double>& density) {
    for (const double q : density) mean_ += q / static_cast<double>(density.size());
    const auto [low, high] = std::minmax_element(density.begin(), density.end());
    low_ = std::log(*low / mean_);
    high_ = std::log(*high / mean_);
  }
  double position(double relative) const { return (std::log(relative) - low_) / (high_ - low_); }
  double position_of(double q) const { return position(q / mean_); }
  double largest() const { return std::exp(high_); }

 private:
  double mean_ = 0, low_ = 0, high_ = 1;
};

struct Screen {
  double x, y;
};

/// Where a direction of space points in the picture: seen from (1,1,1), the third axis upright.
Screen direction(std::size_t axis) {
  const double c = edge * std::sqrt(0.75), s = edge / 2;
  return axis == 0 ? Screen{c, s} : axis == 1 ? Screen{-c, s} : Screen{0, -edge};
}

std::string attributes(std::initializer_list<std::pair<const char*, std::string>> list) {
  std::string out;
  for (const auto& [name, value] : list) out += std::string(name) + "=\"" + value + "\" ";
  return out;
}

/// The face x_k = 1: one path a shade, in units of panels; the group's matrix puts it where it belongs.
void draw_face(Canvas& canvas, const Cube& cube, const std::vector<double>& density, const Scale& scale,
               std::size_t k) {
  const Index m = cube.m();
  std::vector<std::string> paths(shades);
  for (Index row = 0; row < m; ++row) {
    for (Index column = 0; column < m; ++column) {
      const auto panel = static_cast<std::size_t>(((2 * static_cast<Index>(k) + 1) * m + row) * m + column);
      const double t = std::clamp(scale.position_of(density[panel]), 0.0, 1.0);
      paths[static_cast<std::size_t>(std::lround(t * (shades - 1)))] +=
          "M" + std::to_string(column) + " " + std::to_string(row) + "h1v1h-1z";
    }
  }
  const Screen u = direction((k + 1) % 3), v = direction((k + 2) % 3);
  char matrix[200];
  std::snprintf(matrix, sizeof matrix, "matrix(%.5f %.5f %.5f %.5f %.2f %.2f)", u.x / static_cast<double>(m),
                u.y / static_cast<double>(m), v.x / static_cast<double>(m), v.y / static_cast<double>(m),
                centre_x - u.x - v.x, centre_y - u.y - v.y);
  // The outline in the colour of the fill closes the seams that antialiasing leaves between panels.
  canvas.open_group(attributes({{"transform", matrix}, {"stroke-width", "0.06"}}));
  for (int s = 0; s < shades; ++s) {
    const std::string colour = shade(static_cast<double>(s) / (shades - 1));
    if (const std::string& path = paths[static_cast<std::size_t>(s)]; !path.empty())
      canvas.path(path, attributes({{"fill", colour}, {"stroke", colour}}));
  }
  canvas.close_group();
}

void draw_scale(Canvas& canvas, const Scale& scale, double x, double y, double length) {
  constexpr int steps = 120;
  for (int s = 0; s < steps; ++s)
    canvas.rect(x, y + length * (steps - 1 - s) / steps, 20, length / steps + 0.6,
                attributes({{"fill", shade((s + 0.5) / steps)}}));
  canvas.open_group("stroke=\"#e8e6f0\" stroke-width=\"1\"");
  const std::vector<std::pair<double, const char*>> ticks{{0.6, "0.6"}, {0.7, "0.7"}, {0.8, "0.8"}, {1, "1"},
                                                          {1.5, "1.5"}, {2, "2"},     {3, "3"},     {4, "4"},
                                                          {6, "6"},     {8, "8"},     {12, "12"}};
  const auto visible = [&](double value) { return scale.position(value) >= 0 && value <= scale.largest(); };
  const auto height_of = [&](double value) { return y + length * (1 - scale.position(value)); };
  for (const auto& [value, label] : ticks)
    if (visible(value)) canvas.line(x + 20, height_of(value), x + 26, height_of(value));
  canvas.close_group();
  for (const auto& [value, label] : ticks)
    if (visible(value))
      canvas.text(x + 32, height_of(value), 14, label, "text-anchor=\"start\" fill=\"#e8e6f0\"");
}

std::string decimals(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// 10 to an integer power from -19 to 9, as it is printed in books.
std::string power_of_ten(int power) {
  static constexpr const char* digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                           "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  const int size = std::abs(power);
  return std::string("10") + (power < 0 ? "\u207b" : "") + (size > 9 ? digits[size / 10] : "") +
         digits[size % 10];
}

/// -1.0 x 10^-3, with two digits.
std::string scientific(double value) {
  const std::string text = decimals("%.1e", std::abs(value));
  const std::size_t e = text.find('e');
  return (value < 0 ? "\u2212" : "+") + text.substr(0, e) + " \u00d7 " +
         power_of_ten(std::stoi(text.substr(e + 1)));
}

/// |error| against m, both logarithmic, in the box with the top left corner (x,y).
void draw_errors(Canvas& canvas, const std::vector<Refinement>& refinements, double literature, double x,
                 double y, double box_width, double box_height) {
  const auto error = [&](const Refinement& r) { return std::abs(r.capacitance - literature); };
  const double first = std::log10(static_cast<double>(refinements.front().m));
  const double last = std::log10(static_cast<double>(refinements.back().m));
  const auto at_x = [&](const Refinement& r) {
    return x + box_width * (0.12 + 0.76 * (std::log10(static_cast<double>(r.m)) - first) / (last - first));
  };
  double top = -300, bottom = 0;  // whole powers of ten around the errors
  for (const Refinement& r : refinements) {
    const double power = std::log10(std::max(error(r), 1e-16));
    top = std::max(top, std::ceil(power));
    bottom = std::min(bottom, std::floor(power));
  }
  const auto at_y = [&](double value) {
    return y + box_height * (top - std::log10(std::max(value, 1e-16))) / (top - bottom);
  };
  canvas.open_group("stroke=\"#3a3650\" stroke-width=\"1\"");
  for (double power = bottom; power <= top; ++power)
    canvas.line(x, at_y(std::pow(10, power)), x + box_width, at_y(std::pow(10, power)));
  canvas.close_group();
  const std::string soft = "fill=\"#a9a5bd\"";
  for (double power = bottom; power <= top; ++power)
    canvas.text(x + box_width + 6, at_y(std::pow(10, power)), 13, power_of_ten(static_cast<int>(power)),
                "text-anchor=\"start\" " + soft);
  canvas.open_group("stroke=\"#ff9a5a\" stroke-width=\"2\"");
  for (std::size_t i = 1; i < refinements.size(); ++i)
    canvas.line(at_x(refinements[i - 1]), at_y(error(refinements[i - 1])), at_x(refinements[i]),
                at_y(error(refinements[i])));
  canvas.close_group();
  for (const Refinement& r : refinements) {
    canvas.rect(at_x(r) - 4.5, at_y(error(r)) - 4.5, 9, 9, "rx=\"4.5\" fill=\"#ffe9c9\"");
    canvas.text(at_x(r), y + box_height + 14, 13, std::to_string(r.m), soft);
  }
}

}  // namespace

std::string draw_cube(const Cube& cube, const std::vector<double>& density,
                      const std::vector<Refinement>& refinements, double literature) {
  const Scale scale(density);
  const std::string bright = "text-anchor=\"start\" fill=\"#f4f2fa\"",
                    soft = "text-anchor=\"start\" fill=\"#a9a5bd\"";
  const std::string n = cyclade::svg::grouped(cube.panels()), m = std::to_string(cube.m());
  const double capacitance = refinements.back().capacitance;
  Canvas canvas;
  canvas.rect(0, 0, width, height, "rx=\"14\" fill=\"#100e1a\"");
  canvas.text(40, 48, 26, "Where the charge sits on a metal cube", bright + " font-weight=\"600\"");
  canvas.text(40, 80, 15,
              "Potential 1 everywhere: the charge is the row sums of the inverse of a dense " + n +
                  " \u00d7 " + n + " matrix.",
              soft);
  for (std::size_t k = 0; k < 3; ++k) draw_face(canvas, cube, density, scale, k);

  const double x = 610;
  canvas.text(x, 150, 15, "Capacitance in 4\u03c0\u03b5\u2080 \u00d7 edge", soft);
  canvas.text(x, 186, 38, decimals("%.5f", capacitance), bright + " font-weight=\"600\"");
  canvas.text(x, 222, 15, "with " + m + " \u00d7 " + m + " panels a face", soft);
  canvas.text(x, 244, 15, "literature: " + decimals("%.6f", literature), soft);
  canvas.text(x, 266, 15, "error: " + scientific(capacitance - literature), soft);
  canvas.text(x, 306, 15, "Charge density", soft);
  canvas.text(x, 326, 15, "over its mean", soft);
  draw_scale(canvas, scale, x, 352, 290);
  canvas.text(x + 140, 306, 15, "Error against panels", soft);
  canvas.text(x + 140, 326, 15, "along an edge", soft);
  draw_errors(canvas, refinements, literature, x + 140, 352, 130, 270);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(width) + " " +
         std::to_string(height) +
         "\" font-family=\"Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif\">\n" +
         "<title>Charge density on the unit cube</title>\n" + canvas.body() + "</svg>\n";
}
