// SPDX-License-Identifier: Apache-2.0
#include "board/config_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>

namespace servosim::yarp {

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
  for (const Check& c : {Check{"ref_speed", joint.ref_speed.value_or(0.0), 0.0, kLargest},
                         {"ref_acceleration", joint.ref_acceleration.value_or(0.0), 0.0, kLargest},
                         {"min_position", joint.min_position.value_or(0.0), -kInf, kInf},
                         {"max_position", joint.max_position.value_or(0.0),
                          joint.min_position.value_or(-kInf), kInf},
                         {"max_velocity", joint.max_velocity.value_or(0.0), 0.0, kLargest},
                         {"stiffness", joint.stiffness.value_or(0.0), 0.0, joint.max_stiffness},
                         {"damping", joint.damping.value_or(0.0), 0.0, joint.max_damping},
                         {"max_stiffness", joint.max_stiffness, 0.0, kLargest},
                         {"max_damping", joint.max_damping, 0.0, kLargest},
                         {"effort_per_percent", joint.effort_per_percent, 1.0 / kLargest, kLargest},
                         {"effort_per_ampere", joint.effort_per_ampere, 1.0 / kLargest, kLargest},
                         {"max_torque", joint.max_torque.value_or(0.0), 0.0, kInf},
                         {"max_current", joint.max_current, 0.0, kInf},
                         {"hard_limit_margin", joint.hard_limit_margin, 0.0, kInf},
                         {"velocity_timeout", joint.velocity_timeout, 0.0, kInf},
                         {"park_position", joint.park_position, -kLargest, kLargest},
                         {"home_position", joint.home_position, -kLargest, kLargest}}) {
    if (!in(c.value, c.min, c.max)) {
      refuse(fmt::format("{} is {}, but must be from {} to {}", c.what, c.value, c.min, c.max));
    }
  }
  for (const Pid& pid : {joint.position_pid.value_or(Pid{}), joint.velocity_pid.value_or(Pid{}),
                         joint.torque_pid.value_or(Pid{}), joint.current_pid.value_or(Pid{})}) {
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
    if (!in(bound, 0.0, kLargest)) {
      return false;
    }
  }
  for (const double term : {pid.offset, pid.stiction_up_val, pid.stiction_down_val, pid.kff}) {
    if (!in(term, -kLargest, kLargest)) {
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
