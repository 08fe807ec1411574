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

/// YARP's record of a controller. With an error e = reference − measured
///
///     φ = clamp((kp·e + clamp(ki·∫e, ±max_int) + kd·de/dt)/2^scale + kff·(reference velocity)
///               + offset + (e > 0 ? stiction_up_val : −stiction_down_val),  ±max_output)
///
/// Threads: a plain value.
struct Pid {
  double kp = 0.0;  ///< [effort/unit] >= 0
  double kd = 0.0;  ///< [effort·s/unit] >= 0
  double ki = 0.0;  ///< [effort/(unit·s)] >= 0
  double max_int = 0.0;
  double scale = 0.0;  ///< from -30 to 30
  double max_output = 0.0;
  double offset = 0.0;  ///< the feed-forward φ_off
  double stiction_up_val = 0.0;
  double stiction_down_val = 0.0;
  double kff = 0.0;

  friend bool operator==(const Pid&, const Pid&) = default;
};

/// The motor's back EMF and friction. Stored and returned; no control law uses it.
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
/// a step. `type` and `param4` are stored and have no effect.
///
/// Threads: a plain value.
struct CalibrationParameters {
  unsigned type = 0;
  double param1 = 0.0;
  double param2 = 0.0;
  double param3 = 0.0;
  double param4 = 0.0;
};

/// Threads: a plain value.
enum class Profile : std::uint8_t {
  MinimumJerk,    ///< the reference speed is the mean
  Trapezoid,      ///< the reference speed is the peak, the reference acceleration counts
  ConstantSpeed,  ///< the reference speed all the way
};

/// One joint of a board. Values that are not given are those of its motor in the world.
///
/// Threads: a plain value.
struct JointConfig {
  std::string motor;      ///< its name in the world
  std::string axis_name;  ///< empty: the motor's

  Profile profile = Profile::MinimumJerk;
  std::optional<double> ref_speed;         ///< 10 deg/s or 0.01 m/s, at most the largest
  std::optional<double> ref_acceleration;  ///< 10 deg/s² or 0.01 m/s²
  std::optional<double> min_position;      ///< the motor's, else the joint's stop, else none
  std::optional<double> max_position;
  std::optional<double> max_velocity;  ///< the motor's
  /// A spring that the motor's whole effort bends by 0.1 deg or 0.1 mm, damped to follow in 50 ms.
  std::optional<Pid> position_pid;
  /// Of direct velocity control, its kd without meaning: a damper to which the motor's whole effort
  /// is 1 deg/s or 1 mm/s of error.
  std::optional<Pid> velocity_pid;
  /// Only offset and max_output count: torque is applied as it is. The motor's whole effort.
  std::optional<Pid> torque_pid;
  std::optional<Pid> current_pid;  ///< likewise, its numbers being efforts
  /// Stiff velocity mode controls the ramped speed by `velocity_pid`, instead of integrating it
  /// and controlling the position.
  bool direct_velocity_pid = false;
  /// [N·m/deg|N/m] and [N·m·s/deg|N·s/m], in compliant interaction; the spring is one that the
  /// whole effort bends by 50 deg or 50 mm, and the damper a tenth of its number.
  std::optional<double> stiffness;
  std::optional<double> damping;
  double max_stiffness = 1e6;
  double max_damping = 1e6;

  double effort_per_percent = 1.0;  ///< [N·m|N] per percent of duty cycle: kPWM
  double effort_per_ampere = 1.0;   ///< [N·m/A|N/A]
  /// A measured torque beyond it is a fault; default 2000, or twice the motor's if that is more.
  std::optional<double> max_torque;
  double max_current = std::numeric_limits<double>::infinity();        ///< a fault beyond it [A]
  double hard_limit_margin = std::numeric_limits<double>::infinity();  ///< further out is a fault
  /// [s] Without a velocity command for so long the speed becomes 0; the mode stays.
  double velocity_timeout = std::numeric_limits<double>::infinity();

  std::vector<vocab32_t> modes;  ///< supported modes beside idle; empty: all
  bool compliant = true;         ///< supports compliance; a joint with backlash never does
  bool needs_calibration = false;
  std::optional<CalibrationParameters> calibration;
  vocab32_t calibrated_mode = VOCAB_CM_POSITION;  ///< after its calibration
  vocab32_t calibrated_interaction = VOCAB_IM_STIFF;
  double park_position = 0.0;
  double home_position = 0.0;
};

/// Threads: a plain value.
struct BoardConfig {
  std::string name = "board";       ///< for messages
  std::vector<JointConfig> joints;  ///< empty: every motor of the robot that has a joint
  /// Sets of joints that change mode, interaction and fault together, all or none.
  std::vector<std::vector<int>> coupled;
  /// False: joints wait in VOCAB_CM_NOT_CONFIGURED for their parameters, as real boards do.
  bool start_configured = true;
  vocab32_t start_mode = VOCAB_CM_POSITION;   ///< of a board that starts configured
  vocab32_t configured_mode = VOCAB_CM_IDLE;  ///< of one that was configured later
  bool fault_on_invalid_mode = false;         ///< beside the refusal
  bool fault_on_invalid_interaction = true;
  bool report_openloop = false;  ///< VOCAB_CM_OPENLOOP instead of VOCAB_CM_PWM
  double calibration_timeout = 30.0;
  double warning_period = 1.0;  ///< [s] between two warnings of a kind on a joint
  /// Receives warnings and faults; stderr by default.
  std::function<void(std::string_view)> notice;
};

}  // namespace servosim::yarp
