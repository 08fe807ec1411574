// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "motor_laws/trajectory.h"
#include "servosim/joint_drive.h"
#include "servosim/yarp/board_config.h"
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

/// Codes of the faults that a board detects itself; 0 means none.
enum FaultCode : int {
  kTorqueFault = 1,
  kCurrentFault,
  kHardLimitFault,
  kCalibrationFault,
  kModeFault,
  kInteractionFault,
  kLawFault
};

/// A fault of a joint; code 0 means none.
struct JointFault {
  int code = 0;
  const char* text = nullptr;
};

/// A joint and its motor as the world describes them, in SI units.
struct JointInfo {
  std::string motor;
  bool revolute = true;
  bool soft = true;          ///< its drive may be soft like a spring; false if it has backlash
  double max_effort = 10.0;  ///< largest effort of its motor [N·m|N], >= 0
  double max_velocity = 10.0;
  double min_position = 0.0;  ///< equal to max_position if there are no limits
  double max_position = 0.0;
};

/// The largest absolute value of a reference or parameter, so that products of them are finite.
inline constexpr double kMaxParameter = 1e12;

/// The controller of one joint: references, their generators, and the control law that computes the
/// motor's drive of a step from them.
///
/// Invariants: references are finite; a drive has at most the effort of the motor; a trajectory is
/// active only in a mode that controls positions, or in a calibration.
class BoardJoint {
 public:
  BoardJoint(const JointConfig& config, const JointInfo& info, const BoardConfig& board,
             double position);

  /// Converts from the world's units to the board's.
  JointMeasurement measured(double position, double velocity, double torque, double time) const;
  /// Return the duty cycle [%], the current [A], and the acceleration since the last step.
  double duty_cycle_at(const JointMeasurement& now) const {
    return now.output / config.effort_per_percent;
  }
  double current_at(const JointMeasurement& now) const {
    return now.output / config.effort_per_ampere;
  }
  double acceleration_at(const JointMeasurement& now) const {
    return now.time > measured_time
               ? (now.velocity - measured_velocity) / (now.time - measured_time)
               : acceleration;
  }
  double unit() const { return unit_; }  ///< the board's unit in SI: π/180 for degrees

  // One step calls check_faults(), then advance().
  /// Stores the measurement of the step and returns the fault that it shows. Returns none if the
  /// joint is in a fault already or is not configured.
  JointFault check_faults(const JointMeasurement& now);
  /// Returns the fault that a measurement shows, in every mode.
  JointFault find_fault(const JointMeasurement& now) const;
  /// Advances the references by `h` [s] and returns the motor's drive of the step.
  JointDrive advance(const JointMeasurement& now, double h);
  /// The state of a calibration. At Done the encoder has its new zero.
  enum class Calibration : std::uint8_t { Running, Done, TimedOut };
  Calibration calibration(const JointMeasurement& now);

  /// Changes the mode. The motion ends at the present position, and the first reference of the new
  /// mode continues the motor's present output.
  void enter_mode(vocab32_t mode, const JointMeasurement& now);
  void set_interaction(vocab32_t interaction, const JointMeasurement& now);
  void calibrate(const CalibrationParameters& parameters, const JointMeasurement& now);
  /// Also changes a running calibration, from its present reference on.
  void set_calibration(const CalibrationParameters& parameters);
  /// Moves the encoder's zero so that it reads `value`. References are shifted by the same amount,
  /// so the joint does not move. Limits are readings of the encoder and keep their numbers.
  void set_encoder(double value, const JointMeasurement& now);

  // Commands. The caller has checked the mode, and that the values are finite.
  void move_to(double target, const JointMeasurement& now);
  void step_to(double target);
  void set_speed(double speed, double now);
  void set_direct_speed(double speed, double now);
  void stop(const JointMeasurement& now);
  /// Sets the reference of the active controller directly, bypassing its generator.
  void set_pid_reference(double value, double now);

  double clamp_position(double position) const;
  bool limited() const { return limits().any(); }

  /// Returns the index of a VOCAB_PIDTYPE_…, 0 to 3; -1 if there is no such type.
  static int pid_index(vocab32_t type);
  /// Returns the index of the controller that computes the present output; -1 if there is none.
  int active_pid() const;
  Pid& pid(int index) { return pids_[index]; }
  const Pid& pid(int index) const { return pids_[index]; }
  double pid_reference(int index) const;
  double pid_feedback(int index, const JointMeasurement& now) const;
  void reset_pid() { integral_ = 0.0; }

  JointConfig config;
  const JointInfo info;
  JointStatus status;
  // Parameters.
  double ref_speed;
  double ref_acceleration;
  double min_position = 0.0;  // equal to max_position if there are no limits
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
  // The last commands, as the interfaces report them.
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
  /// The cause is outside of the board and lasts until clear_fault_cause().
  bool fault_persists = false;
  // The zero of the encoder, and the last step's measurement.
  double encoder_zero = 0.0;
  double acceleration = 0.0;
  double measured_time = 0.0;
  double measured_velocity = 0.0;
  // Which parameters were received while the joint was not configured.
  bool has_pid = false;
  bool has_limits = false;
  bool has_current = false;
  CalibrationParameters calibration_parameters;
  bool has_calibration = false;

 private:
  struct Limits {
    double min;  ///< equal to max if there are no limits
    double max;
    bool any() const { return min < max; }
  };
  void hold_position(const JointMeasurement& now);
  void plan_calibration();
  /// Sets the references that the mode's interfaces report before the first command, which mean no
  /// motion.
  void reset_commands(const JointMeasurement& now);
  Trajectory make_trajectory(double from, double velocity, double to, double speed) const;
  void advance_reference(const JointMeasurement& now, double h);
  void advance_speed(const JointMeasurement& now, double h);
  void unwind(double beyond, double h);
  /// Returns whether the velocity Pid controls the joint.
  bool follows_velocity() const;
  double admitted_speed(double speed, const JointMeasurement& now, double h) const;
  JointDrive control_law(const JointMeasurement& now, double h);
  JointDrive position_law(const JointMeasurement& now, double h);
  JointDrive velocity_law(const JointMeasurement& now, double h);
  /// Returns the effort of a Pid without its kp and kd terms. Integrates over `h` [s].
  double extra_effort(const Pid& pid, double error, double h);
  JointDrive impedance_law(const JointMeasurement& now, double h) const;
  JointDrive torque_law(const JointMeasurement& now, double h) const;
  /// Returns a drive with the effort. If the joint is beyond a limit and the effort leads further
  /// out, the drive holds the joint at that limit instead.
  JointDrive effort_within_limits(double effort, const Limits& limits, const JointMeasurement& now,
                                  double h) const;
  static bool pushes_beyond(double effort, const Limits& limits, const JointMeasurement& now);
  JointDrive hold_at_limit(const Limits& limits, const JointMeasurement& now, double h) const;
  Limits limits() const { return {min_position, max_position}; }
  Limits hard_limits() const { return {hard_min_ - encoder_zero, hard_max_ - encoder_zero}; }
  JointDrive spring_damper(double k, double d, double extra, double rest, double rest_velocity,
                           double max_effort, const JointMeasurement& now, double h) const;

  double unit_;
  double hard_min_;  // excluding encoder_zero
  double hard_max_;
  double calibration_timeout_;
  double max_torque_;
  std::array<Pid, 4> pids_;
  Trajectory trajectory_;
  double q_ref_ = 0.0;
  double v_ref_ = 0.0;  // velocity of q_ref_
  double speed_ = 0.0;  // speed of the velocity command after the ramp
  double commanded_at_ = 0.0;
  double calibrating_since_ = 0.0;
  double integral_ = 0.0;  // ki·∫e of the active controller
  JointDrive last_;
};

}  // namespace servosim::yarp
