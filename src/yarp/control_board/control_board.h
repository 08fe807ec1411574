// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/report_once.h"
#include "servosim/yarp/control_board.h"
#include "yarp/control_board/joint.h"

namespace servosim::yarp {

/// Larger numbers mean nothing more, and their products might overflow.
inline constexpr double kLargest = 1e12;

/// A number that may be a reference or a parameter.
constexpr bool is_possible(double value) { return value >= -kLargest && value <= kLargest; }

/// Gains and bounds of a controller that the law can be computed with.
bool is_possible(const Pid& pid);

/// @throws std::invalid_argument naming the joint and the value.
void check(const BoardConfig& config);

struct ControlBoard::Impl {
  enum Warning : std::uint8_t { kIgnored, kDeprecated, kFaulted, kHurried, kWarnings };

  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  /// When a kind of warning was given last, and how many were not since then.
  struct Quiet {
    double until = -1.0;
    int hidden = 0;
  };

  struct Axis {
    BoardJoint joint;
    Motor* motor;
    int index;                 // of the simulation
    std::vector<int> bound;    // the joints that change together with it, itself included
    JointMeasurement now;      // at the start of a step
    double moved_at = kNever;  // when positionMove came last [s]
    std::array<Quiet, kWarnings> quiet{};
  };

  Impl(Simulation& the_simulation, std::string_view robot, BoardConfig the_config);

  void add(Robot& robot, const JointConfig& joint);
  void couple(const std::vector<int>& joints);
  bool has(int j) const { return j >= 0 && j < static_cast<int>(axes.size()); }
  /// The same with a message for who asks for a joint that is not there.
  bool known(int j);
  JointMeasurement measured(const Axis& axis) const;
  void enter(Axis& axis, vocab32_t mode);
  void start(Axis& axis);
  void watch(int j);
  JointDrive drive(int j);
  void fault(int j, int code, const std::string& message);
  ReturnValue set_mode(int j, vocab32_t mode);
  ReturnValue set_interaction(int j, vocab32_t mode);
  void configured(Axis& axis);
  ReturnValue calibrate(int j, const CalibrationParameters& parameters);
  /// One number of a controller.
  ReturnValue set_part(vocab32_t type, int j, double Pid::*part, double value);
  /// To where every joint has a place for it.
  ReturnValue move_to_place(int j, const char* what, double JointConfig::*place);
  void pace_moves(int j);
  void warn(int j, Warning kind, std::string_view text);

  // The three kinds of function there are.

  /// Reads what `get` makes of a joint.
  template <class T, class Get>
  ReturnValue read(int j, T* value, Get get) const {
    if (!has(j)) {
      return {Status::OutOfRange};
    }
    *value = get(axes[j].joint);
    return {};
  }
  /// The same with what it measures.
  template <class T, class Get>
  ReturnValue sense(int j, T* value, Get get) const {
    if (!has(j)) {
      return {Status::OutOfRange};
    }
    *value = get(axes[j].joint, measured(axes[j]));
    return {};
  }
  /// Sets a parameter, in every mode; `values` must be possible ones.
  template <class Set>
  ReturnValue write(int j, std::initializer_list<double> values, Set set) {
    if (!known(j)) {
      return {Status::OutOfRange};
    }
    for (const double value : values) {
      if (!is_possible(value)) {
        return {Status::BadValue};
      }
    }
    set(axes[j].joint);
    return {};
  }
  /// Gives a command, if the joint is in one of the modes that obey it.
  template <class Do>
  ReturnValue command(int j, const char* what, double value, std::initializer_list<vocab32_t> modes,
                      Do act) {
    if (!known(j)) {
      return {Status::OutOfRange};
    }
    if (!is_possible(value)) {
      return {Status::BadValue};
    }
    BoardJoint& joint = axes[j].joint;
    for (const vocab32_t mode : modes) {
      if (mode == joint.status.mode()) {
        act(joint);
        return {};
      }
    }
    warn(j, kIgnored,
         std::string(what) + " ignored in control mode " + reported(joint.status.mode()));
    return {Status::WrongMode};
  }
  std::string reported(vocab32_t mode) const {
    return "\"" +
           to_string(mode == VOCAB_CM_PWM && config.report_openloop ? VOCAB_CM_OPENLOOP : mode) +
           "\"";
  }

  Simulation& simulation;
  BoardConfig config;
  Notices notices;
  double h;  // [s]
  std::vector<Axis> axes;
  Quiet stranger;  // messages of joints that are not there
};

}  // namespace servosim::yarp
