// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/joint_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace servosim::yarp {

namespace {

constexpr double kMaxPosition =
    1e9;  // [deg|m]; bounds references so that sums of them are exact enough
constexpr double kDefaultMaxTorque = 2000.0;  // [N·m|N]; a larger measured effort is a fault
constexpr double kPositionLoopTime = 0.05;    // [s] time constant of the default position loop
constexpr double kImpedanceTime = 0.1;  // [s] ratio of damper to spring of the default impedance

double gain(double effort, double bend) { return std::min(effort / bend, kMaxParameter); }

// Returns a spring that the whole effort bends by `bend`, with a damper.
Pid default_pid(const JointInfo& info, double bend, double loop_time) {
  const double kp = gain(info.max_effort, bend);
  return {
      .kp = kp, .kd = loop_time * kp, .max_int = info.max_effort, .max_output = info.max_effort};
}

}  // namespace

JointParameters::JointParameters(const JointConfig& the_config, const JointInfo& info, double unit)
    : StoredParameters{the_config.max_current, the_config.max_current},
      config(the_config),
      limits{config.min_position.value_or(info.min_position / unit),
             config.max_position.value_or(info.max_position / unit)},
      hard_limits(info.min_position < info.max_position
                      ? PositionLimits{info.min_position / unit, info.max_position / unit}
                      : limits),
      max_velocity(config.max_velocity.value_or(info.max_velocity / unit)),
      stiffness(
          config.impedance.stiffness.value_or(gain(info.max_effort, info.revolute ? 50.0 : 0.05))),
      damping(config.impedance.damping.value_or(kImpedanceTime * stiffness)),
      max_torque(config.max_torque.value_or(std::max(kDefaultMaxTorque, 2.0 * info.max_effort))),
      max_current(config.max_current),
      pids{config.pids.position.value_or(
               default_pid(info, info.revolute ? 0.1 : 1e-4, kPositionLoopTime)),
           config.pids.velocity.value_or(default_pid(info, info.revolute ? 1.0 : 1e-3, 0.0)),
           config.pids.torque.value_or(Pid{.max_output = info.max_effort}),
           config.pids.current.value_or(Pid{.max_output = info.max_effort})},
      calibration(config.calibration.value_or(CalibrationParameters{})),
      has_calibration(config.calibration.has_value()) {
  const double usual = info.revolute ? 10.0 : 0.01;
  ref_speed = config.ref_speed.value_or(std::min(usual, max_velocity));
  ref_acceleration = config.ref_acceleration.value_or(usual);
}

double JointParameters::clamp_position(double position) const {
  const double bounded = limits.any() ? std::clamp(position, limits.min, limits.max) : position;
  return std::clamp(bounded, -kMaxPosition, kMaxPosition);
}

int pid_index(vocab32_t type) {
  constexpr std::array<vocab32_t, 4> kTypes{VOCAB_PIDTYPE_POSITION, VOCAB_PIDTYPE_VELOCITY,
                                            VOCAB_PIDTYPE_TORQUE, VOCAB_PIDTYPE_CURRENT};
  const auto found = std::find(kTypes.begin(), kTypes.end(), type);
  return found == kTypes.end() ? -1 : static_cast<int>(found - kTypes.begin());
}

namespace {

bool in(double value, double min, double max) { return value >= min && value <= max; }

struct Check {
  const char* what;
  double value;
  double min;
  double max;
};

void check_joint(const BoardConfig& board, const JointConfig& joint) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(
        fmt::format("board \"{}\", joint \"{}\": {}", board.name, joint.motor, what));
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const Check& c :
       {Check{"ref_speed", joint.ref_speed.value_or(0.0), 0.0, kMaxParameter},
        {"ref_acceleration", joint.ref_acceleration.value_or(0.0), 0.0, kMaxParameter},
        {"min_position", joint.min_position.value_or(0.0), -kInf, kInf},
        {"max_position", joint.max_position.value_or(0.0), joint.min_position.value_or(-kInf),
         kInf},
        {"max_velocity", joint.max_velocity.value_or(0.0), 0.0, kMaxParameter},
        {"stiffness", joint.impedance.stiffness.value_or(0.0), 0.0, joint.impedance.max_stiffness},
        {"damping", joint.impedance.damping.value_or(0.0), 0.0, joint.impedance.max_damping},
        {"max_stiffness", joint.impedance.max_stiffness, 0.0, kMaxParameter},
        {"max_damping", joint.impedance.max_damping, 0.0, kMaxParameter},
        {"effort_per_percent", joint.effort_per_percent, 1.0 / kMaxParameter, kMaxParameter},
        {"effort_per_ampere", joint.effort_per_ampere, 1.0 / kMaxParameter, kMaxParameter},
        {"max_torque", joint.max_torque.value_or(0.0), 0.0, kInf},
        {"max_current", joint.max_current, 0.0, kInf},
        {"hard_limit_margin", joint.hard_limit_margin, 0.0, kInf},
        {"velocity_timeout", joint.velocity_timeout, 0.0, kInf},
        {"park_position", joint.park_position, -kMaxParameter, kMaxParameter},
        {"home_position", joint.home_position, -kMaxParameter, kMaxParameter}}) {
    if (!in(c.value, c.min, c.max)) {
      refuse(fmt::format("{} is {}, but must be from {} to {}", c.what, c.value, c.min, c.max));
    }
  }
  if (joint.ref_speed == 0.0) {
    refuse("ref_speed must be above 0: with 0 nothing would move");
  }
  for (const Pid& pid : {joint.pids.position.value_or(Pid{}), joint.pids.velocity.value_or(Pid{}),
                         joint.pids.torque.value_or(Pid{}), joint.pids.current.value_or(Pid{})}) {
    if (!is_possible(pid)) {
      refuse(
          "a Pid must have finite numbers; kp, ki, kd, max_int, max_output >= 0; and a scale "
          "from -30 to 30");
    }
  }
}

}  // namespace

bool is_possible(const Pid& pid) {
  for (const double bound : {pid.kp, pid.ki, pid.kd, pid.max_int, pid.max_output}) {
    if (!in(bound, 0.0, kMaxParameter)) {
      return false;
    }
  }
  for (const double term : {pid.offset, pid.stiction_up_val, pid.stiction_down_val, pid.kff}) {
    if (!in(term, -kMaxParameter, kMaxParameter)) {
      return false;
    }
  }
  return in(pid.scale, -30.0, 30.0);
}

void check(const BoardConfig& config) {
  if (!(config.warning_period >= 0.0) || !(config.calibration_timeout >= 0.0)) {
    throw std::invalid_argument(fmt::format(
        "board \"{}\": warning_period and calibration_timeout must be >= 0", config.name));
  }
  std::set<std::string> motors;
  for (const JointConfig& joint : config.joints) {
    if (!motors.insert(joint.motor).second) {
      throw std::invalid_argument(
          fmt::format("board \"{}\": motor \"{}\" stands there twice", config.name, joint.motor));
    }
    check_joint(config, joint);
  }
}

}  // namespace servosim::yarp
