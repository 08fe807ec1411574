// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "servosim/simulation.h"
#include "servosim/srvp/frames.h"

namespace servosim::srvp::robot {

/// Servo positions go from 0 to this [degrees of the servo].
constexpr double kLastPosition = 179.0;

/// A motor of a simulated robot as SRVP sees it: a servo that knows positions and PWM values.
struct McuServo {
  std::string name;        ///< of its motor
  Motor* motor = nullptr;  ///< lives as long as the simulation
  int joint = -1;          ///< of the simulation
  JointType type = JointType::Rotational;
  double at_0 = 0.0;  ///< where the joint is at position 0 [rad|m]
  double at_179 = 0.0;
  /// A pulse of 0.5 to 2.5 ms in a period of 20 ms, at 15 bits.
  PwmRange pwm{819, 4096};

  /// Where the joint is to be for a position [rad|m].
  double joint_position(double position) const;
  /// Whether the motor's own limits let the joint go there.
  bool reaches(double position) const;
  /// Gives the motor a new target.
  void move_to(double position) const;
  /// Of a joint position [rad|m]; beyond 0 ... 179 where the joint is.
  double position(double joint_position) const;
  /// What a PWM value means: its minimum is 0 and its maximum 180, as a server computes it, but the
  /// servo ends at 179. Nothing beyond them.
  std::optional<double> position_of_pwm(int value) const;
};

/// What a mapping file says of one servo.
struct ServoEntry {
  int id = 0;
  std::string motor;
  std::optional<double> at_0;  ///< [degrees|m]
  std::optional<double> at_179;
  bool reverse = false;  ///< exchanges the two
  std::optional<int> pwm_min;
  std::optional<int> pwm_max;
};

/// The servos of a robot by their ids: those of the entries, which must have the ids 0, 1, 2, ...
/// in any order, or else all motors of joints in device order. What is not said is taken from the
/// motor: its minPosition and maxPosition, or the stops of its joint, or ±90°.
/// @throws std::invalid_argument if an entry is wrong, or there are no servos, or too many.
std::vector<McuServo> map_servos(const Simulation& simulation, const Robot& robot,
                                 const std::vector<ServoEntry>& entries = {});

}  // namespace servosim::srvp::robot
