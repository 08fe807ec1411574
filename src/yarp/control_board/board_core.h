// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/report_once.h"
#include "servosim/simulation.h"
#include "servosim/yarp/return_value.h"
#include "yarp/control_board/joint.h"

namespace servosim::yarp {

/// Reports warnings of a board, each kind at most once per warning period and joint.
class BoardNotices {
 public:
  /// The cause of a warning: the called function or an event, and how it ended. The text must be a
  /// literal.
  using Cause = std::pair<std::string_view, Status>;

  explicit BoardNotices(const BoardConfig& config)
      : notices_(config.notice), board_(config.name), period_(config.warning_period) {}

  /// Texts that differ only in their values are of one kind.
  /// @param time  simulated [s]
  /// @param j  the joint; -1 for the board
  /// @param motor  that of the joint
  void warn(double time, int j, std::string_view motor, const Cause& cause, std::string_view text);

 private:
  /// The joint, the cause, and the text without its values, which may be any.
  using Kind = std::pair<Cause, std::string>;
  struct Limit {
    double until = -1.0;  // [s] no report before this time
    int hidden = 0;       // warnings since the last report
  };

  Notices notices_;
  std::string board_;
  double period_;                               // [s]
  std::map<int, std::map<Kind, Limit>> kinds_;  // by joint
};

/// A joint of a board with its motor.
struct BoardAxis {
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  BoardJoint joint;
  Motor* motor;
  int number;                      // on the board
  int index;                       // in the simulation
  std::vector<int> coupled;        // joints that change together with it, this one included
  JointMeasurement now;            // measurement at the start of a step
  double last_move_time = kNever;  // time of the last positionMove [s]
};

/// The joints of a board: what they do in a step, and changes of their modes and faults. The
/// interfaces (joint_call.h) are functions of it.
///
/// Invariants: joints and motors never change after construction, and the motors exist as long as
/// the simulation; the sets of coupled joints are disjoint.
class BoardCore {
 public:
  BoardCore(Simulation& simulation, std::string_view robot, BoardConfig config);

  const std::string& name() const { return config_.name; }
  std::span<BoardAxis> axes() { return axes_; }
  std::span<const BoardAxis> axes() const { return axes_; }
  bool has(int j) const { return j >= 0 && j < static_cast<int>(axes_.size()); }
  double time() const { return simulation_.time(); }  // [s]
  JointMeasurement measured(const BoardAxis& axis) const;
  /// Returns the mode as clients see it: see BoardConfig::report_openloop.
  vocab32_t reported_mode(const BoardJoint& joint) const;

  void before_step();
  /// Puts all joints into their initial modes.
  void reset();

  /// Requests a control mode. Coupled joints change their mode together or not at all.
  ReturnValue set_mode(int j, vocab32_t mode);
  ReturnValue set_interaction(int j, vocab32_t mode);
  void set_fault(int j, int code, const std::string& message);
  /// Stores whether a parameter is received, and leaves VOCAB_CM_NOT_CONFIGURED once all are.
  void set_received(BoardAxis& axis, bool JointParameters::Received::*parameter, bool is = true);

  /// Warns about joint j, or about the board if there is no joint j. The text in `cause` must be a
  /// literal. Each kind of text is reported at most once per warning period.
  void warn(int j, const BoardNotices::Cause& cause, std::string_view text);
  /// Does the same as has(), and warns if there is no joint j.
  bool check_index(int j);
  /// Reports why a call is refused. `what` must be a literal.
  /// @returns `status`
  ReturnValue refuse(int j, std::string_view what, Status status, std::string_view why);
  /// Refuses numbers for which is_possible() is false.
  ReturnValue check_numbers(int j, std::string_view what, std::initializer_list<double> numbers);

 private:
  void add(Robot& robot, const JointConfig& joint);
  void couple(const std::vector<int>& joints);
  void enter_mode(BoardAxis& axis, vocab32_t mode);
  void update_status(BoardAxis& axis);
  JointDrive next_drive(BoardAxis& axis);

  Simulation& simulation_;
  BoardConfig config_;
  BoardNotices notices_;
  std::vector<BoardAxis> axes_;
};

}  // namespace servosim::yarp
