// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "devices/device_types.h"
#include "devices/measuring.h"
#include "servosim/body_sensor.h"

namespace servosim {

namespace {

/// Angles about fixed axes [rad]. The rotation is roll about the axis that points forward in a
/// coordinate system, then pitch, then yaw about the axis that points upwards.
struct Attitude {
  double roll;
  double pitch;
  double yaw;
};

// Returns the rotation from the axes of the world to the coordinate system. Its rows are the axes
// that the coordinate system calls x, y and z.
Mat3 from_world(const WorldSettings& w) {
  const auto rows = [](const Vec3& a, const Vec3& b, const Vec3& c) {
    return Mat3{{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}};
  };
  return w.coordinate_system == "ENU"   ? rows(w.east, w.north, w.up)
         : w.coordinate_system == "EUN" ? rows(w.east, w.up, w.north)
                                        : rows(w.north, w.up, w.east);
}

// Returns the angles of a rotation. `axes` is the coordinate system: "ENU", "EUN" or "NUE".
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

}  // namespace

class InertialUnit : public BodySensor {
 public:
  explicit InertialUnit(const DeviceBinding& binding) : BodySensor(binding, 7) {}

 private:
  void sample(double /*elapsed*/) override {
    const std::string_view axes = world().coordinate_system;
    Mat3 r = from_world(world()) * pose().rotation;
    Attitude a = attitude_of(r, axes);
    const std::array<double*, 3> angles{&a.roll, &a.pitch, &a.yaw};
    if (spec().noise > 0.0 || spec().resolution > 0.0) {
      for (double* angle : angles) {
        *angle = quantized(noisy(*angle, spec().noise), spec().resolution);
      }
      r = matrix_of(a, axes);
    }
    for (std::size_t i = 0; i < angles.size(); ++i) {
      values_[i] = spec().axes[i] ? *angles[i] : std::numeric_limits<double>::quiet_NaN();
    }
    const std::array<double, 4> q = quaternion_of(r);
    std::copy(q.begin(), q.end(), values_.begin() + angles.size());
  }
};

SERVOSIM_MAKE_SENSOR(InertialUnit)

}  // namespace servosim
