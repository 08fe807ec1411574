// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ode/ode.h>

#include <vector>

#include "physics/rows/axis_line.h"
#include "physics/rows/joint_rows.h"

namespace servosim {

/// Writes the rows of joints to ODE where ODE solves them, and reads what ODE has found. Nothing
/// else writes parameters of these joints, or reads their feedback.
///
/// A row on an axis of its own is one axis of an AMotor in user mode, which gets its angle before
/// each step, or one of an LMotor. ODE solves, for the motion of its first body against the second,
///
///     a·u + CFM·λ = target,    |λ| ≤ FMax for a motor,    target = −ERP/h·error at a stop
///
/// So all numbers of a position p of the child are negated:
///
///     velocity −v,    angle −p,    stops −max and −min
///
/// Without a parent body ODE makes the child the first; the axis is then negated, and the numbers
/// stay as they are. A slider itself has the sign of the child. Source: ODE 0.16's manual, "Angular
/// Motor", "Linear Motor" and "Stops and motor parameters".
class OdeRows {
 public:
  /// Sets the parameters that never change. `joints` must outlive this object, and this object must
  /// outlive the steps of their world, since ODE writes to its feedback. `world_cfm` is the
  /// softness of motors that have none of their own.
  OdeRows(std::vector<JointRows*> joints, double world_cfm);
  OdeRows(const OdeRows&) = delete;
  OdeRows& operator=(const OdeRows&) = delete;

  /// Writes the rows of the next step. Must be called after the joints have set them.
  void write();
  /// Must be called after the step. Reads forces and efforts of the joints that ODE has solved and
  /// whose bodies are awake.
  void read() const;

 private:
  // Sets the efforts of a hinge or slider and of its gap.
  static void read_efforts(const AxisLine& line, HingeRows& rows);
  // Returns the joints of ODE whose forces are read.
  std::vector<dJointID> with_feedback() const;
  // These write the rows of one joint. The first also writes a slider, and calls the next two.
  void write_hinge(const HingeRows& rows) const;
  void write_motor(const HingeRows& rows) const;
  void write_gap(bool turns, const GapRows& gap) const;
  void write_ball(const BallRows& rows) const;
  void write_hinge2(const Hinge2Rows& rows) const;
  // Returns the softness of a motor's row.
  double cfm_of(const JointDrive& motor) const {
    return motor.softness > 0.0 ? motor.softness : world_cfm_;
  }

  std::vector<JointRows*> joints_;
  double world_cfm_;
  std::vector<AxisLine> lines_;  // by joint: the line along which the rows act in this step
  std::vector<dJointFeedback> feedback_;  // ODE keeps the addresses
};

}  // namespace servosim
