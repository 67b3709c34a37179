// The surface of the unit cube in equal square panels, and the potential of a charged panel in closed form.
//
//   panel j = (face * m + row) * m + column;   face 2k and 2k+1: coordinate k is 0 and 1
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include "cyclade/base/scalar.hpp"

using Point = std::array<double, 3>;

class Cube {
 public:
  /// m panels along an edge.
  explicit Cube(cyclade::Index m) : m_(m) {}
  cyclade::Index m() const { return m_; }
  cyclade::Index panels() const { return 6 * m_ * m_; }
  double panel_area() const { return 1 / static_cast<double>(m_ * m_); }

  Point centre(cyclade::Index panel) const { return corner(panel, 0.5); }

  /// Integral over the panel of dS / |x - point|.
  double potential(cyclade::Index panel, const Point& point) const {
    const std::size_t k = axis(panel);
    const Point low = corner(panel, 0), high = corner(panel, 1);
    const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
    const double x1 = low[a] - point[a], x2 = high[a] - point[a];
    const double y1 = low[b] - point[b], y2 = high[b] - point[b];
    const double z = std::abs(low[k] - point[k]);
    return primitive(x2, y2, z) - primitive(x1, y2, z) - primitive(x2, y1, z) + primitive(x1, y1, z);
  }

 private:
  std::size_t axis(cyclade::Index panel) const { return static_cast<std::size_t>(panel / (m_ * m_) / 2); }

  /// The point at the share t of both sides of the panel.
  Point corner(cyclade::Index panel, double t) const {
    const std::size_t k = axis(panel);
    const double m = static_cast<double>(m_);
    Point p{};
    p[k] = static_cast<double>(panel / (m_ * m_) % 2);
    p[(k + 1) % 3] = (static_cast<double>(panel % m_) + t) / m;
    p[(k + 2) % 3] = (static_cast<double>(panel / m_ % m_) + t) / m;
    return p;
  }

  /// A function whose mixed derivative in x and y is 1/r, r = |(x,y,z)|; z >= 0.
  static double primitive(double x, double y, double z) {
    const double r = std::sqrt(x * x + y * y + z * z);
    return x * std::log(y + r) + y * std::log(x + r) - z * std::atan2(x * y, z * r);
  }

  cyclade::Index m_;
};
