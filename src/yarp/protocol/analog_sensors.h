// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "yarp/protocol/bottle.h"

// The messages of a server of multiple analog sensors, NAME/measures:o and NAME/rpc:o.

namespace servosim::yarp {

/// The kinds of sensors, in the order of the messages.
enum class SensorKind : std::uint8_t {
  Gyroscope,       ///< 3 values [deg/s]
  Accelerometer,   ///< 3 [m/s²], with gravity: +9.81 upwards at rest
  Magnetometer,    ///< 3, a unit vector
  Orientation,     ///< roll, pitch, yaw [deg]: Rz(yaw)·Ry(pitch)·Rx(roll) from sensor to world
  Temperature,     ///< 1 [°C]
  ForceTorque,     ///< 6: force [N], torque [N·m]
  ContactLoads,    ///< any number [N]
  Encoders,        ///< any number
  SkinPatch,       ///< any number
  Position,        ///< 3 [m]
  LinearVelocity,  ///< 3 [m/s]
  AngularAcceleration,  ///< 3 [deg/s²]
};
inline constexpr std::size_t kSensorKinds = 12;

/// A sensor of a server.
struct AnalogSensor {
  SensorKind kind = SensorKind::Gyroscope;
  std::string name;
  std::string frame;  ///< arrays have none: ContactLoads, Encoders and SkinPatch
  std::size_t values = 0;
};

/// Returns the reply to getMetadata: a list for each kind, with a list of name, frame and an empty
/// text for each sensor. `sensors` must be sorted by kind.
Bottle sensor_metadata(std::span<const AnalogSensor> sensors);

/// Appends a message of NAME/measures:o: a list for each kind, with a list of a vector and a time
/// for each sensor. `sensors` must be sorted by kind.
/// @param values  those of the first sensor, then those of the second one, and so on
/// @param times  when each sensor has measured [s]
void encode_measurements(Writer& writer, std::span<const AnalogSensor> sensors,
                         std::span<const double> values, std::span<const double> times,
                         Generation generation);

}  // namespace servosim::yarp
