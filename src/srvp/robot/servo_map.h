// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "servosim/srvp/frames.h"

namespace servosim::srvp::robot {

/// Represents a motor of a simulated robot as a servo of SRVP, with positions and PWM values. Servo
/// positions are from 0 to kMaxPosition [degrees of the servo].
struct McuServo {
  std::string name;        ///< name of its motor
  Motor* motor = nullptr;  ///< valid as long as the simulation
  int joint = -1;          ///< index in the simulation
  JointType type = JointType::Rotational;
  double at_0 = 0.0;    ///< joint position at servo position 0 [rad|m]
  double at_179 = 0.0;  ///< joint position at servo position 179 [rad|m]
  /// A pulse of 0.5 to 2.5 ms in a period of 20 ms, with a resolution of 15 bits.
  PwmRange pwm{819, 4096};
  /// Whether the motor is a real servo that takes pulses. PWM values are then its pulses, at_0 and
  /// at_179 are what it makes of them, and a position becomes the nearest pulse.
  bool takes_pulses = false;

  /// Returns the joint position for a servo position [rad|m].
  double joint_position(double position) const;
  /// Returns whether a servo position is within the motor's minPosition and maxPosition.
  bool reaches(double position) const;
  /// Returns how far from its target it may rest: the dead zone of a servo with pulses and one step
  /// of the pulses [degrees of the servo]; 0 for any other motor.
  double rest_zone() const;
  /// Gives the motor a new target.
  void move_to(double position) const;
  /// Returns the servo position for a joint position [rad|m]; it may be outside of 0 ... 179.
  double position(double joint_position) const;
  /// Returns the servo position for a PWM value. pwm.min is 0 and pwm.max is 180, as a server
  /// computes it, clamped to 179. Returns nothing for a value outside of the range.
  std::optional<double> position_of_pwm(int value) const;
};

/// One entry of a mapping file, which describes one servo.
struct ServoEntry {
  int id = 0;
  std::string motor;
  std::optional<double> at_0;  ///< [degrees|m]
  std::optional<double> at_179;
  bool reverse = false;  ///< exchanges at_0 and at_179
  std::optional<int> pwm_min;
  std::optional<int> pwm_max;
};

/// Returns the servos of a robot by their ids. They are those of the entries, whose ids must be 0,
/// 1, 2, ... in any order. Without entries they are all driven_joints() except endless belts, in
/// device order. A range that is not given is the motor's minPosition and maxPosition, else the
/// stops of its joint, else ±90°; as far as the pulses of a real servo go.
/// @throws std::invalid_argument if an entry is wrong, or there are no servos, or too many
std::vector<McuServo> map_servos(const Simulation& simulation, const Robot& robot,
                                 const std::vector<ServoEntry>& entries = {});

}  // namespace servosim::srvp::robot
