// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/simulation.h"
#include "servosim/yarp/board_config.h"
#include "servosim/yarp/return_value.h"
#include "yarp/control_board/board_notices.h"
#include "yarp/control_board/joint.h"

namespace servosim::yarp {

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
/// interfaces (interface_calls.h) are functions of it.
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
  /// Leaves VOCAB_CM_NOT_CONFIGURED once all parameters are received.
  void finish_configuration(BoardAxis& axis);

  /// Warns about joint j, or about the board if there is no joint j. The text in `cause` must be a
  /// literal. Each kind of text is reported at most once per warning period.
  void warn(int j, const BoardNotices::Cause& cause, std::string_view text);
  /// Does the same as has(), and warns if there is no joint j.
  bool check_index(int j);
  /// Reports why a call is refused. `what` must be a literal.
  /// @returns `status`
  ReturnValue refuse(int j, std::string_view what, Status status, std::string_view why);
  /// Refuses a number for which is_possible() is false.
  ReturnValue refuse_number(int j, std::string_view what, double value);

 private:
  void add(Robot& robot, const JointConfig& joint);
  void couple(const std::vector<int>& joints);
  void start_joint(BoardAxis& axis);
  void enter_mode(BoardAxis& axis, vocab32_t mode);
  void update_status(BoardAxis& axis);
  JointDrive next_drive(BoardAxis& axis);

  Simulation& simulation_;
  BoardConfig config_;
  BoardNotices notices_;
  std::vector<BoardAxis> axes_;
};

}  // namespace servosim::yarp
