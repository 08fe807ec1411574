// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "servosim/velocity_controller.h"

namespace servosim {

class Random;
class ServoElectronics;
struct JointState;
struct MotorSpec;
struct MotorTargets;
struct ServoModel;
struct ServoState;

/// What a real servo measures of itself, in the last step.
///
/// Threads: a plain value.
struct ServoReading {
  double current = 0.0;           ///< of the motor; positive where it drives along +axis [A]
  double voltage = 0.0;           ///< of the supply [V]
  double duty = 0.0;              ///< of the bridge, from -1 to 1
  double temperature = 0.0;       ///< of the winding [°C]
  double case_temperature = 0.0;  ///< [°C]
  double motor_torque = 0.0;      ///< of the motor, behind the gear but for its friction [N·m|N]
  /// The torque of all else that is on the shaft, as the friction of the gear reads it: see
  /// ServoLoad [N·m|N].
  double load_torque = 0.0;
  double target = 0.0;        ///< behind the profile [rad|m]
  bool is_shut_down = false;  ///< its protection has ended the torque, or limits it
  /// The PWM limit: the duty is from -max_duty to max_duty. 0 without torque.
  double max_duty = 0.0;
};

/// The real servo that a Motor is; a motor as in Webots has none, and every number of it is that of
/// no servo.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class MotorServo {
 public:
  MotorServo();
  ~MotorServo();

  /// The model with its numbers; nullptr for a motor as in Webots. Valid until the tree changes.
  const ServoModel* model() const;
  /// What it measures of itself; nothing without a servo, or if its joint has no Physics.
  std::optional<ServoReading> reading() const;

  // Only Motor and the buses of servos use what follows.
  /// What obeys its orders; nullptr for a motor as in Webots. Valid until the tree changes.
  ServoElectronics* electronics() const { return electronics_.get(); }
  /// Binds it to the servo of its joint in a scene. A servo remains one, and keeps its orders, if
  /// the motor of the next tree is one.
  /// @param state  outlives the servo or its next bind(); nullptr: the motor is none
  /// @param random  of the noise of its encoder; outlives it, too
  void bind(ServoState* state, Random* random);
  /// The gains that a motor of this node has at first: those of the firmware of its servo, as its
  /// registers have them, or those of the node.
  PidGains first_gains(const MotorSpec& spec) const;
  /// Gives its electronics their order for a step of `h` [s], and its joint no drive. A drive takes
  /// the place of the servo, which is then as if it were not there. It must be a servo.
  void step(const MotorTargets& targets, const MotorSpec& spec, JointState& joint, double h);

 private:
  std::unique_ptr<ServoElectronics> electronics_;
};

}  // namespace servosim
