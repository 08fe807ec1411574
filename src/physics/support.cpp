// SPDX-License-Identifier: Apache-2.0
#include "physics/support.h"

#include <algorithm>
#include <cmath>

namespace servosim {

namespace {

constexpr double kRounding = 1e-9;  // [m]

struct Point {
  double x;
  double y;
  friend auto operator<=>(const Point&, const Point&) = default;
};

Point operator-(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y}; }
double cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }
double length(const Point& a) { return std::hypot(a.x, a.y); }

// Counter-clockwise; points on the rim are left out.
std::vector<Point> hull_of(std::vector<Point> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<Point> hull;
  for (int half = 0; half < 2; ++half) {
    const std::size_t start = hull.size();
    for (const Point& p : points) {
      while (hull.size() >= start + 2 &&
             cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0.0) {
        hull.pop_back();
      }
      hull.push_back(p);
    }
    if (hull.size() > 1) {
      hull.pop_back();  // the other half begins with it
    }
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

double distance_to_line(const Point& p, const Point& a, const Point& b) {
  const Point along = b - a;
  const double square = along.x * along.x + along.y * along.y;
  const Point from = p - a;
  const double t =
      square > 0.0 ? std::clamp((from.x * along.x + from.y * along.y) / square, 0.0, 1.0) : 0.0;
  return length({from.x - t * along.x, from.y - t * along.y});
}

}  // namespace

bool is_supported(const Vec3& point, const std::vector<Vec3>& others, const Vec3& down) {
  const Vec3 helper =
      std::abs(down.x) < 0.5 * norm(down) ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
  const Vec3 u = (1.0 / norm(servosim::cross(down, helper))) * servosim::cross(down, helper);
  const Vec3 v = (1.0 / norm(down)) * servosim::cross(down, u);
  const auto seen = [&](const Vec3& p) { return Point{dot(p, u), dot(p, v)}; };
  std::vector<Point> points;
  for (const Vec3& other : others) {
    points.push_back(seen(other));
  }
  const std::vector<Point> hull = hull_of(std::move(points));
  const Point p = seen(point);
  bool inside = hull.size() > 2;
  bool on_rim = false;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Point& a = hull[i];
    const Point& b = hull[(i + 1) % hull.size()];
    inside = inside && cross(b - a, p - a) >= 0.0;
    on_rim = on_rim || distance_to_line(p, a, b) <= kRounding;
  }
  return inside || on_rim;
}

}  // namespace servosim
