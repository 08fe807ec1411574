// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// What a sensor that is a Solid measures, which also tells how many values it has. Values are in
/// the sensor's own frame unless the kind says otherwise.
///
/// Threads: a plain value.
enum class BodySensorKind : std::uint8_t {
  /// x, y, z [m/s²]: the acceleration of the sensor less gravity, so that a sensor at rest shows +g
  /// upwards. It is the change of velocity between two samples, divided by the time between them.
  Accelerometer,
  /// x, y, z [rad/s]: the angular velocity.
  Gyro,
  /// x, y, z: the direction of north, of length one.
  Compass,
  /// Seven values. The position comes first: x, y, z in the world [m], or latitude and longitude
  /// [degrees] and altitude [m] where WorldInfo.gpsCoordinateSystem is "WGS84". Then come the speed
  /// and the velocity x, y, z in the world [m/s], as mean values since the last sample.
  Gps,
  /// Seven values: roll, pitch, yaw [rad], then the quaternion x, y, z, w. They are the attitude in
  /// the world.
  InertialUnit,
  /// One value: the coordinate against gravity in the world [m].
  Altimeter,
  /// One value: 1 if something touched it since the last sample, else 0.
  Bumper,
  /// One value: the force that presses on it along its main axis [N]; >= 0, since tension does not
  /// count.
  Force,
  /// x, y, z [N]: the force that it passes on to what carries it.
  Force3d,
  /// One value: the weighted mean of the distances that its rays find [m]; infinite where a ray
  /// meets nothing and there is no lookup table.
  Distance,
  /// One value: as Distance, but rays meet Shapes instead of boundingObjects, and dark ones seem
  /// farther away [m].
  InfraRed,
  /// One value: the smallest distance that a ray finds on a surface that throws the sound back [m].
  /// A surface turned away by more than π/8 gives no echo.
  Sonar,
  /// One value: the irradiance along its x axis [W/m²].
  Light,
};

}  // namespace servosim
