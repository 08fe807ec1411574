// SPDX-License-Identifier: Apache-2.0
// The measurements of an InertialUnit: roll, pitch and yaw by the coordinate system of the world,
// and the quaternion.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "devices/body_sensor_models.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Rows: the axes that the coordinate system calls x, y, z.
Mat3 from_world(const WorldSettings& w) {
  const auto rows = [](const Vec3& a, const Vec3& b, const Vec3& c) {
    return Mat3{{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}};
  };
  return w.coordinate_system == "ENU"   ? rows(w.east, w.north, w.up)
         : w.coordinate_system == "EUN" ? rows(w.east, w.up, w.north)
                                        : rows(w.north, w.up, w.east);
}

}  // namespace

Mat3 attitude_matrix(const Mat3& rotation, const WorldSettings& world) {
  return from_world(world) * rotation;
}

// Turns about fixed axes, in this order: roll about the axis that points forward in that coordinate
// system, pitch, yaw about the upward one.
Attitude attitude_of(const Mat3& r, std::string_view axes) {
  const auto arc_sine = [](double x) { return std::asin(std::clamp(x, -1.0, 1.0)); };
  if (axes == "ENU") {
    return {std::atan2(r(2, 1), r(2, 2)), arc_sine(-r(2, 0)), std::atan2(r(1, 0), r(0, 0))};
  }
  if (axes == "EUN") {
    return {std::atan2(r(1, 0), r(1, 1)), arc_sine(-r(1, 2)), std::atan2(r(0, 2), r(2, 2))};
  }
  return {std::atan2(-r(1, 2), r(1, 1)), arc_sine(r(1, 0)), std::atan2(-r(2, 0), r(0, 0))};
}

Mat3 matrix_of(const Attitude& a, std::string_view axes) {
  const Vec3 x{1.0, 0.0, 0.0};
  const Vec3 y{0.0, 1.0, 0.0};
  const Vec3 z{0.0, 0.0, 1.0};
  const auto turns = [&](const Vec3& roll, const Vec3& pitch, const Vec3& yaw) {
    return rotation_matrix({yaw, a.yaw}) * rotation_matrix({pitch, a.pitch}) *
           rotation_matrix({roll, a.roll});
  };
  return axes == "ENU" ? turns(x, y, z) : axes == "EUN" ? turns(z, x, y) : turns(x, z, y);
}

// x, y, z, w, by the largest of them; w is not negative.
std::array<double, 4> quaternion_of(const Mat3& r) {
  const std::array<double, 4> squares{
      1.0 + r(0, 0) - r(1, 1) - r(2, 2), 1.0 - r(0, 0) + r(1, 1) - r(2, 2),
      1.0 - r(0, 0) - r(1, 1) + r(2, 2), 1.0 + r(0, 0) + r(1, 1) + r(2, 2)};
  std::array<double, 4> q{};
  switch (std::max_element(squares.begin(), squares.end()) - squares.begin()) {
    case 0:
      q = {squares[0], r(0, 1) + r(1, 0), r(0, 2) + r(2, 0), r(2, 1) - r(1, 2)};
      break;
    case 1:
      q = {r(0, 1) + r(1, 0), squares[1], r(1, 2) + r(2, 1), r(0, 2) - r(2, 0)};
      break;
    case 2:
      q = {r(0, 2) + r(2, 0), r(1, 2) + r(2, 1), squares[2], r(1, 0) - r(0, 1)};
      break;
    default:
      q = {r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1), squares[3]};
  }
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  for (double& part : q) {
    part /= q[3] < 0.0 ? -length : length;
  }
  return q;
}

}  // namespace servosim
