// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// What a sensor that is a Solid measures, and so what its values are, in its own frame unless
/// said otherwise.
/// Threads: a plain value.
enum class BodySensorKind : std::uint8_t {
  Accelerometer,  ///< x, y, z [m/s²]: what moves it, less what gravity would do
  Gyro,           ///< x, y, z [rad/s]
  Compass,        ///< x, y, z: where north is, of length one
  Gps,            ///< position, speed [m/s] and velocity in the world; the position in metres, or
                  ///< latitude and longitude in degrees and altitude
  InertialUnit,   ///< roll, pitch, yaw [rad], then the quaternion x, y, z, w: against the world
  Altimeter,      ///< height in the world [m]
  Bumper,         ///< 1: something touched it since the last sample; 0: nothing did
  Force,          ///< what presses on it along its main axis [N], >= 0
  Force3d,        ///< x, y, z [N]: what it passes on to what carries it
  Distance,       ///< weighted mean of what its rays find [m]
  InfraRed,       ///< the same of Shapes, where dark ones seem farther away [m]
  Sonar,          ///< the nearest that they find and that throws the sound back [m]
  Light,          ///< irradiance along its x axis [W/m²]
};

}  // namespace servosim
