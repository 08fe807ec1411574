// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/hinge2.h"

#include <algorithm>
#include <cmath>

#include "physics/ode_library.h"
#include "physics/rows/direct_force.h"
#include "scene/scene.h"

// Positions, rates and efforts of both axes. With q1 and q2, ODE's angles, off, the position at
// which ODE reads 0, T, the torque of the joint and its rows on the child about the anchor,
//
//     p1 = −q1 + off1,    p2 = q2 + off2        (each counts turns, as that of a hinge)
//     τ_i = a_i·T + force of force control − k_i·(p_i − rest_i) − d_i·p_i'
//
// The force feedback of Webots is a_i·T with the axes after the step. The effort is that with the
// axes before the step, in the pose in which the forces acted. Springs are rows of their own, so
// they are not in T. Signs are those of the child along +axis; hinge2.h has ODE's.

namespace servosim {

OdeHinge2::OdeHinge2(dWorldID world, std::span<const JointSpec> specs, const Body& parent,
                     const Body& child, const Vec3& axis1, const Vec3& axis2, const Vec3& anchor,
                     std::span<JointState> states, double h)
    : parent_(&parent),
      child_(&child),
      in_bodies_{in_frame_of(parent, axis1), in_frame_of(child, axis2)},
      h_(h),
      per_step_(1.0 / h),
      first_(2 - static_cast<int>(specs.size())) {
  rows_.kind = RowsKind::Hinge2;
  rows_.joint = made(dJointCreateHinge2(world, nullptr), "a Hinge2Joint");
  rows_.parent = parent.id;
  rows_.child = child.id;
  create_joint(axis1, axis2, anchor);
  set_suspension(specs.front());
  // ODE locks axis 1 with the softness and error correction of the world; the tree solver gets the
  // same numbers.
  if (first_ == 1) {
    const double erp = dWorldGetERP(world);
    set_spring({erp, dWorldGetCFM(world), true}, erp * per_step_, rows_.lock);
  }
  bool soft = false;
  for (int i = first_; i < 2; ++i) {
    const JointSpec& spec = specs[i - first_];
    JointState& state = states[i - first_];
    // ODE reads 0 at the creation of the joint, when the position is state.position.
    axes_[i] = {&state, state.position, std::min(spec.spring.constant, kMaxForce),
                spec.damping_constant};
    rows_.axes[i].stops = stops_of(world, spec);
    set_rest(spec, rows_.axes[i].spring);
    if (rows_.axes[i].stops.exist() && rows_.stops == nullptr) {
      rows_.stops = create_rows(world);
    }
    soft = soft || spec.has_brake || spec.spring.constant > 0.0 || spec.damping_constant > 0.0;
  }
  if (soft) {
    rows_.springs = create_rows(world);
    update_springs();
  }
}

// The present pose becomes the one in which ODE reads 0.
void OdeHinge2::create_joint(const Vec3& axis1, const Vec3& axis2, const Vec3& anchor) {
  dJointAttach(rows_.joint, parent_->id, child_->id);
  const dVector3 a1{axis1.x, axis1.y, axis1.z};
  const dVector3 a2{axis2.x, axis2.y, axis2.z};
  dJointSetHinge2Anchor(rows_.joint, anchor.x, anchor.y, anchor.z);
  dJointSetHinge2Axes(rows_.joint, a1, a2);
}

// ODE uses ERP and CFM of a suspension for the row along axis 1. A spring k with a damper d has the
// ERP and CFM of soft_row().
void OdeHinge2::set_suspension(const JointSpec& spec) {
  const SoftRow row = soft_row(bounded_max_force(spec.suspension.spring_constant),
                               bounded_max_force(spec.suspension.damping_constant), h_);
  set_spring(row, row.erp * per_step_, rows_.suspension);
}

// Axis 1 turns with the parent, axis 2 with the child.
// ODE's AMotor is relative to body 1 for an axis fixed in the parent, and to body 2 for one fixed
// in the child.
dJointID OdeHinge2::create_rows(dWorldID world) {
  const dJointID rows = create_angular_rows(world, parent_->id, child_->id, 2);
  const auto [a1, a2] = axes();
  dJointSetAMotorAxis(rows, 0, 1, a1.x, a1.y, a1.z);
  dJointSetAMotorAxis(rows, 1, 2, a2.x, a2.y, a2.z);
  return rows;
}

// The row of a spring takes k and d as soft_row() does; its g is erp/h.
void OdeHinge2::update_springs() {
  for (int i = first_; rows_.springs != nullptr && i < 2; ++i) {
    const Axis& a = axes_[i];
    const SoftRow row = soft_row(a.spring, total_damping(a.damping, *a.state), h_);
    set_spring(row, row.erp * per_step_, rows_.axes[i].spring);
  }
}

// Rows of springs change only with a brake, so they are not set in every step.
void OdeHinge2::before_step() {
  rates_.forget();
  std::array<double, 2> force{};
  bool brake_changed = false;
  for (int i = first_; i < 2; ++i) {
    JointState& state = *axes_[i].state;
    if (state.wake) {
      state.wake = false;
      wake(child_->id);
    }
    brake_changed = brake_changed || state.brake_changed;
    state.brake_changed = false;
    AxisDemand& axis = rows_.axes[i];
    axis.motor = state.drive;
    axis.position = state.position;
    axis.is_at_stop = axis.stops.hold(state.position);
    if (rows_.springs != nullptr) {
      axis.spring.from_rest = axis.spring.stretch(state.position);
    }
    // The forces are collected, since ODE takes the torques of both axes at once.
    force[i] = bounded_force(state.drive.force);
  }
  if (rows_.lock.active) {
    // The tree solver needs the angle of the lock; ODE reads its own.
    rows_.lock.from_rest = -dJointGetHinge2Angle1(rows_.joint);
  }
  if (brake_changed) {
    update_springs();
  }
  if ((force[0] != 0.0 || force[1] != 0.0) && is_awake(child_->id, parent_->id)) {
    put_and_note(rows_, [&] { dJointAddHinge2Torques(rows_.joint, -force[0], -force[1]); });
  }
}

// A suspension works as long as the anchors move against each other.
bool OdeHinge2::is_at_work() const {
  const std::array<double, 2> speed = rates();
  bool works = rows_.suspension.active && std::abs(travel_rate()) > kStill;
  for (int i = first_; i < 2; ++i) {
    works =
        works || servosim::is_at_work(axes_[i].state->drive, rows_.axes[i].spring.active, speed[i]);
  }
  return works;
}

// The travel x is the distance of the child's anchor from the parent's along axis 1.
double OdeHinge2::travel_rate() const {
  dVector3 anchor;
  dJointGetHinge2Anchor2(rows_.joint, anchor);
  const auto velocity_of = [&anchor](const Body& body) {
    return to_vec3(body.velocity) +
           cross(to_vec3(body.spin), to_vec3(anchor) - to_vec3(body.position));
  };
  return dot(axes()[0], velocity_of(*child_) - velocity_of(*parent_));
}

// ODE's angles are within ±π, so turns are counted as for a hinge.
void OdeHinge2::after_step(bool some_turn_fast) {
  const bool fast = some_turn_fast && turns_fast(child_->spin, parent_->spin, h_);
  const std::array<double, 2> speed = fast ? rates() : std::array<double, 2>{};
  for (int i = first_; i < 2; ++i) {
    const Axis& a = axes_[i];
    const double angle =
        i == 0 ? -dJointGetHinge2Angle1(rows_.joint) : dJointGetHinge2Angle2(rows_.joint);
    a.state->position = wrap_near(angle + a.offset, a.state->position + speed[i] * h_);
  }
}

// ODE stores axis 1 in the frame of the parent and axis 2 in that of the child.
std::array<Vec3, 2> OdeHinge2::axes() const {
  return {to_mat3(parent_->rotation) * in_bodies_[0], to_mat3(child_->rotation) * in_bodies_[1]};
}

// ODE's rates are the projections on the axes. These are the rates of the positions only if the
// axes are perpendicular. With c = a1·a2 and ω, the spin of the child against the parent,
//
//     p1' = (a1·ω − c·a2·ω)/(1 − c²),    p2' = (a2·ω − c·a1·ω)/(1 − c²)
std::array<double, 2> OdeHinge2::rates() const {
  const Vec3 spin = to_vec3(child_->spin) - to_vec3(parent_->spin);
  const auto [a1, a2] = axes();
  const double c = dot(a1, a2);
  const double on1 = dot(a1, spin);
  const double on2 = dot(a2, spin);
  return {(on1 - c * on2) / (1.0 - c * c), (on2 - c * on1) / (1.0 - c * c)};
}

// With `turn` the arm is the one before the step, when the rows acted.
Vec3 OdeHinge2::torque_on_child(const Mat3& turn) const {
  const auto& [force, torque] = rows_.on_body;
  dVector3 anchor;
  dJointGetHinge2Anchor2(rows_.joint, anchor);
  const Vec3 arm = transposed(turn) * (to_vec3(anchor) - to_vec3(child_->position));
  return torque + cross(force, arm);
}

void OdeHinge2::measure() const {
  const std::array<double, 2> speed = rates();
  const std::array<Vec3, 2> axis = axes();
  const Mat3 child_turn = last_turn(child_->id, h_);
  // Webots takes the pose after the step for its force feedback. The effort is that in the pose in
  // which the forces acted.
  const Vec3 now = torque_on_child({});
  const Vec3 then = torque_on_child(child_turn);
  for (int i = first_; i < 2; ++i) {
    const Axis& a = axes_[i];
    JointState& state = *a.state;
    const Mat3 turn = i == 0 ? last_turn(parent_->id, h_) : child_turn;
    state.velocity = speed[i];
    state.constraint_effort = dot(axis[i], now);
    state.effort = dot(transposed(turn) * axis[i], then) + state.drive.force;
    state.effort -= a.spring * rows_.axes[i].spring.stretch(state.position) +
                    total_damping(a.damping, state) * state.velocity;
  }
}

}  // namespace servosim
