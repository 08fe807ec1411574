// SPDX-License-Identifier: Apache-2.0
#include "physics/ode/ode_rows.h"

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "physics/bodies.h"
#include "physics/ode_library.h"

namespace servosim {

namespace {

// The parameter of a group of rows that belongs to row `row`.
constexpr int of_row(int parameter, int row) { return parameter + row * dParamGroup; }

// Stops of a row whose angle is −p.
void set_row_stops(dJointID rows, int row, const Stops& stops) {
  dJointSetAMotorParam(rows, of_row(dParamLoStop, row), -stops.high);
  dJointSetAMotorParam(rows, of_row(dParamHiStop, row), -stops.low);
  dJointSetAMotorParam(rows, of_row(dParamStopERP, row), stops.erp);
  dJointSetAMotorParam(rows, of_row(dParamStopCFM, row), stops.cfm);
}

// A spring is a stop at angle 0 on both sides; without one nothing stops the row.
void write_spring(dJointID rows, int row, const SpringRow& spring) {
  const double free = spring.is_active ? 0.0 : dInfinity;
  dJointSetAMotorParam(rows, of_row(dParamLoStop, row), -free);
  dJointSetAMotorParam(rows, of_row(dParamHiStop, row), free);
  if (spring.is_active) {
    dJointSetAMotorParam(rows, of_row(dParamStopERP, row), spring.erp);
    dJointSetAMotorParam(rows, of_row(dParamStopCFM, row), spring.cfm);
  }
  dJointSetAMotorAngle(rows, row, -spring.from_rest);
}

void enable(dJointID rows, bool is_active) { is_active ? dJointEnable(rows) : dJointDisable(rows); }

// ODE's joints that put on the bodies what is in JointRows::on_body, or null.
std::array<dJointID, 3> measured_joints(const JointRows& rows) {
  return {rows.kind == RowsKind::Ball ? nullptr : rows.joint, rows.motors, rows.stops};
}

// ODE makes the only body the first.
Wrench wrench_of(dJointID joint, bool is_first) {
  const dJointFeedback& f = *dJointGetFeedback(joint);
  return is_first ? Wrench{to_vec3(f.f1), to_vec3(f.t1)} : Wrench{to_vec3(f.f2), to_vec3(f.t2)};
}

void read_force(JointRows& rows) {
  const bool is_first = rows.parent == nullptr || rows.child == nullptr;
  Wrench sum;
  for (const dJointID joint : measured_joints(rows)) {
    if (joint != nullptr) {
      const Wrench wrench = wrench_of(joint, is_first);
      sum = {sum.force + wrench.force, sum.torque + wrench.torque};
    }
  }
  rows.on_body = sum;
}

bool is_hinge(const HingeRows& rows) { return rows.kind == RowsKind::Hinge; }

dBodyID moved_body(const JointRows& rows) {
  return rows.child != nullptr ? rows.child : rows.parent;
}

// The rows put nothing else on the child. ODE gives the axis of a LMotor in the frame of its first
// body.
void read_gap(const HingeRows& rows) {
  const dJointID joint = rows.gap->joint;
  const bool is_reversed = rows.parent == nullptr;
  const Wrench wrench = wrench_of(joint, is_reversed);
  const Vec3& sides = rows.kind == RowsKind::Hinge ? wrench.torque : wrench.force;
  dVector3 axis;
  if (rows.kind == RowsKind::Hinge) {
    dJointGetAMotorAxis(joint, 0, axis);
  } else {
    dVector3 in_first;
    dJointGetLMotorAxis(joint, 0, in_first);
    dBodyVectorToWorld(is_reversed ? rows.child : rows.parent, in_first[0], in_first[1],
                       in_first[2], axis);
  }
  const double along = dot(to_vec3(axis), sides);
  rows.gap->effort = std::copysign(norm(sides), is_reversed ? -along : along);
}

void set_up(const HingeRows& rows) {
  const Stops& stops = rows.axis.stops;
  if (stops.exist() && rows.kind == RowsKind::Hinge) {
    set_row_stops(rows.stops, 0, stops);
  } else if (stops.exist()) {
    dJointSetSliderParam(rows.joint, dParamStopERP, stops.erp);
    dJointSetSliderParam(rows.joint, dParamStopCFM, stops.cfm);
  }
  if (rows.springs != nullptr && rows.kind == RowsKind::Slider) {
    dJointSetLMotorParam(rows.springs, dParamFMax, dInfinity);
  }
}

void set_up(const Hinge2Rows& rows) {
  for (int i = 0; i < 2; ++i) {
    if (rows.axes[i].stops.exist()) {
      set_row_stops(rows.stops, i, rows.axes[i].stops);
    }
  }
  if (rows.lock.is_active) {
    dJointSetHinge2Param(rows.joint, dParamLoStop, 0.0);
    dJointSetHinge2Param(rows.joint, dParamHiStop, 0.0);
  }
  if (rows.suspension.is_active) {
    dJointSetHinge2Param(rows.joint, dParamSuspensionERP, rows.suspension.erp);
    dJointSetHinge2Param(rows.joint, dParamSuspensionCFM, rows.suspension.cfm);
  }
}

void write_spring(const HingeRows& rows) {
  const SpringRow& spring = rows.axis.spring;
  enable(rows.springs, spring.is_active);
  if (rows.kind == RowsKind::Hinge) {
    write_spring(rows.springs, 0, spring);
  } else {
    dJointSetLMotorParam(rows.springs, dParamCFM, spring.cfm);
    dJointSetLMotorParam(rows.springs, dParamVel, bounded_velocity(spring.gain * spring.from_rest));
  }
}

// A slider compares its own reading, which may differ from the position in the last bit: it gets a
// stop only where the position is at it.
void write_stops(const HingeRows& rows) {
  const Stops& stops = rows.axis.stops;
  const double p = stops.beyond(rows.axis.position);
  if (rows.kind == RowsKind::Hinge) {
    dJointSetAMotorAngle(rows.stops, 0, -p);
    return;
  }
  const double ahead = rows.axis.is_at_stop ? dJointGetSliderPosition(rows.joint) - p : 0.0;
  dJointSetSliderParam(rows.joint, dParamLoStop, p <= stops.low ? stops.low + ahead : -dInfinity);
  dJointSetSliderParam(rows.joint, dParamHiStop, p >= stops.high ? stops.high + ahead : dInfinity);
}

// A ball's row acts on the first body that is there.
void aim(const BallRows& rows, dJointID joint, int row, const Vec3& direction) {
  const Vec3 v = rows.parent != nullptr ? direction : -direction;
  dJointSetAMotorAxis(joint, row, 0, v.x, v.y, v.z);
}

}  // namespace

// Where the rows of the next step act.
OdeRows::Line OdeRows::line_of(const HingeRows& rows) {
  dVector3 v;
  if (!is_hinge(rows)) {
    dJointGetSliderAxis(rows.joint, v);
    return {rows.child == nullptr ? to_vec3(v) : -to_vec3(v), {}};
  }
  dJointGetHingeAxis(rows.joint, v);
  const Vec3 axis = to_vec3(v);
  rows.child != nullptr ? dJointGetHingeAnchor2(rows.joint, v)
                        : dJointGetHingeAnchor(rows.joint, v);
  const bool is_first = rows.parent == nullptr || rows.child == nullptr;
  return {is_first ? -axis : axis, to_vec3(v) - to_vec3(dBodyGetPosition(moved_body(rows)))};
}

OdeRows::OdeRows(std::vector<JointRows*> joints, double world_cfm)
    : joints_(std::move(joints)), world_cfm_(world_cfm), lines_(joints_.size()) {
  for (const JointRows* const joint : joints_) {
    if (joint->kind == RowsKind::Hinge2) {
      set_up(static_cast<const Hinge2Rows&>(*joint));
    } else if (joint->has_axis()) {
      set_up(static_cast<const HingeRows&>(*joint));
    }
  }
  const std::vector<dJointID> measured = with_feedback();
  feedback_.resize(measured.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    dJointSetFeedback(measured[i], &feedback_[i]);
  }
}

std::vector<dJointID> OdeRows::with_feedback() const {
  std::vector<dJointID> all;
  const auto add = [&all](dJointID joint) {
    if (joint != nullptr) {
      all.push_back(joint);
    }
  };
  for (const JointRows* const joint : joints_) {
    for (const dJointID measured : measured_joints(*joint)) {
      add(measured);
    }
    if (joint->has_axis()) {
      const GapRows* const gap = static_cast<const HingeRows*>(joint)->gap;
      add(gap != nullptr ? gap->joint : nullptr);
    }
  }
  return all;
}

void OdeRows::read() const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    JointRows& joint = *joints_[j];
    if (!is_awake(moved_body(joint), joint.parent)) {
      continue;
    }
    read_force(joint);
    if (joint.has_axis()) {
      HingeRows& rows = static_cast<HingeRows&>(joint);
      const auto& [force, torque] = rows.on_body;
      const Line& line = lines_[j];
      rows.effort = dot(line.axis, is_hinge(rows) ? torque + cross(force, line.arm) : force);
      if (rows.gap != nullptr) {
        read_gap(rows);
      }
    }
  }
}

// ODE leaves the feedback of a joint without rows as it was.
void OdeRows::write() {
  std::fill(feedback_.begin(), feedback_.end(), dJointFeedback{});
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const JointRows& joint = *joints_[j];
    switch (joint.kind) {
      case RowsKind::Hinge:
      case RowsKind::Slider:
        lines_[j] = line_of(static_cast<const HingeRows&>(joint));
        write_hinge(static_cast<const HingeRows&>(joint));
        break;
      case RowsKind::Ball:
        write_ball(static_cast<const BallRows&>(joint));
        break;
      case RowsKind::Hinge2:
        write_hinge2(static_cast<const Hinge2Rows&>(joint));
        break;
    }
  }
}

void OdeRows::write_hinge(const HingeRows& rows) const {
  write_motor(rows);
  if (rows.springs != nullptr) {
    write_spring(rows);
  }
  if (rows.axis.stops.exist()) {
    write_stops(rows);
  }
  if (rows.gap != nullptr) {
    write_gap(*rows.gap);
  }
}

void OdeRows::write_motor(const HingeRows& rows) const {
  const MotorRow& motor = rows.axis.motor;
  const double velocity = bounded_velocity(motor.velocity);
  const auto set = rows.kind == RowsKind::Hinge ? dJointSetHingeParam
                   : rows.motors != nullptr     ? dJointSetLMotorParam
                                                : dJointSetSliderParam;
  const dJointID joint = rows.motors != nullptr ? rows.motors : rows.joint;
  set(joint, dParamVel,
      rows.kind == RowsKind::Hinge || rows.motors != nullptr ? -velocity : velocity);
  set(joint, dParamFMax, bounded_max_force(motor.max_force));
  set(joint, dParamCFM, cfm_of(motor));
}

void OdeRows::write_gap(const GapRows& gap) const {
  const auto set =
      dJointGetType(gap.joint) == dJointTypeAMotor ? dJointSetAMotorParam : dJointSetLMotorParam;
  set(gap.joint, dParamVel1, -gap.sides.low);
  set(gap.joint, dParamVel2, -gap.sides.high);
  set(gap.joint, dParamFMax1, gap.sides.max_force);
  set(gap.joint, dParamFMax2, gap.sides.max_force);
}

void OdeRows::write_ball(const BallRows& rows) const {
  bool has_spring = false;
  for (int i = 0; i < 3; ++i) {
    const BallRows::Axis& axis = rows.axes[i];
    aim(rows, rows.motors, i, axis.direction);
    dJointSetAMotorParam(rows.motors, of_row(dParamVel, i), -bounded_velocity(axis.motor.velocity));
    dJointSetAMotorParam(rows.motors, of_row(dParamFMax, i), axis.motor.max_force);
    dJointSetAMotorParam(rows.motors, of_row(dParamCFM, i), cfm_of(axis.motor));
    if (rows.stops != nullptr) {
      aim(rows, rows.stops, i, axis.direction);
      set_row_stops(rows.stops, i, axis.stops);
      dJointSetAMotorAngle(rows.stops, i, -axis.stops.beyond(axis.position));
    }
    if (rows.springs != nullptr) {
      aim(rows, rows.springs, i, axis.spring_direction);
      write_spring(rows.springs, i, axis.spring);
      has_spring = has_spring || axis.spring.is_active;
    }
  }
  if (rows.springs != nullptr) {
    enable(rows.springs, has_spring);
  }
}

void OdeRows::write_hinge2(const Hinge2Rows& rows) const {
  bool has_spring = false;
  for (int i = rows.lock.is_active ? 1 : 0; i < 2; ++i) {
    const AxisDemand& axis = rows.axes[i];
    dJointSetHinge2Param(rows.joint, of_row(dParamVel, i), -bounded_velocity(axis.motor.velocity));
    dJointSetHinge2Param(rows.joint, of_row(dParamFMax, i),
                         bounded_max_force(axis.motor.max_force));
    dJointSetHinge2Param(rows.joint, of_row(dParamCFM, i), cfm_of(axis.motor));
    if (rows.springs != nullptr) {
      write_spring(rows.springs, i, axis.spring);
      has_spring = has_spring || axis.spring.is_active;
    }
    if (rows.stops != nullptr) {
      dJointSetAMotorAngle(rows.stops, i, -axis.stops.beyond(axis.position));
    }
  }
  if (rows.springs != nullptr) {
    enable(rows.springs, has_spring);
  }
}

}  // namespace servosim
