// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <vector>

#include "physics/rows/axis_line.h"
#include "physics/rows/joint_rows.h"

namespace servosim {

/// Hands the rows of joints to ODE where ODE solves them, and reads what ODE has found. Nothing
/// else writes parameters of these joints, or reads their feedback.
///
/// A row on an axis of its own is one of an AMotor in user mode, which gets its angle before each
/// step, or one of an LMotor. ODE counts the first body's motion against the second's, so that all
/// numbers of a position p of the child are negated: velocity −v, angle −p, stops −max and −min.
/// Without a parent body ODE makes the child the first; the axis is then negated, and the numbers
/// stay as they are. A slider itself counts as the child moves.
class OdeRows {
 public:
  /// Sets what never changes. `joints` must outlive this object, and this object must outlive the
  /// steps of their world. `world_cfm` is the softness of motors' rows that have none of their own.
  OdeRows(std::vector<JointRows*> joints, double world_cfm);
  OdeRows(const OdeRows&) = delete;
  OdeRows& operator=(const OdeRows&) = delete;

  /// Hands over the rows of the next step.
  void write();
  /// After the step: reads forces and efforts of the joints that ODE has solved, whose bodies are
  /// awake.
  void read() const;

 private:
  static void read_efforts(const AxisLine& line, HingeRows& rows);
  std::vector<dJointID> with_feedback() const;
  void write_hinge(const HingeRows& rows) const;
  void write_motor(const HingeRows& rows) const;
  void write_gap(bool turns, const GapRows& gap) const;
  void write_ball(const BallRows& rows) const;
  void write_hinge2(const Hinge2Rows& rows) const;
  double cfm_of(const MotorRow& motor) const {
    return motor.softness > 0.0 ? motor.softness : world_cfm_;
  }

  std::vector<JointRows*> joints_;
  double world_cfm_;
  std::vector<AxisLine> lines_;           // by joint: where the rows of the step have acted
  std::vector<dJointFeedback> feedback_;  // ODE keeps the addresses
};

}  // namespace servosim
