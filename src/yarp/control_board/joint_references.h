// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "motor_laws/trajectory.h"
#include "yarp/control_board/joint_parameters.h"
#include "yarp/control_board/joint_status.h"

namespace servosim::yarp {

/// The measured state of a joint, in the board's units.
struct JointMeasurement {
  double position = 0.0;  ///< position of the encoder
  double velocity = 0.0;
  double torque = 0.0;  ///< total effort of the joint on its endpoint [N·m|N]
  double output = 0.0;  ///< the part that was commanded to the motor [N·m|N]
  double time = 0.0;    ///< [s]
};

/// Slower motions do not count, since their duration would overflow [deg/s|m/s].
inline constexpr double kMinSpeed = 1e-9;

/// The last commands, as the interfaces report them. They are finite.
struct JointCommands {
  double target_position = 0.0;
  double position = 0.0;
  double velocity = 0.0;
  double direct_velocity = 0.0;
  double torque = 0.0;
  double pwm = 0.0;
  double current = 0.0;
  bool motion_done = true;

  /// Sets what the interfaces of a mode report before its first command, which means no motion.
  void reset(vocab32_t mode, double position);
};

/// Generates the reference position and velocity of a joint from its commands. The caller has
/// checked that the mode accepts a command, and that its values are finite.
///
/// Invariant: the references are finite.
class JointReferences {
 public:
  double position() const { return q_ref_; }
  double velocity() const { return v_ref_; }
  /// Returns whether a trajectory is active.
  bool moving() const { return trajectory_.moving(); }

  /// Ends the motion at the present position.
  void hold(const JointMeasurement& now);
  /// Ends a motion by velocity commands at the present reference.
  void end_speed() { speed_ = 0.0; }
  void move_to(double target, const JointParameters& parameters, const JointMeasurement& now);
  void step_to(double target, const JointParameters& parameters);
  /// Sets the speed of JointCommands::velocity or direct_velocity.
  void set_speed(double JointCommands::*command, double speed, const JointParameters& parameters,
                 double now);
  /// Sets the reference position without its generator, which ends a trajectory.
  void force_position(double position, const JointParameters& parameters);
  /// Sets the speed without its ramp.
  void force_speed(double speed, const JointParameters& parameters, double now);
  /// Begins the motion of a calibration at the present reference with its velocity.
  void plan_calibration(const CalibrationParameters& calibration);
  /// Adds a change of the encoder's zero to all positions.
  void shift(double by);
  /// Advances the references by `h` [s], to the end of the step, since the control law is implicit.
  void advance(const JointParameters& parameters, const JointStatus& status,
               const JointMeasurement& now, double h);

  JointCommands commands;

 private:
  void advance_speed(const JointParameters& parameters, vocab32_t mode, double now, double h);

  Trajectory trajectory_;
  double q_ref_ = 0.0;
  double v_ref_ = 0.0;  // velocity of q_ref_
  double speed_ = 0.0;  // speed of the velocity command after the ramp
  double commanded_at_ = 0.0;
};

}  // namespace servosim::yarp
