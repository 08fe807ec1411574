// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "servosim/math.h"

namespace servosim {

class PhysicsWorld;
struct BodySensorSpec;
struct LightSpec;
struct WorldSettings;

/// The distance that the rays of a DistanceSensor find [m]: their weighted mean, or for a Sonar the
/// nearest; a ray that finds nothing counts as its range.
double find_distance(const BodySensorSpec& sensor, PhysicsWorld& physics);

/// The irradiance along the x axis of a LightSensor [W/m²]: the sum of what each light gives, in
/// the colour that it has now.
double find_irradiance(const BodySensorSpec& sensor, std::span<const LightSpec> lights,
                       std::span<const Vec3> colors, PhysicsWorld& physics);

/// Angles about fixed axes, in this order: roll about the axis that points forward in a coordinate
/// system, pitch, yaw about the upward one [rad].
struct Attitude {
  double roll;
  double pitch;
  double yaw;
};

/// A rotation in the world as one in its coordinate system.
Mat3 attitude_matrix(const Mat3& rotation, const WorldSettings& world);
/// `axes`: the coordinate system, "ENU", "EUN" or "NUE".
Attitude attitude_of(const Mat3& r, std::string_view axes);
Mat3 matrix_of(const Attitude& a, std::string_view axes);
/// x, y, z, w, of length one; w >= 0.
std::array<double, 4> quaternion_of(const Mat3& r);

}  // namespace servosim
