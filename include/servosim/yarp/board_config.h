// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/yarp/vocabs.h"

// Units: degrees for revolute joints and metres for prismatic ones, seconds, N·m or N, amperes,
// percent of duty cycle.

namespace servosim::yarp {

/// YARP's record of a controller. With an error e = reference − measured, its output is
///
///     φ = clamp((kp·e + clamp(ki·∫e, ±max_int) + kd·de/dt)/2^scale + kff·(reference velocity)
///               + offset + (e > 0 ? stiction_up_val : −stiction_down_val),  ±max_output)
///
/// Threads: a plain value.
struct Pid {
  /// [effort/unit]; >= 0
  double kp = 0.0;
  /// [effort·s/unit]; >= 0
  double kd = 0.0;
  /// [effort/(unit·s)]; >= 0
  double ki = 0.0;
  /// The limit of the integral part; >= 0.
  double max_int = 0.0;
  /// The gains are divided by 2^scale; from -30 to 30.
  double scale = 0.0;
  /// The limit of φ; >= 0.
  double max_output = 0.0;
  /// The feed-forward φ_off, in all control modes.
  double offset = 0.0;
  /// Added while the error is positive.
  double stiction_up_val = 0.0;
  /// Subtracted while the error is not positive.
  double stiction_down_val = 0.0;
  /// The share of the reference velocity in φ.
  double kff = 0.0;

  friend bool operator==(const Pid&, const Pid&) = default;
};

/// The motor's back EMF and friction. They are stored and returned; no control law uses them.
///
/// Threads: a plain value.
struct MotorTorqueParameters {
  double bemf = 0.0;
  double bemf_scale = 0.0;
  double ktau = 0.0;
  double ktau_scale = 0.0;
  double viscousPos = 0.0;
  double viscousNeg = 0.0;
  double coulombPos = 0.0;
  double coulombNeg = 0.0;
  double velocityThres = 0.0;

  friend bool operator==(const MotorTorqueParameters&, const MotorTorqueParameters&) = default;
};

/// How a joint is calibrated: it moves at speed `param2` to position `param1`; its encoder then
/// reads that position less `param3`. Without a speed it is calibrated at its present position, in
/// one step. `type` and `param4` are stored and have no effect.
///
/// Threads: a plain value.
struct CalibrationParameters {
  unsigned type = 0;
  double param1 = 0.0;
  double param2 = 0.0;
  double param3 = 0.0;
  double param4 = 0.0;
};

/// How a position move gets to its target.
///
/// Threads: a plain value.
enum class Profile : std::uint8_t {
  /// A polynomial of degree 5 over time; the reference speed is its mean speed.
  MinimumJerk,
  /// The reference speed is its largest speed; it gains and loses speed by the reference
  /// acceleration.
  Trapezoid,
  /// It has the reference speed all the way.
  ConstantSpeed,
};

/// The controllers of a joint.
///
/// Threads: a plain value.
struct JointPids {
  /// By default a spring that the whole effort of the motor bends by 0.1 deg or 0.1 mm, with a
  /// damper by which it follows in 50 ms.
  std::optional<Pid> position;
  /// The controller of direct velocity control; its kd has no effect. By default a damper to which
  /// the whole effort of the motor is an error of 1 deg/s or 1 mm/s.
  std::optional<Pid> velocity;
  /// Only offset and max_output have an effect, since torque is applied as it is. By default
  /// max_output is the whole effort of the motor.
  std::optional<Pid> torque;
  /// The same for currents; its two numbers are efforts.
  std::optional<Pid> current;
  /// Whether the stiff velocity mode controls the ramped speed by `velocity`. Otherwise it
  /// integrates the speed and controls the position.
  bool direct_velocity = false;
};

/// The compliant interaction of a joint.
///
/// Threads: a plain value.
struct JointImpedance {
  /// [N·m/deg|N/m] in compliant interaction; by default a spring that the whole effort bends by 50
  /// deg or 50 mm.
  std::optional<double> stiffness;
  /// [N·m·s/deg|N·s/m]; by default a tenth of the number of the stiffness.
  std::optional<double> damping;
  /// The limits of what setImpedance() accepts.
  double max_stiffness = 1e6;
  double max_damping = 1e6;
};

/// One joint of a board. An option that is not set has the value of its motor in the world.
///
/// Threads: a plain value.
struct JointConfig {
  /// The name of the motor in the world.
  std::string motor;
  /// The name that getAxisName() returns; empty: that of the motor.
  std::string axis_name;

  /// How positionMove() and relativeMove() get to their targets.
  Profile profile = Profile::MinimumJerk;
  /// The speed of moves; by default 10 deg/s or 0.01 m/s, but at most the largest velocity.
  std::optional<double> ref_speed;
  /// By default 10 deg/s² or 0.01 m/s².
  std::optional<double> ref_acceleration;
  /// The limits of the user; by default those of the motor, else the stops of the joint, else none.
  std::optional<double> min_position;
  std::optional<double> max_position;
  /// [deg/s|m/s]; by default that of the motor.
  std::optional<double> max_velocity;
  JointPids pids;
  JointImpedance impedance;

  /// [N·m|N] per percent of duty cycle; > 0. It is the remote variable kPWM.
  double effort_per_percent = 1.0;
  /// [N·m/A|N/A]; > 0. It is the remote variable kCurrent.
  double effort_per_ampere = 1.0;
  /// A larger measured torque is a fault [N·m|N]; by default 2000, or twice that of the motor if
  /// that is more.
  std::optional<double> max_torque;
  /// A larger current is a fault [A].
  double max_current = std::numeric_limits<double>::infinity();
  /// A position that is farther outside of the hardware limits is a fault [deg|m].
  double hard_limit_margin = std::numeric_limits<double>::infinity();
  /// After this time without a velocity command the speed becomes 0, and the mode stays [s].
  double velocity_timeout = std::numeric_limits<double>::infinity();

  /// The modes that the joint supports in addition to idle; empty: all.
  std::vector<vocab32_t> modes;
  /// Whether it can be compliant. A joint with backlash never can.
  bool compliant = true;
  /// Whether it is not configured until it has been calibrated.
  bool needs_calibration = false;
  /// For calibrations that bring no parameters of their own.
  std::optional<CalibrationParameters> calibration;
  /// The control mode after a calibration.
  vocab32_t calibrated_mode = VOCAB_CM_POSITION;
  /// The interaction mode after a calibration.
  vocab32_t calibrated_interaction = VOCAB_IM_STIFF;
  /// Where park() moves it [deg|m].
  double park_position = 0.0;
  /// Where homingSingleJoint() moves it [deg|m].
  double home_position = 0.0;
};

/// The options of a ControlBoard.
///
/// Threads: a plain value.
struct BoardConfig {
  /// The name of the board in messages.
  std::string name = "board";
  /// The joints, by number; empty: every motor of the robot that has a joint.
  std::vector<JointConfig> joints;
  /// Sets of joints that change mode, interaction and fault together: all of them or none.
  std::vector<std::vector<int>> coupled;
  /// Whether joints begin in `start_mode`. Otherwise they wait in VOCAB_CM_NOT_CONFIGURED for their
  /// position Pid, limits and largest current, as real boards do.
  bool start_configured = true;
  /// The mode of a board that starts configured.
  vocab32_t start_mode = VOCAB_CM_POSITION;
  /// The mode of a joint after it got its parameters.
  vocab32_t configured_mode = VOCAB_CM_IDLE;
  /// Whether a control mode that a joint does not have is a fault, in addition to being refused.
  bool fault_on_invalid_mode = false;
  /// Whether an interaction mode that a joint does not have is a fault.
  bool fault_on_invalid_interaction = true;
  /// Whether the status of a joint is VOCAB_CM_OPENLOOP instead of VOCAB_CM_PWM.
  bool report_openloop = false;
  /// A calibration that takes longer has failed, which is a fault [s].
  double calibration_timeout = 30.0;
  /// The least time between two warnings of a kind for a joint [s].
  double warning_period = 1.0;
  /// Receives warnings and faults, in the thread that uses the board. Without it they go to stderr.
  std::function<void(std::string_view)> notice;
};

}  // namespace servosim::yarp
