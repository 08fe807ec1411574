// SPDX-License-Identifier: Apache-2.0
#include "physics/ode/ode_rows.h"

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <utility>

#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "servosim/ode_axis_row.h"

// Which object of ODE has which rows of a joint:
//
//     kind     motor               stops      spring    gap
//     hinge    joint               AMotor     AMotor    AMotor with two rows
//     slider   joint, or LMotor    joint      LMotor    LMotor with two rows
//     ball     AMotor              AMotor     AMotor    none
//     Hinge2   joint               AMotor     AMotor    none
//
// A slider has its motor in an LMotor only if it has stops, since ODE's own row of a slider is then
// that of the stop. Numbers are negated as OdeRows says. Forces are read from ODE's feedback, which
// is in the world's axes and about the centre of mass of each body.

namespace servosim {

namespace {

// ODE numbers the parameters of the rows of one joint in groups.
constexpr int of_row(int parameter, int row) { return parameter + row * dParamGroup; }

// Sets the stops of a row whose angle is −p: low and high change places.
void set_row_stops(dJointID rows, int row, const Stops& stops) {
  dJointSetAMotorParam(rows, of_row(dParamLoStop, row), -stops.high);
  dJointSetAMotorParam(rows, of_row(dParamHiStop, row), -stops.low);
  dJointSetAMotorParam(rows, of_row(dParamStopERP, row), stops.erp);
  dJointSetAMotorParam(rows, of_row(dParamStopCFM, row), stops.cfm);
}

// Writes the spring of one of several rows of a joint. A row without a spring must have no stops,
// since a joint can be disabled only with all of its rows.
void write_row_spring(dJointID rows, int row, const SpringRow& spring) {
  if (spring.active) {
    detail::write_spring(true, rows, row, spring, spring.gain, -spring.from_rest);
  } else {
    dJointSetAMotorParam(rows, of_row(dParamLoStop, row), -dInfinity);
    dJointSetAMotorParam(rows, of_row(dParamHiStop, row), dInfinity);
  }
}

// A disabled joint of ODE has no rows and costs nothing.
void enable(dJointID rows, bool is_active) { is_active ? dJointEnable(rows) : dJointDisable(rows); }

ServoRows* servo_of(const JointRows& rows) {
  return rows.has_axis() ? static_cast<const HingeRows&>(rows).servo : nullptr;
}

// Returns ODE's joints whose forces make up JointRows::on_body, or null. A ball's own joint only
// holds the anchors together.
std::array<dJointID, 4> measured_joints(const JointRows& rows) {
  const ServoRows* const servo = servo_of(rows);
  return {rows.kind == RowsKind::Ball ? nullptr : rows.joint, rows.motors, rows.stops,
          servo != nullptr ? servo->joint : nullptr};
}

// Returns what a joint of ODE has put on the measured body. ODE has feedback for the first and the
// second body.
Wrench wrench_of(const JointRows& rows, dJointID joint) {
  const dJointFeedback& f = *dJointGetFeedback(joint);
  return is_first(rows) ? Wrench{to_vec3(f.f1), to_vec3(f.t1)}
                        : Wrench{to_vec3(f.f2), to_vec3(f.t2)};
}

// Returns those that have feedback only for who measures the whole load of the child.
std::array<dJointID, 2> other_joints(const JointRows& rows) {
  return {rows.kind == RowsKind::Ball ? rows.joint : nullptr, rows.springs};
}

GapRows* gap_of(const JointRows& rows) {
  return rows.has_axis() ? static_cast<const HingeRows&>(rows).gap : nullptr;
}

// on_body is the sum over the joints of ODE that make up one joint of the scene.
void read_force(JointRows& rows) {
  Wrench sum;
  const auto add = [&](dJointID joint) {
    if (joint != nullptr) {
      const Wrench wrench = wrench_of(rows, joint);
      sum = {sum.force + wrench.force, sum.torque + wrench.torque};
    }
  };
  for (const dJointID joint : measured_joints(rows)) {
    add(joint);
  }
  rows.on_body = sum;
  if (rows.load != nullptr) {
    for (const dJointID joint : other_joints(rows)) {
      add(joint);
    }
    if (const GapRows* const gap = gap_of(rows)) {
      add(gap->joint);
    }
    rows.load->rows = sum;
  }
}

bool is_hinge(const HingeRows& rows) { return rows.kind == RowsKind::Hinge; }

// These set ERP and CFM of stops, which never change. A slider has its stops itself.
void set_up(const HingeRows& rows) {
  const Stops& stops = rows.axis.stops;
  // The bounds of the AMotor stay, and its angle changes in each step.
  if (stops.exist() && is_hinge(rows)) {
    set_row_stops(rows.stops, 0, stops);
  } else if (stops.exist()) {
    dJointSetSliderParam(rows.joint, dParamStopERP, stops.erp);
    dJointSetSliderParam(rows.joint, dParamStopCFM, stops.cfm);
  }
}

void set_up(const Hinge2Rows& rows) {
  for (int i = 0; i < 2; ++i) {
    if (rows.axes[i].stops.exist()) {
      set_row_stops(rows.stops, i, rows.axes[i].stops);
    }
  }
  // Equal stops lock an axis of a Hinge2, with ERP and CFM of the world.
  if (rows.lock.active) {
    dJointSetHinge2Param(rows.joint, dParamLoStop, 0.0);
    dJointSetHinge2Param(rows.joint, dParamHiStop, 0.0);
  }
  // Without a suspension ODE holds the anchors together as in any joint.
  if (rows.suspension.active) {
    // ODE uses these for the row along axis 1.
    dJointSetHinge2Param(rows.joint, dParamSuspensionERP, rows.suspension.erp);
    dJointSetHinge2Param(rows.joint, dParamSuspensionCFM, rows.suspension.cfm);
  }
}

// The deflection −p of the row is that of ODE's first body.
void write_spring(const HingeRows& rows) {
  const SpringRow& spring = rows.axis.spring;
  enable(rows.springs, spring.active);
  if (spring.active && spring.per_rate > 0.0) {
    // A spring is a stop in an AMotor, which asks for no velocity.
    detail::write_motor(is_hinge(rows), rows.springs, 0,
                        -spring.velocity(spring.from_rest, spring.rate), dInfinity, spring.cfm);
  } else if (spring.active) {
    detail::write_spring(is_hinge(rows), rows.springs, 0, spring, spring.gain, -spring.from_rest);
  }
}

// A hinge's AMotor compares the angle −p that it gets here with its stops. A slider compares its
// own reading, which may differ from the position in the last bit. So it gets a stop only if the
// position is at that stop, and the stop is shifted by the difference.
void write_stops(const HingeRows& rows) {
  const Stops& stops = rows.axis.stops;
  const double p = stops.beyond(rows.axis.position);
  if (is_hinge(rows)) {
    dJointSetAMotorAngle(rows.stops, 0, -p);
    return;
  }
  // `ahead` is the difference of the reading from the position, which is beyond the stop.
  const double ahead = rows.axis.is_at_stop ? dJointGetSliderPosition(rows.joint) - p : 0.0;
  dJointSetSliderParam(rows.joint, dParamLoStop, p <= stops.low ? stops.low + ahead : -dInfinity);
  dJointSetSliderParam(rows.joint, dParamHiStop, p >= stops.high ? stops.high + ahead : dInfinity);
}

// ODE's rows have bounds of equal size: the middle of those of V is a constant force, which P takes
// up. λ = f − s·ω⁺ is the row with cfm = 1/s and the velocity f/s.
void write_servo(bool turns, const ServoRows& servo) {
  double constant = 0.0;
  int row = 1;
  for (const ServoRowOf<double>& drive : servo.step.drive) {
    if (drive.stiffness > 0.0) {
      const double middle = 0.5 * (drive.low + drive.high);
      constant += middle;
      detail::write_motor(turns, servo.joint, row, -(drive.force - middle) / drive.stiffness,
                          0.5 * (drive.high - drive.low), 1.0 / drive.stiffness);
    } else {
      detail::write_motor(turns, servo.joint, row, 0.0, 0.0, 1.0);
    }
    ++row;
  }
  const ServoRowOf<double>& passive = servo.step.passive;
  detail::write_motor(turns, servo.joint, 0, -(passive.force + constant) / passive.stiffness,
                      dInfinity, 1.0 / passive.stiffness);
}

// Sets the direction of a ball's row. ODE's first body is the parent if there is one, else the
// child, for which the direction is negated.
void aim(const BallRows& rows, dJointID joint, int row, const Vec3& direction) {
  const Vec3 v = rows.parent != nullptr ? direction : -direction;
  dJointSetAMotorAxis(joint, row, 0, v.x, v.y, v.z);
}

}  // namespace

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
    // ODE stores the address, so the vector must have its size before.
    dJointSetFeedback(measured[i], &feedback_[i]);
  }
}

// Springs are among them only where the whole load of the child is measured: their force follows
// from position and velocity, and feedback changes the last bits of ODE's sums.
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
    if (const GapRows* const gap = gap_of(*joint)) {
      add(gap->joint);
    }
    if (joint->load != nullptr) {
      for (const dJointID other : other_joints(*joint)) {
        add(other);
      }
    }
  }
  return all;
}

// A sleeping joint keeps the forces of its last step.
void OdeRows::read() const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (JointRows& rows = *joints_[j]; is_awake(measured_body(rows), rows.parent)) {
      read_force(rows);
      if (rows.has_axis()) {
        read_efforts(lines_[j], static_cast<HingeRows&>(rows));
      }
    }
  }
}

// A motor's own row and the gap are both along the axis; the gap is a joint of its own in ODE.
void OdeRows::read_efforts(const AxisLine& line, HingeRows& rows) {
  // The line is that of write(), in the pose in which the forces acted.
  rows.effort = effort_along(line, rows);
  if (rows.gap != nullptr) {
    // A row of a gap has no arm: its torque or its force is along the axis.
    const Wrench sides = wrench_of(rows, rows.gap->joint);
    rows.gap->effort = dot(line.axis, is_hinge(rows) ? sides.torque : sides.force);
  }
  if (rows.servo != nullptr && rows.servo->acts) {
    const auto along = [&](dJointID joint) {
      const Wrench wrench = wrench_of(rows, joint);
      return dot(line.axis,
                 is_hinge(rows) ? wrench.torque + cross(wrench.force, line.arm) : wrench.force);
    };
    ServoRows& servo = *rows.servo;
    servo.force = along(rows.motors != nullptr ? rows.motors : rows.joint) + along(servo.joint);
    servo.is_solved = true;
  }
}

// ODE does not clear the feedback of a joint that has no rows in a step.
void OdeRows::write() {
  // A joint without rows has no force.
  std::fill(feedback_.begin(), feedback_.end(), dJointFeedback{});
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const JointRows& joint = *joints_[j];
    switch (joint.kind) {
      case RowsKind::Hinge:
      case RowsKind::Slider:
        // This is the pose in which the forces of the step act.
        lines_[j] = axis_line(static_cast<const HingeRows&>(joint));
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

// A row that never exists is not written.
void OdeRows::write_hinge(const HingeRows& rows) const {
  write_motor(rows);
  if (rows.springs != nullptr) {
    write_spring(rows);
  }
  if (rows.axis.stops.exist()) {
    write_stops(rows);
  }
  if (rows.gap != nullptr) {
    write_gap(is_hinge(rows), *rows.gap);
  }
  if (rows.servo != nullptr) {
    enable(rows.servo->joint, rows.servo->acts);
    if (rows.servo->acts) {
      write_servo(is_hinge(rows), *rows.servo);
    }
  }
}

// A slider with stops has its motor in an LMotor, whose numbers are negated. A joint's own motor is
// negated only for a hinge.
void OdeRows::write_motor(const HingeRows& rows) const {
  const JointDrive& motor = rows.axis.motor;
  const bool has_servo = rows.servo != nullptr && rows.servo->acts;
  const double velocity = has_servo ? rows.servo->return_rate : bounded_velocity(motor.velocity);
  const double max_force = bounded_max_force(has_servo ? rows.servo->friction : motor.max_force);
  const double cfm = has_servo ? 0.0 : cfm_of(motor);
  if (rows.motors != nullptr) {
    detail::write_motor(false, rows.motors, 0, -velocity, max_force, cfm);
    return;
  }
  // The joint's own row is the motor.
  const auto set = is_hinge(rows) ? dJointSetHingeParam : dJointSetSliderParam;
  set(rows.joint, dParamVel, is_hinge(rows) ? -velocity : velocity);
  set(rows.joint, dParamFMax, max_force);
  set(rows.joint, dParamCFM, cfm);
}

// Row 0 pushes up, row 1 pushes down; both have the softness of the world.
void OdeRows::write_gap(bool turns, const GapRows& gap) const {
  detail::write_motor(turns, gap.joint, 0, -gap.sides.low, gap.sides.max_force, world_cfm_);
  detail::write_motor(turns, gap.joint, 1, -gap.sides.high, gap.sides.max_force, world_cfm_);
}

// The directions change with the pose, so they are written in every step.
void OdeRows::write_ball(const BallRows& rows) const {
  bool has_spring = false;
  for (int i = 0; i < 3; ++i) {
    const BallRows::Axis& axis = rows.axes[i];
    // The terms of a ball's motor are within their bounds already, but for its velocity.
    aim(rows, rows.motors, i, axis.direction);
    detail::write_motor(true, rows.motors, i, -bounded_velocity(axis.motor.velocity),
                        axis.motor.max_force, cfm_of(axis.motor));
    if (rows.stops != nullptr) {
      aim(rows, rows.stops, i, axis.direction);
      set_row_stops(rows.stops, i, axis.stops);
      dJointSetAMotorAngle(rows.stops, i, -axis.stops.beyond(axis.position));
    }
    if (rows.springs != nullptr) {
      aim(rows, rows.springs, i, axis.spring_direction);
      write_row_spring(rows.springs, i, axis.spring);
      has_spring = has_spring || axis.spring.active;
    }
  }
  if (rows.springs != nullptr) {
    enable(rows.springs, has_spring);
  }
}

// A locked axis 1 has its stops from set_up(), and no other row.
void OdeRows::write_hinge2(const Hinge2Rows& rows) const {
  bool has_spring = false;
  for (int i = rows.lock.active ? 1 : 0; i < 2; ++i) {
    const AxisDemand& axis = rows.axes[i];
    // ODE's Hinge2 has motors for both of its axes, and counts both negated.
    dJointSetHinge2Param(rows.joint, of_row(dParamVel, i), -bounded_velocity(axis.motor.velocity));
    dJointSetHinge2Param(rows.joint, of_row(dParamFMax, i),
                         bounded_max_force(axis.motor.max_force));
    dJointSetHinge2Param(rows.joint, of_row(dParamCFM, i), cfm_of(axis.motor));
    if (rows.springs != nullptr) {
      write_row_spring(rows.springs, i, axis.spring);
      has_spring = has_spring || axis.spring.active;
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
