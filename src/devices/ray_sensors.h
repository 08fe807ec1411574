// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "servosim/math.h"

namespace servosim {

class PhysicsWorld;
struct SolidSensorSpec;
struct LightSpec;

/// The distance that the rays of a DistanceSensor find [m]: their weighted mean, or for a Sonar the
/// nearest; a ray that finds nothing counts as its range.
double find_distance(const SolidSensorSpec& sensor, PhysicsWorld& physics);

/// The irradiance along the x axis of a LightSensor [W/m²]: the sum of what each light gives, in
/// the colour that it has now.
double find_irradiance(const SolidSensorSpec& sensor, std::span<const LightSpec> lights,
                       std::span<const Vec3> colors, PhysicsWorld& physics);

}  // namespace servosim
