// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace servosim {

class PhysicsWorld;
struct SolidSensorSpec;
struct WorldSettings;

/// The distance that the rays of a DistanceSensor find [m]: their weighted mean, or for a Sonar the
/// nearest; a ray that finds nothing counts as its range.
double find_distance(const SolidSensorSpec& sensor, PhysicsWorld& physics);

/// The irradiance along the x axis of a LightSensor [W/m²]: the sum of what each light gives.
double find_irradiance(const SolidSensorSpec& sensor, const WorldSettings& world,
                       PhysicsWorld& physics);

}  // namespace servosim
