// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/joint.h"

#include <algorithm>
#include <cmath>

#include "physics/bodies.h"
#include "physics/ode_library.h"
#include "physics/rows/axis_line.h"
#include "physics/rows/direct_force.h"
#include "scene/scene.h"
#include "servosim/spring_damper.h"

// The position of a hinge counts turns, although its reading q is within ±π:
//
//     p = q + off + 2π·n,    n such that p is nearest to the last p (in fast motion, to p + p'·h)
//
// The position of a slider is its reading + off. joint.h has the signs and the effort; backlash.h
// has the law of the gap.

namespace servosim {

OdeJoint::OdeJoint(dWorldID world, const JointSpec& spec, const Body* parent, const Body* child,
                   const Vec3& axis, const Vec3& anchor, JointState& state, double h)
    : state_(&state),
      h_(h),
      offset_(state.position),
      spring_(std::min(spec.spring.constant, kMaxForce)),
      damping_(spec.damping_constant),
      armature_(std::min(spec.armature, kMaxForce)) {
  rows_.kind = spec.type == JointType::Rotational ? RowsKind::Hinge : RowsKind::Slider;
  rows_.parent = id_of(parent);
  rows_.child = id_of(child);
  rows_.offset = offset_;
  rows_.axis.stops = stops_of(world, spec);
  rows_.axis.spring.per_rate = armature_ / h_;
  set_rest(spec, rows_.axis.spring);
  // The order in which ODE's joints are made is a part of the result: ODE solves rows in this
  // order.
  create_joint(world, parent, child, axis, anchor);
  if (rows_.axis.stops.exist()) {
    create_second_joint(world, axis);
  }
  // A brake can act later, so its row is made now.
  if (spec.has_brake || soft_terms().active) {
    rows_.springs = create_axis_rows(world, spec.type, rows_.parent, rows_.child, axis, 1);
    update_spring();
  }
}

// The pose of the bodies at this time is position `off` of the joint.
void OdeJoint::create_joint(dWorldID world, const Body* parent, const Body* child, const Vec3& axis,
                            const Vec3& anchor) {
  const bool is_reversed = parent == nullptr;
  // See the table of signs in joint.h.
  const Vec3 of_ode = is_hinge() && !is_reversed ? axis : -axis;
  if (is_hinge()) {
    rows_.joint = made(dJointCreateHinge(world, nullptr), "a hinge");
    dJointAttach(rows_.joint, rows_.parent, rows_.child);
    dJointSetHingeAxis(rows_.joint, of_ode.x, of_ode.y, of_ode.z);
    dJointSetHingeAnchor(rows_.joint, anchor.x, anchor.y, anchor.z);
  } else {
    rows_.joint = made(dJointCreateSlider(world, nullptr), "a slider");
    dJointAttach(rows_.joint, rows_.parent, rows_.child);
    dJointSetSliderAxis(rows_.joint, of_ode.x, of_ode.y, of_ode.z);
  }
  rows_.coordinate = JointCoordinate(is_hinge() ? JointType::Rotational : JointType::Linear,
                                     is_reversed ? *child : *parent, is_reversed ? nullptr : child,
                                     of_ode, is_reversed);
}

// A joint of ODE has either a motor or a stop on its axis, not both as separate rows. So a hinge
// has its motor row, and an AMotor has its stops; a slider has its stops, and an LMotor has its
// motor row.
void OdeJoint::create_second_joint(dWorldID world, const Vec3& axis) {
  dJointID& second = is_hinge() ? rows_.stops : rows_.motors;
  second = create_axis_rows(world, is_hinge() ? JointType::Rotational : JointType::Linear,
                            rows_.parent, rows_.child, axis, 1);
}

// An armature a is a damper a/h.
SoftRow OdeJoint::soft_terms() const { return soft_row(spring_, damping() + armature_ / h_, h_); }

// When a brake is released, the row stays and is not active: a restored state must find it in its
// place.
void OdeJoint::set_spring_row() {
  spring_damping_ = damping();
  const SoftRow row = soft_terms();
  set_spring(row, row.erp / h_, rows_.axis.spring);
}

// Forces of force control are added here, since they are not rows. Everything else goes into the
// rows.
void OdeJoint::before_step() {
  // The position that the solver found is that of the last step.
  rows_.is_moved = false;
  if (state_->wake) {
    state_->wake = false;
    wake(body());
  }
  if (state_->brake_changed) {
    state_->brake_changed = false;
    update_spring();
  }
  const JointState::Drive& drive = state_->drive;
  AxisDemand& axis = rows_.axis;
  axis.motor = drive;
  axis.position = state_->position;
  axis.is_at_stop = axis.stops.hold(axis.position);
  const bool has_servo = rows_.servo != nullptr && rows_.servo->acts;
  if (axis.spring.active) {
    axis.spring.from_rest = from_rest();
    if (axis.spring.per_rate > 0.0) {
      axis.spring.rate = rate();
    }
  }
  // This spares the solver from looking at the other rows.
  rows_.has_motor_row_alone =
      !axis.spring.active && !axis.is_at_stop && rows_.gap == nullptr && !has_servo;
  // Forces on sleeping bodies would accumulate.
  if (drive.force != 0.0 && !rows_.takes_force && is_awake(body(), rows_.parent)) {
    put_on_bodies(rows_, drive.force);
  }
}

// The spin of a body bounds the rate of the joint, and costs less than the rate.
bool OdeJoint::turns_fast() const {
  return servosim::turns_fast(dBodyGetAngularVel(body()),
                              rows_.parent == nullptr || rows_.child == nullptr
                                  ? nullptr
                                  : dBodyGetAngularVel(rows_.parent),
                              h_);
}

// A solver that knows the way of a step knows the number of turns.
double OdeJoint::placed_near(double place, double position) const {
  return is_hinge() ? wrap_near(place + offset_, position) : place + offset_;
}

// A reading of a hinge is within ±π. The number of turns is the one that brings it nearest to the
// last position, or, in fast motion, nearest to the last position + p'·h.
void OdeJoint::set_position(double place, bool some_turn_fast) {
  if (!is_hinge()) {
    state_->position = place + offset_;
    return;
  }
  const double before = state_->position;
  double now = wrap_near(place + offset_, before);
  if (some_turn_fast && turns_fast()) {
    now = wrap_near(now, before + rate() * h_);
  }
  state_->position = now;
}

// Webots' force feedback takes the pose after the step. The effort takes the pose before the step,
// in which the forces acted.
void OdeJoint::measure() const {
  state_->velocity = rate();
  state_->constraint_effort = effort_along(axis_line(rows_), rows_);
  state_->effort = rows_.effort + state_->drive.force;
  if (rows_.axis.spring.active) {
    state_->effort -= spring_ * from_rest() + damping() * state_->velocity;
  }
}

OdeBacklash::OdeBacklash(dWorldID world, const JointSpec& spec, dBodyID parent, dBodyID child,
                         const Vec3& axis, JointState& state)
    : state_(&state), child_(child) {
  rows_.joint = create_axis_rows(world, spec.type, parent, child, axis, 2);
  state.backlash = {spec.backlash, spec.position};
}

// The drive of the motor moves the shaft. What is left to the joint's own row is friction, and the
// force of force control, which acts on the endpoint.
void OdeBacklash::before_step(double softness, double wake_threshold, double h) {
  const JointDrive wanted = state_->drive;
  const BacklashRows sides =
      move_shaft(state_->backlash, wanted, state_->position, state_->static_friction, softness, h);
  state_->drive = {0.0, state_->static_friction, wanted.force, 0.0};
  rows_.sides = {bounded_velocity(sides.low), bounded_velocity(sides.high),
                 bounded_max_force(sides.max_force)};
  // Without a force there is no row whose result a solver could write. A sleeping joint needs this,
  // too.
  if (rows_.sides.max_force == 0.0) {
    rows_.effort = 0.0;
  }
  commanded_ = wanted.velocity;
  gap_speed_ = contact_speed(state_->backlash, state_->position, h);
  // A command wakes the endpoint only when the shaft has crossed the play.
  if (wanted.force == 0.0 && !dBodyIsEnabled(child_) && gap_speed_ > wake_threshold) {
    state_->wake = true;
  }
}

// Within the play the shaft moves alone, with `gap_speed_` 0. On a contact side it moves the
// endpoint.
bool OdeBacklash::is_at_work(double rate) const {
  return rows_.sides.max_force > 0.0 && std::abs(commanded_) > kStill &&
         (gap_speed_ == 0.0 || std::abs(rate) > kStill);
}

// The sides of the gap are what the motor does to the endpoint.
void OdeBacklash::measure() const {
  state_->constraint_effort += rows_.effort;
  state_->effort += rows_.effort;
}

}  // namespace servosim
