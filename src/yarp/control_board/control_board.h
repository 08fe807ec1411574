// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/report_once.h"
#include "servosim/yarp/control_board.h"
#include "yarp/control_board/joint.h"

namespace servosim::yarp {

/// Returns whether a number may be a reference or a parameter; false for NaN.
constexpr bool is_possible(double value) {
  return value >= -kMaxParameter && value <= kMaxParameter;
}

/// Returns whether the fields of a controller have the signs and ranges that the control law needs.
bool is_possible(const Pid& pid);

/// @throws std::invalid_argument with the joint and the value
void check(const BoardConfig& config);

/// Invariants: `axes` never changes after construction, and its motors exist as long as the
/// simulation; the sets of coupled joints are disjoint.
struct ControlBoard::Impl {
  /// The cause of a warning: the called function or an event, and how it ended.
  using Warning = std::pair<std::string_view, Status>;
  /// The cause and the text without its values, which may be any.
  using WarningKey = std::pair<Warning, std::string>;

  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  /// Limits how often a warning is reported, in simulated time.
  struct WarningLimit {
    double until = -1.0;  // [s] no report before this time
    int hidden = 0;       // warnings since the last report
  };

  struct Axis {
    BoardJoint joint;
    Motor* motor;
    int index;                       // in the simulation
    std::vector<int> coupled;        // joints that change together with it, this one included
    JointMeasurement now;            // measurement at the start of a step
    double last_move_time = kNever;  // time of the last positionMove [s]
    std::map<WarningKey, WarningLimit> warnings{};
  };

  Impl(Simulation& the_simulation, std::string_view robot, BoardConfig the_config);

  void add(Robot& robot, const JointConfig& joint);
  void couple(const std::vector<int>& joints);
  bool has(int j) const { return j >= 0 && j < static_cast<int>(axes.size()); }
  /// Does the same as has(), and warns if there is no joint j.
  bool check_index(int j);
  JointMeasurement measured(const Axis& axis) const;
  void enter_mode(Axis& axis, vocab32_t mode);
  void start_joint(Axis& axis);
  void update_status(int j);
  JointDrive next_drive(int j);
  void set_fault(int j, int code, const std::string& message);
  ReturnValue set_mode(int j, vocab32_t mode);
  ReturnValue set_interaction(int j, vocab32_t mode);
  void finish_configuration(Axis& axis);
  ReturnValue calibrate(int j, const CalibrationParameters& parameters);
  /// Sets one number of a controller.
  ReturnValue set_pid_field(const char* what, vocab32_t type, int j, double Pid::*part,
                            double value);
  /// Moves a joint to a position from its configuration.
  ReturnValue move_to_stored_position(int j, const char* what, double JointConfig::*place);
  void warn_of_frequent_moves(int j);
  /// The texts in `of` must be literals. Texts that differ only in their values are of one kind;
  /// each kind is reported at most once per warning period.
  void warn(int j, const Warning& of, std::string_view text);
  /// Reports why a call is refused. @returns `status`
  ReturnValue refuse(int j, std::string_view what, Status status, std::string_view why);
  /// Returns why the joint does not accept the mode.
  std::string why_no_mode(const BoardJoint& joint, vocab32_t wanted, Status status) const;

  // Most functions of the board call one of these four.

  /// Returns `get(joint)` in `value`.
  template <class T, class Get>
  ReturnValue read(int j, T* value, Get get) const {
    if (!has(j)) {
      return {Status::OutOfRange};
    }
    *value = get(axes[j].joint);
    return {};
  }
  /// Returns `get(joint, measurement)` in `value`.
  template <class T, class Get>
  ReturnValue sense(int j, T* value, Get get) const {
    if (!has(j)) {
      return {Status::OutOfRange};
    }
    *value = get(axes[j].joint, measured(axes[j]));
    return {};
  }
  /// Sets a parameter, in every mode, if is_possible() is true for all `values`.
  template <class Set>
  ReturnValue write(int j, const char* what, std::initializer_list<double> values, Set set) {
    if (!check_index(j)) {
      return {Status::OutOfRange};
    }
    for (const double value : values) {
      if (!is_possible(value)) {
        return refuse_number(j, what, value);
      }
    }
    set(axes[j].joint);
    return {};
  }
  ReturnValue refuse_number(int j, const char* what, double value);
  /// Refuses with BadValue, or returns OutOfRange if there is no joint j.
  ReturnValue refuse_values(int j, const char* what, std::string_view why) {
    return check_index(j) ? refuse(j, what, Status::BadValue, why)
                          : ReturnValue{Status::OutOfRange};
  }
  /// Executes a command if the joint is in one of the modes that accept it.
  template <class Do>
  ReturnValue command(int j, const char* what, double value, std::initializer_list<vocab32_t> modes,
                      Do act) {
    if (!check_index(j)) {
      return {Status::OutOfRange};
    }
    if (!is_possible(value)) {
      return refuse_number(j, what, value);
    }
    BoardJoint& joint = axes[j].joint;
    for (const vocab32_t mode : modes) {
      if (mode == joint.status.mode()) {
        act(joint);
        return {};
      }
    }
    warn(j, {what, Status::WrongMode},
         std::string(what) + " ignored in control mode " + mode_text(joint.status.mode()));
    return {Status::WrongMode};
  }
  std::string mode_text(vocab32_t mode) const {
    return "\"" +
           to_string(mode == VOCAB_CM_PWM && config.report_openloop ? VOCAB_CM_OPENLOOP : mode) +
           "\"";
  }

  Simulation& simulation;
  BoardConfig config;
  Notices notices;
  double h;  // [s]
  std::vector<Axis> axes;
  // Warnings about no joint, or about one that does not exist.
  std::map<WarningKey, WarningLimit> other_warnings;
};

}  // namespace servosim::yarp
