// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/servo_electronics.h"
#include "servosim/motor.h"

namespace servosim::bus {

/// What a servo measures of its shaft and its motor. Signs are those of the servo: positive
/// positions are counter-clockwise, seen from the horn.
///
/// Threads: a plain value.
struct ServoSense {
  double position = 0.0;     ///< that its encoder reads [rad]
  double velocity = 0.0;     ///< [rad/s]
  ServoReading reading;      ///< its `target` is in terms of `position`, too
  double target_rate = 0.0;  ///< of the profile [rad/s]
};

/// The motor, the gear and the load behind the registers of a servo: a joint of a world, or a
/// bench.
///
/// Threads: one at a time, as the bus.
class ServoPlant {
 public:
  ServoPlant() = default;
  ServoPlant(const ServoPlant&) = delete;
  ServoPlant& operator=(const ServoPlant&) = delete;
  virtual ~ServoPlant() = default;

  /// Makes the servo obey an order from the next step on. Its numbers are those of the shaft, with
  /// the signs of ServoSense; where an order has no gains, its firmware has its own.
  virtual void obey(const ServoOrder& order) = 0;
  virtual ServoSense sense() const = 0;
  /// Makes the servo suffer from something from the next step on.
  virtual void suffer(const ServoTrouble& trouble) = 0;
  /// Returns the gains that its model begins with.
  virtual PidGains own_gains() const = 0;
  /// Returns the greatest duty that its model has, from 0 to 1.
  virtual double max_duty() const = 0;
};

}  // namespace servosim::bus
