// SPDX-License-Identifier: Apache-2.0
#include "physics/joints/ball.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "physics/ode_library.h"
#include "physics/rows/direct_force.h"
#include "scene/scene.h"

// The positions of a ball follow from the rotation R of the child in the parent's frame. With A, C,
// the axes at p = 0 in the parent's frame, c = R·C, a' = Rᵀ·A, e, the unit vector of C's part
// perpendicular to A, f, that of A's part perpendicular to C, and ∠₀, the angle from A to C at p =
// 0,
//
//     p1 = atan2(c·(A × e), c·e),    p2 = ∠₀ − ∠(A, c),    p3 = atan2(−a'·(C × f), a'·f)
//
// Where A and c are parallel only p1 + p3 (or p1 − p3) is determined, and p1 and p3 stay as they
// were. The effort of an axis is that of the row's torque T, the direction of the axis, and what
// the position itself has:
//
//     τ = a·T + force of force control − k·(p − rest) − s²·d·p'
//
// Signs are those of the child along +axis; ball.h has s and the rows.

namespace servosim {

namespace {

// Below this |s| A and C are too close to each other to distinguish p1 and p3. s is not divided by
// less, so forces stay bounded.
constexpr double kMinShare = 0.05;

// Returns the part of `v` that is perpendicular to the unit vector `axis`, as a unit vector.
Vec3 unit_square_part(const Vec3& v, const Vec3& axis) {
  return unit_or(v - dot(v, axis) * axis, {});
}

// In these functions null is the world, which is at rest and not rotated.
Mat3 rotation_of(const Body* body) { return body != nullptr ? to_mat3(body->rotation) : Mat3{}; }

Vec3 spin_of(const Body* body) { return body != nullptr ? to_vec3(body->spin) : Vec3{}; }

Mat3 turn_of(dBodyID body, double h) { return body != nullptr ? last_turn(body, h) : Mat3{}; }

// Returns the divisor of `share`, with its sign.
double bounded_share(double share) {
  return std::copysign(std::max(std::abs(share), kMinShare), share);
}

// Returns s of an axis.
double share_of(int axis, double share) { return axis == 1 ? 1.0 : share; }

}  // namespace

OdeBall::OdeBall(dWorldID world, std::span<const JointSpec> specs, const Body* parent,
                 const Body* child, const Mat3& frame, const Vec3& anchor,
                 std::span<JointState> states, double h)
    : parent_(parent), child_(child), h_(h), per_step_(1.0 / h) {
  rows_.kind = RowsKind::Ball;
  rows_.joint = made(dJointCreateBall(world, nullptr), "a BallJoint");
  rows_.parent = id_of(parent);
  rows_.child = id_of(child);
  dJointAttach(rows_.joint, rows_.parent, rows_.child);
  dJointSetBallAnchor(rows_.joint, anchor.x, anchor.y, anchor.z);
  rows_.motors = create_angular_rows(world, rows_.parent, rows_.child, 3);
  Mat3 turned;
  bool soft = false;
  for (int i = 0; i < 3; ++i) {
    const JointSpec& spec = specs[i];
    axes_[i] = {&states[i], std::min(spec.spring.constant, kMaxForce), spec.damping_constant,
                stops_of(world, spec)};
    set_rest(spec, rows_.axes[i].spring);
    in_parent_[i] = transposed(rotation_of(parent)) * (frame * spec.axis);
    turned = turned * rotation_matrix({in_parent_[i], states[i].position});
    soft = soft || spec.has_brake || spec.spring.constant > 0.0 || spec.damping_constant > 0.0;
  }
  // From zero_ on, R can be read from the rotations of the bodies alone.
  zero_ = transposed(turned) * transposed(rotation_of(parent)) * rotation_of(child);
  opening_ = std::acos(std::clamp(dot(in_parent_[0], in_parent_[2]), -1.0, 1.0));
  Stops& middle = axes_[1].stops;
  if (axes_[0].stops.exist() || axes_[2].stops.exist()) {
    // Where A and C coincide, p1 and p3 jump, and a stop of theirs would apply an impulse. So p2
    // stops before that pose.
    middle = {std::max(middle.low, opening_ - std::numbers::pi), std::min(middle.high, opening_)};
  }
  if (middle.exist()) {
    rows_.stops = create_angular_rows(world, rows_.parent, rows_.child, 3);
  }
  if (soft) {
    rows_.springs = create_angular_rows(world, rows_.parent, rows_.child, 3);
  }
}

// R = R_parentᵀ·R_child·zero_ᵀ, where zero_ is R_parentᵀ·R_child at R = 1.
Mat3 OdeBall::rotation() const {
  return transposed(rotation_of(parent_)) * rotation_of(child_) * transposed(zero_);
}

// B is along C × A. Where this is short its direction is lost in rounding, and p1 decides.
OdeBall::Vectors OdeBall::axes_now() const {
  const Mat3 frame = rotation_of(parent_);
  const Vec3 a = frame * in_parent_[0];
  const Vec3 c = frame * (rotation() * in_parent_[2]);
  const Vec3 across = cross(c, a);
  if (norm(across) >= kMinShare) {
    return {a, unit_or(across, {}), c};
  }
  // Near the pose where A and C coincide, B is where p1 has turned it. Of the two directions along
  // C × A, the one on this side counts.
  const Vec3 b =
      frame * (rotation_matrix({in_parent_[0], axes_[0].state->position}) * in_parent_[1]);
  return {a, unit_or(dot(across, b) < 0.0 ? -across : across, unit_square_part(b, a)), c};
}

// r1 = B × C, r2 = B, r3 = A × B, and s = A·r1.
OdeBall::Directions OdeBall::directions() const {
  const Vectors x = axes_now();
  const Vectors rows{cross(x[1], x[2]), x[1], cross(x[0], x[1])};
  const double share = dot(x[0], rows[0]);
  return {x, rows, share, bounded_share(share)};
}

// p2 is the angle from A to C at p2 = 0 minus the angle between them now. p1 is the angle by which
// C has turned about A as seen from the parent. p3 is the same with the roles of the axes, and of
// the bodies, exchanged.
std::array<double, 3> OdeBall::angles() const {
  const auto& [a, b, c] = in_parent_;
  const Mat3 r = rotation();
  const Vec3 c_now = r * c;
  const Vec3 a_seen = transposed(r) * a;  // from the child
  const double between = std::atan2(norm(cross(a, c_now)), dot(a, c_now));
  if (std::sin(between) < 1e-6) {  // only p1 ± p3 is known, so both stay
    return {axes_[0].state->position, opening_ - between, axes_[2].state->position};
  }
  const Vec3 e = unit_square_part(c, a);
  const Vec3 f = unit_square_part(a, c);
  return nearer({std::atan2(dot(c_now, cross(a, e)), dot(c_now, e)), opening_ - between,
                 std::atan2(-dot(a_seen, cross(c, f)), dot(a_seen, f))},
                between);
}

// Each pose has two triples of positions: (p1, p2, p3) and (p1 + π, 2·limit − p2, p3 + π), where
// `limit` is p2 in the pose where A and C coincide. Near that pose p1 and p3 must not jump from one
// triple to the other, so the one that is nearer to the last positions counts.
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

// p_i' = r_i·(ω_child − ω_parent)/s_i.
std::array<double, 3> OdeBall::rates() const {
  const Vec3 spin = spin_of(child_) - spin_of(parent_);
  const Directions d = directions();
  return {dot(d.rows[0], spin) / d.divisor, dot(d.rows[1], spin), dot(d.rows[2], spin) / d.divisor};
}

// Near the pose where A and C coincide, r1 and r3 would both be perpendicular to A and C. Then the
// row of C acts about A instead, and drives the rotation about both axes: v1 + c·v3 with c = A·C.
void OdeBall::set_motors_and_stops(const Directions& d) {
  const bool locked = std::abs(d.share) < kMinShare;
  Vectors rows = d.rows;
  // Velocities have the factor s, not the divisor: where |s| is below kMinShare, the loop of a
  // motor would overshoot with the divisor.
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
    // The row of C now moves the turn of both axes.
    velocity[2] += bounded_velocity(axes_[0].state->drive.velocity);
  }
  for (int i = 0; i < 3; ++i) {
    const Axis& a = axes_[i];
    const JointDrive& drive = a.state->drive;
    // A negative s exchanges the two stops. The softness has the factor s²: v + c·λ = V of the
    // position is s·v + c·s²·(λ/s) = s·V of the row.
    const auto [low, high] = std::minmax({angle[i] * a.stops.low, angle[i] * a.stops.high});
    BallRows::Axis& asked = rows_.axes[i];
    asked.direction = rows[i];
    asked.motor = {velocity[i], bounded_max_force(drive.max_force), 0.0,
                   drive.softness * angle[i] * angle[i]};
    asked.position = angle[i] * a.state->position;
    asked.stops = {low, high, a.stops.erp, a.stops.cfm};
    asked.is_at_stop = asked.stops.hold(asked.position);
  }
}

// The spring −k·(p − rest) of a position is −(k/s²)·s·(p − rest) of the row.
void OdeBall::set_springs(const Directions& d) {
  for (int i = 0; i < 3; ++i) {
    const Axis& a = axes_[i];
    const double share = share_of(i, d.divisor);
    BallRows::Axis& asked = rows_.axes[i];
    asked.spring_direction = d.rows[i];
    const SoftRow row =
        soft_row(a.spring / (share * share), total_damping(a.damping, *a.state), h_);
    set_spring(row, row.erp * per_step_, asked.spring);
    asked.spring.from_rest = share * asked.spring.stretch(a.state->position);
  }
}

// The torque (τ/s)·r does the work τ·p'. The world takes no torque.
void OdeBall::add_torque(int i, double share, const Vec3& direction) {
  const JointState::Drive& wanted = axes_[i].state->drive;
  if (wanted.force != 0.0 && is_awake(body().id, id_of(parent_))) {
    const Vec3 torque = bounded_force(wanted.force) / share * direction;
    if (child_ != nullptr) {
      put_and_note(rows_, [&] { dBodyAddTorque(child_->id, torque.x, torque.y, torque.z); });
    }
    if (parent_ != nullptr) {
      dBodyAddTorque(parent_->id, -torque.x, -torque.y, -torque.z);
    }
  }
}

void OdeBall::wake() {
  for (const Axis& a : axes_) {
    // Nothing else has to react, since all rows are set before each step.
    a.state->brake_changed = false;
    if (a.state->wake) {
      a.state->wake = false;
      servosim::wake(body().id);
    }
  }
}

// Forces are added here, where the drive is known; OdeRows or the tree solver read the rows later.
void OdeBall::before_step() {
  rates_.forget();
  wake();
  const Directions d = directions();
  set_motors_and_stops(d);
  for (int i = 0; i < 3; ++i) {
    add_torque(i, share_of(i, d.divisor), d.rows[i]);
  }
  if (rows_.springs != nullptr) {
    set_springs(d);
  }
}

// The rates are computed once for all axes.
bool OdeBall::is_at_work() const {
  const std::array<double, 3> speed = rates();
  bool works = false;
  for (std::size_t i = 0; i < 3; ++i) {
    works =
        works || servosim::is_at_work(axes_[i].state->drive, rows_.axes[i].spring.active, speed[i]);
  }
  return works;
}

// Only p1 and p3 count turns.
void OdeBall::after_step(bool some_turn_fast) {
  const std::array<double, 3> angle = angles();
  const bool both = parent_ != nullptr && child_ != nullptr;
  const dReal* parent_spin = both ? parent_->spin : nullptr;
  const dReal* spin = body().spin;
  const bool fast = some_turn_fast && turns_fast(spin, parent_spin, h_);
  // A body that turns fast leaves the number of turns open, so the angle nearest to p + p'·h
  // counts.
  const std::array<double, 3> speed = fast ? rates() : std::array<double, 3>{};
  for (int i = 0; i < 3; ++i) {
    double& p = axes_[i].state->position;
    // p2 hardly passes the pose where A and C coincide, so it never counts turns.
    p = i == 1 ? angle[i] : wrap_near(angle[i], p + speed[i] * h_);
  }
}

// Measures all axes, on demand and not in each step.
void OdeBall::measure() const {
  const std::array<double, 3> speed = rates();
  // on_body is of the measured body. If that is the parent, the child is the world, and gets the
  // opposite.
  const Vec3 torque = rows_.forward(rows_.on_body.torque);
  const Vectors now = axes_now();
  // Efforts are those in the pose in which the torques acted, before the step. A has turned with
  // the parent since then, and C with the child.
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
    // Webots takes the pose after the step for its force feedback.
    state.constraint_effort = dot(now[i], torque);
    // The damper is one of the row: −d·s·p' along r is −s²·d·p' of the position.
    state.effort = dot(then[i], torque) + state.drive.force -
                   axis.spring * rows_.axes[i].spring.stretch(state.position) -
                   s * s * total_damping(axis.damping, state) * state.velocity;
  }
}

}  // namespace servosim
