// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/ball.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "physics/ode_library.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Below this share A and C are too near each other to distinguish p1 and p3; forces grow no
// further.
constexpr double kMinShare = 0.05;

// The part of `v` square to the unit vector `axis`, with length one.
Vec3 square_part(const Vec3& v, const Vec3& axis) { return unit_or(v - dot(v, axis) * axis, {}); }

Mat3 rotation_of(const Body* body) { return body != nullptr ? to_mat3(body->rotation) : Mat3{}; }

Vec3 spin_of(const Body* body) { return body != nullptr ? to_vec3(body->spin) : Vec3{}; }

Mat3 turn_of(dBodyID body, double h) { return body != nullptr ? last_turn(body, h) : Mat3{}; }

double bounded_share(double share) {
  return std::copysign(std::max(std::abs(share), kMinShare), share);
}

double share_of(int axis, double share) { return axis == 1 ? 1.0 : share; }

}  // namespace

OdeBall::OdeBall(dWorldID world, std::span<const JointSpec> specs, const Body* parent,
                 const Body* child, const Mat3& frame, const Vec3& anchor,
                 std::span<JointState> states, double h)
    : parent_(parent),
      child_(child),
      h_(h),
      world_cfm_(dWorldGetCFM(world)),
      ball_(made(dJointCreateBall(world, nullptr), "a BallJoint")),
      feedback_(std::make_unique<std::array<dJointFeedback, 2>>()) {
  dJointAttach(ball_, id_of(parent), id_of(child));
  dJointSetBallAnchor(ball_, anchor.x, anchor.y, anchor.z);
  motor_ = create_angular_rows(world, id_of(parent), id_of(child), 3);
  dJointSetFeedback(motor_, &feedback_->at(0));
  Mat3 turned;
  bool soft = false;
  for (int i = 0; i < 3; ++i) {
    const JointSpec& spec = specs[i];
    axes_[i] = {&states[i], std::min(spec.spring_constant, kMaxForce), spec.damping_constant,
                stops_of(world, spec)};
    in_parent_[i] = transposed(rotation_of(parent)) * (frame * spec.axis);
    turned = turned * rotation_matrix({in_parent_[i], states[i].position});
    soft = soft || spec.has_brake || spec.spring_constant > 0.0 || spec.damping_constant > 0.0;
  }
  zero_ = transposed(turned) * transposed(rotation_of(parent)) * rotation_of(child);
  opening_ = std::acos(std::clamp(dot(in_parent_[0], in_parent_[2]), -1.0, 1.0));
  Stops& middle = axes_[1].stops;
  if (axes_[0].stops.exist() || axes_[2].stops.exist()) {
    // Where A and C coincide p1 and p3 jump; a stop would then apply an impulse.
    middle = {std::max(middle.low, opening_ - std::numbers::pi), std::min(middle.high, opening_)};
  }
  if (middle.exist()) {
    stops_ = create_angular_rows(world, id_of(parent), id_of(child), 3);
    dJointSetFeedback(stops_, &feedback_->at(1));
  }
  if (soft) {
    soft_ = create_angular_rows(world, id_of(parent), id_of(child), 3);
  }
}

// R(A,p1)·R(B,p2)·R(C,p3), in the parent's body frame.
Mat3 OdeBall::rotation() const {
  return transposed(rotation_of(parent_)) * rotation_of(child_) * transposed(zero_);
}

OdeBall::Vectors OdeBall::axes_now() const {
  const Mat3 frame = rotation_of(parent_);
  const Vec3 a = frame * in_parent_[0];
  const Vec3 c = frame * (rotation() * in_parent_[2]);
  const Vec3 across = cross(c, a);
  if (norm(across) >= kMinShare) {
    return {a, unit_or(across, {}), c};
  }
  // Near where A and C fall together p1 gives the side of that on which B is, and there where it
  // is.
  const Vec3 b =
      frame * (rotation_matrix({in_parent_[0], axes_[0].state->position}) * in_parent_[1]);
  return {a, unit_or(dot(across, b) < 0.0 ? -across : across, square_part(b, a)), c};
}

OdeBall::Directions OdeBall::directions() const {
  const Vectors x = axes_now();
  const Vectors rows{cross(x[1], x[2]), x[1], cross(x[0], x[1])};
  const double share = dot(x[0], rows[0]);
  return {x, rows, share, bounded_share(share)};
}

std::array<double, 3> OdeBall::angles() const {
  const auto& [a, b, c] = in_parent_;
  const Mat3 r = rotation();
  const Vec3 c_now = r * c;
  const Vec3 a_seen = transposed(r) * a;  // from the child
  const double between = std::atan2(norm(cross(a, c_now)), dot(a, c_now));
  if (std::sin(between) < 1e-6) {  // only p1 + p3 or their difference is known: leave both
    return {axes_[0].state->position, opening_ - between, axes_[2].state->position};
  }
  const Vec3 e = square_part(c, a);
  const Vec3 f = square_part(a, c);
  return nearer({std::atan2(dot(c_now, cross(a, e)), dot(c_now, e)), opening_ - between,
                 std::atan2(-dot(a_seen, cross(c, f)), dot(a_seen, f))},
                between);
}

// Each pose has two triples of positions. Near where A and C fall together p1 and p3 must not jump
// from the one to the other.
std::array<double, 3> OdeBall::nearer(const std::array<double, 3>& p, double between) const {
  const auto gap = [&](int i) {
    const double before = axes_[i].state->position;
    return std::abs(wrap_near(p[i], before) - before);
  };
  const double pi = std::numbers::pi;
  if (std::sin(between) >= kMinShare || gap(0) + gap(2) <= pi) {
    return p;
  }
  const double limit = opening_ - (between < 0.5 * pi ? 0.0 : pi);
  return {p[0] + pi, 2.0 * limit - p[1], p[2] + pi};
}

// The child turns against the parent by rate1·A + rate2·B + rate3·C.
std::array<double, 3> OdeBall::rates() const {
  const Vec3 spin = spin_of(child_) - spin_of(parent_);
  const Directions d = directions();
  return {dot(d.rows[0], spin) / d.divisor, dot(d.rows[1], spin), dot(d.rows[2], spin) / d.divisor};
}

void OdeBall::aim(dJointID rows, const Vectors& directions) const {
  for (int i = 0; i < 3; ++i) {
    const Vec3 v = parent_ != nullptr ? directions[i] : -directions[i];
    dJointSetAMotorAxis(rows, i, 0, v.x, v.y, v.z);
  }
}

// Near where A and C fall together, the rows of both would act square to them: that of C, about A
// instead, where it acts on the rotation of both.
void OdeBall::drive_motors(const Directions& d) {
  const bool locked = std::abs(d.share) < kMinShare;
  Vectors rows = d.rows;
  // Not the divisors: where the share is less, a motor's loop would overshoot.
  std::array<double, 3> velocity{d.share, 1.0, d.share};
  std::array<double, 3> angle{d.divisor, 1.0, d.divisor};
  if (locked) {
    rows[2] = d.axes[0];
    velocity[2] = angle[2] = dot(d.axes[0], d.axes[2]);
  }
  for (int i = 0; i < 3; ++i) {
    velocity[i] *= bounded_velocity(axes_[i].state->drive.velocity);
  }
  if (locked) {
    velocity[2] += bounded_velocity(axes_[0].state->drive.velocity);
  }
  for (int i = 0; i < 3; ++i) {
    const Axis& a = axes_[i];
    const MotorRow row = motor_row(a.state->drive);
    const auto [low, high] = std::minmax({angle[i] * a.stops.low, angle[i] * a.stops.high});
    hard_rows_[i] = {rows[i],
                     {velocity[i], bounded_max_force(row.max_force),
                      row_cfm(world_cfm_, row.softness * angle[i] * angle[i])},
                     angle[i] * a.state->position,
                     {low, high, a.stops.erp, a.stops.cfm}};
  }
}

void OdeBall::hand_rows_to_ode() {
  if (is_awake(body().id, id_of(parent_))) {
    *feedback_ = {};  // ODE leaves that of a joint without rows as it was
  }
  hand_motor_rows_to_ode();
  if (stops_ != nullptr) {
    hand_stops_to_ode();
  }
  if (soft_ != nullptr) {
    hand_soft_rows_to_ode();
  }
}

void OdeBall::hand_motor_rows_to_ode() {
  aim(motor_, {hard_rows_[0].direction, hard_rows_[1].direction, hard_rows_[2].direction});
  for (int i = 0; i < 3; ++i) {
    const MotorRow& motor = hard_rows_[i].motor;
    dJointSetAMotorParam(motor_, of_row(dParamVel, i), -bounded_velocity(motor.velocity));
    dJointSetAMotorParam(motor_, of_row(dParamFMax, i), motor.max_force);
    dJointSetAMotorParam(motor_, of_row(dParamCFM, i), motor.softness);
  }
}

void OdeBall::hand_stops_to_ode() {
  aim(stops_, {hard_rows_[0].direction, hard_rows_[1].direction, hard_rows_[2].direction});
  for (int i = 0; i < 3; ++i) {
    const HardOfStep& row = hard_rows_[i];
    set_row_stops(stops_, i, row.stops);
    dJointSetAMotorAngle(stops_, i, -row.stops.beyond(row.position));
  }
}

void OdeBall::hand_soft_rows_to_ode() {
  aim(soft_, {soft_rows_[0].direction, soft_rows_[1].direction, soft_rows_[2].direction});
  bool active = false;
  for (int i = 0; i < 3; ++i) {
    set_soft_row(soft_, i, soft_rows_[i].row);
    dJointSetAMotorAngle(soft_, i, -soft_rows_[i].position);
    active = active || soft_rows_[i].row.active;
  }
  active ? dJointEnable(soft_) : dJointDisable(soft_);
}

// Of the body that moves: the parent, where the child is the world.
Vec3 OdeBall::forward(const Vec3& direction) const {
  return child_ != nullptr ? direction : -direction;
}

void OdeBall::add_axis_rows(const StepSettings& settings, AxesRows& rows) const {
  for (int i = 0; i < 3; ++i) {
    const HardOfStep& m = hard_rows_[i];
    const SoftOfStep& s = soft_rows_[i];
    const bool is_at_stop = m.stops.hold(m.position);
    const bool has_soft = soft_ != nullptr && s.row.active;
    if (!is_at_stop && m.motor.max_force == 0.0 && !has_soft) {
      continue;
    }
    const std::size_t direction = rows.add(Direction{forward(m.direction), true});
    if (m.motor.max_force > 0.0) {
      rows.add(direction, AxisRow::Owner::Joint, motor_row_numbers(m.motor, settings));
    }
    if (is_at_stop) {
      rows.add(direction, AxisRow::Owner::Stops, m.stops.row(m.position, settings));
    }
    if (has_soft) {
      const bool is_same = dot(s.direction - m.direction, s.direction - m.direction) == 0.0;
      rows.add(is_same ? direction : rows.add(Direction{forward(s.direction), true}),
               AxisRow::Owner::Soft,
               spring_row_numbers(s.row.erp * settings.per_step, s.row.cfm, s.position, settings));
    }
  }
}

void OdeBall::add_torque(int i, double share, const Vec3& direction) {
  const JointState::Drive& wanted = axes_[i].state->drive;
  if (wanted.force != 0.0 && is_awake(body().id, id_of(parent_))) {
    const Vec3 torque = bounded_force(wanted.force) / share * direction;
    if (child_ != nullptr) {
      dBodyAddTorque(child_->id, torque.x, torque.y, torque.z);
    }
    if (parent_ != nullptr) {
      dBodyAddTorque(parent_->id, -torque.x, -torque.y, -torque.z);
    }
  }
}

// The spring in terms of the row, whose velocity and angle are `share` of the position's.
void OdeBall::set_soft_row_of(int i, double share, const Vec3& direction) {
  const Axis& a = axes_[i];
  SoftOfStep& to = soft_rows_[i];
  to.direction = direction;
  to.row = soft_row(a.spring / (share * share), total_damping(a.damping, *a.state), h_);
  to.position = share * wrap_near(a.state->position, 0.0);
}

void OdeBall::wake() {
  for (const Axis& a : axes_) {
    a.state->brake_changed = false;  // the rows are set before each step
    if (a.state->wake) {
      a.state->wake = false;
      servosim::wake(body().id);
    }
  }
}

void OdeBall::before_step() {
  rates_.forget();
  wake();
  const Directions d = directions();
  drive_motors(d);
  for (int i = 0; i < 3; ++i) {
    add_torque(i, share_of(i, d.divisor), d.rows[i]);
  }
  if (soft_ == nullptr) {
    return;
  }
  for (int i = 0; i < 3; ++i) {
    set_soft_row_of(i, share_of(i, d.divisor), d.rows[i]);
  }
}

bool OdeBall::is_at_work() const {
  const std::array<double, 3> speed = rates();
  bool works = false;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool has_soft = soft_ != nullptr && soft_rows_[i].row.active;
    works = works || servosim::is_at_work(axes_[i].state->drive, has_soft, speed[i]);
  }
  return works;
}

// ODE has no feedback of a body that is not there; the world gets the opposite of the other body.
OdeBall::Memory OdeBall::memory() const {
  const auto torque_of = [both = parent_ != nullptr && child_ != nullptr](const dJointFeedback& f) {
    return to_vec3(both ? f.t2 : f.t1);
  };
  const auto& [motor, stops] = *feedback_;
  return {torque_of(motor) + torque_of(stops)};
}

void OdeBall::restore(const Memory& memory) {
  auto& [motor, stops] = *feedback_;
  to_ode(memory.torque, parent_ != nullptr && child_ != nullptr ? motor.t2 : motor.t1);
  stops = {};
}

void OdeBall::after_step(bool some_turn_fast) {
  const std::array<double, 3> angle = angles();
  const bool both = parent_ != nullptr && child_ != nullptr;
  const dReal* parent_spin = both ? parent_->spin : nullptr;
  const dReal* spin = body().spin;
  const bool fast = some_turn_fast && turns_fast(spin, parent_spin, h_);
  const std::array<double, 3> speed = fast ? rates() : std::array<double, 3>{};
  for (int i = 0; i < 3; ++i) {
    double& p = axes_[i].state->position;
    // B gets hardly past the pose at which A and C fall together.
    p = i == 1 ? angle[i] : wrap_near(angle[i], p + speed[i] * h_);
  }
}

void OdeBall::measure() const {
  const std::array<double, 3> speed = rates();
  const Vec3 reported = memory().torque;
  const Vec3 torque = child_ != nullptr ? reported : -reported;
  const Vectors now = axes_now();
  // The torques acted on the pose before the step: A turned with the parent since, C with the
  // child.
  const Vec3 a = transposed(turn_of(id_of(parent_), h_)) * now[0];
  const Vec3 c = transposed(turn_of(id_of(child_), h_)) * now[2];
  const Vec3 across = cross(c, a);
  const Vectors then{a, unit_or(dot(across, now[1]) < 0.0 ? -across : across, now[1]), c};
  const double share = bounded_share(dot(a, cross(then[1], c)));
  for (int i = 0; i < 3; ++i) {
    const Axis& axis = axes_[i];
    JointState& state = *axis.state;
    const double s = share_of(i, share);
    state.velocity = speed[i];
    state.constraint_effort = dot(now[i], torque);
    state.effort = dot(then[i], torque) + state.drive.force -
                   axis.spring * wrap_near(state.position, 0.0) -
                   s * s * total_damping(axis.damping, state) * state.velocity;
  }
}

}  // namespace servosim
