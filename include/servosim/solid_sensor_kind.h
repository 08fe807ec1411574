// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim {

/// What a sensor that is a Solid measures, and so what its values are, in its own frame unless
/// said otherwise.
/// Threads: a plain value.
enum class SolidSensorKind : std::uint8_t {
  Accelerometer,  ///< x, y, z [m/s²]: what moves it, less what gravity would do
  Gyro,           ///< x, y, z [rad/s]
  Compass,        ///< x, y, z: where north is, of length one
  Gps,            ///< position, speed [m/s] and velocity in the world; the position in metres, or
                  ///< latitude and longitude in degrees and altitude
  InertialUnit,   ///< roll, pitch, yaw [rad], then the quaternion x, y, z, w: against the world
  Altimeter,      ///< height in the world [m]
};

}  // namespace servosim
