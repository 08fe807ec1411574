// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "control/trajectory.h"
#include "servosim/joint_drive.h"
#include "servosim/yarp/board_config.h"
#include "yarp/control_board/joint_status.h"

namespace servosim::yarp {

/// What a joint does, in the board's units.
struct JointMeasurement {
  double position = 0.0;  ///< of the encoder
  double velocity = 0.0;
  double torque = 0.0;  ///< all that the joint puts on its endpoint [N·m|N]
  double output = 0.0;  ///< of it, what the motor was told
  double time = 0.0;    ///< [s]
};

/// Of the board's own faults; 0 is none.
enum FaultCode : int {
  kTorqueFault = 1,
  kCurrentFault,
  kHardLimitFault,
  kCalibrationFault,
  kModeFault,
  kInteractionFault,
  kLawFault
};

/// Why a joint is off; code 0: it is not.
struct Fault {
  int code = 0;
  const char* text = nullptr;
};

/// What a joint is made of, as its world says it; in SI.
struct JointInfo {
  std::string motor;
  bool revolute = true;
  bool soft = true;          ///< its motor may be a spring; not so with backlash
  double max_effort = 10.0;  ///< of its motor [N·m|N]
  double max_velocity = 10.0;
  double min_position = 0.0;  ///< equal: none
  double max_position = 0.0;
};

/// The controller of one joint: references, their generators, and the law that makes of them what
/// the motor is to do in a step.
class BoardJoint {
 public:
  BoardJoint(const JointConfig& config, const JointInfo& facts, const BoardConfig& board,
             double position);

  /// From the world's units to the board's.
  JointMeasurement measured(double position, double velocity, double torque, double time) const;
  /// [%], [A] of what the motor does, and the change of speed since the last step.
  double duty_cycle_at(const JointMeasurement& now) const {
    return now.output / config.effort_per_percent;
  }
  double current_at(const JointMeasurement& now) const {
    return now.output / config.effort_per_ampere;
  }
  double acceleration_at(const JointMeasurement& now) const {
    return now.time > seen_time ? (now.velocity - seen_velocity) / (now.time - seen_time)
                                : acceleration;
  }
  double unit() const { return unit_; }  ///< of the board in SI: π/180 for degrees

  // One step: first look, which may find a fault, then advance.
  /// What is wrong with the joint; nothing where nobody looks: in a fault, not configured.
  Fault look(const JointMeasurement& now);
  /// The same without the exceptions: what would stop it again.
  Fault wrong(const JointMeasurement& now) const;
  /// References go on by `h`; what the motor is to do in the step.
  JointDrive advance(const JointMeasurement& now, double h);
  /// How a calibration goes. Done: the encoder has its new zero.
  enum class Calibration : std::uint8_t { Running, Done, TimedOut };
  Calibration calibration(const JointMeasurement& now);

  /// Changes the mode: the motion ends where the joint is, and the first reference of the new mode
  /// continues what the motor does.
  void enter(vocab32_t mode, const JointMeasurement& now);
  void interact(vocab32_t interaction, const JointMeasurement& now);
  void calibrate(const CalibrationParameters& parameters, const JointMeasurement& now);
  /// Also of a calibration that is under way, which goes on from where its reference is.
  void set_calibration(const CalibrationParameters& parameters);
  /// Moves the encoder's zero so that it reads `value`. References move with it, and what they mean
  /// stays: the joint does not move. Limits are readings of the encoder, and stay numbers.
  void set_encoder(double value, const JointMeasurement& now);

  // Commands. The mode is right and values are finite.
  void move_to(double target, const JointMeasurement& now);
  void step_to(double target);
  void set_speed(double speed, double now);
  void set_direct_speed(double speed, double now);
  void stop(const JointMeasurement& now);
  /// Of the active controller, past its generator.
  void set_pid_reference(double value, double now);

  double clamp_position(double position) const;
  bool limited() const { return limits().any(); }

  /// Of VOCAB_PIDTYPE_…: its number, -1 for none.
  static int pid_index(vocab32_t type);
  /// The one that makes the output now, -1 for none.
  int active_pid() const;
  Pid& pid(int index) { return pids_[index]; }
  const Pid& pid(int index) const { return pids_[index]; }
  double pid_reference(int index) const;
  double pid_feedback(int index, const JointMeasurement& now) const;
  void reset_pid() { integral_ = 0.0; }

  JointConfig config;
  const JointInfo facts;
  JointStatus status;
  // Parameters.
  double ref_speed;
  double ref_acceleration;
  double min_position = 0.0;  // equal: none
  double max_position = 0.0;
  double max_velocity;
  double stiffness;
  double damping;
  double impedance_offset = 0.0;
  double max_current;
  double nominal_current;
  double peak_current;
  double pwm_limit = 100.0;
  std::array<double, 4> pid_error_limit{};
  double temperature_limit = std::numeric_limits<double>::infinity();
  double gearbox_ratio = 1.0;
  double counts_per_revolution = 0.0;
  MotorTorqueParameters motor_torque;
  // What was commanded, as its own interface reports it.
  double target_position = 0.0;
  double ref_position = 0.0;
  double ref_velocity = 0.0;
  double desired_velocity = 0.0;
  double ref_torque = 0.0;
  double ref_pwm = 0.0;
  double ref_current = 0.0;
  bool motion_done = true;
  // Faults.
  int fault_code = -1;
  std::string fault_message = "none";
  bool broken = false;  ///< by a cause that persists until it is mended
  // Of the encoder.
  double zero = 0.0;
  double acceleration = 0.0;
  double seen_time = 0.0;
  double seen_velocity = 0.0;
  // What it was given while not configured.
  bool has_pid = false;
  bool has_limits = false;
  bool has_current = false;
  CalibrationParameters calibration_parameters;
  bool has_calibration = false;

 private:
  struct Limits {
    double min;  ///< equal: none
    double max;
    bool any() const { return min < max; }
  };
  void hold(const JointMeasurement& now);
  void plan_calibration();
  /// What the interfaces of the mode report before any command: that the joint stays.
  void forget_commands(const JointMeasurement& now);
  Trajectory way(double from, double velocity, double to, double speed) const;
  void advance_reference(const JointMeasurement& now, double h);
  void advance_speed(const JointMeasurement& now, double h);
  /// The velocity Pid has the joint.
  bool follows_velocity() const;
  double admitted_speed(double speed, const JointMeasurement& now, double h) const;
  JointDrive law(const JointMeasurement& now, double h);
  JointDrive stiff(const JointMeasurement& now, double h);
  JointDrive velocity(const JointMeasurement& now, double h);
  /// What a Pid adds to what follows from kp and kd. Its integral goes on by `h`.
  double beside_gains(const Pid& pid, double error, double h);
  JointDrive compliant(const JointMeasurement& now, double h) const;
  JointDrive torque(const JointMeasurement& now, double h) const;
  /// An effort as it is, but at limits none that leads further out.
  JointDrive protected_effort(double effort, const Limits& limits, const JointMeasurement& now,
                              double h) const;
  static bool pushes_out(double effort, const Limits& limits, const JointMeasurement& now);
  JointDrive back_to_limit(const Limits& limits, const JointMeasurement& now, double h) const;
  Limits limits() const { return {min_position, max_position}; }
  Limits hard_limits() const { return {hard_min_ - zero, hard_max_ - zero}; }
  JointDrive spring(double k, double d, double extra, double rest, double rest_velocity,
                    double most, const JointMeasurement& now, double h) const;

  double unit_;
  double hard_min_;  // without `zero`
  double hard_max_;
  double calibration_timeout_;
  double max_torque_;
  std::array<Pid, 4> pids_;
  Trajectory trajectory_;
  double q_ref_ = 0.0;
  double v_ref_ = 0.0;  // of q_ref_
  double speed_ = 0.0;  // of the velocity command, ramped
  double commanded_at_ = 0.0;
  double calibrating_since_ = 0.0;
  double integral_ = 0.0;  // ki·∫e, of the active controller
  JointDrive last_;
};

}  // namespace servosim::yarp
