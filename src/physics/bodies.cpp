// SPDX-License-Identifier: Apache-2.0
// Creates bodies of ODE, copies their state, and adds forces to them.
// Poses, velocities, forces and torques are in the world's axes, inertias in those of the body.
#include "physics/bodies.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/limits.h"
#include "base/state_archive.h"
#include "physics/ode_library.h"
#include "physics/solid_poses.h"
#include "scene/scene.h"

namespace servosim {

namespace {

static_assert(std::is_same_v<dReal, double>, "the state of a body is kept as doubles");

// Returns the fraction that is lost per step of length `h` [s] if the fraction p is lost per
// second: 1 − (1 − p)^h.
double per_step(double per_second, double h) { return 1.0 - std::pow(1.0 - per_second, h); }

// Returns whether a joint connects the body with the world. The call walks the list of joints once;
// dBodyGetJoint() would start again for each joint.
bool has_joint_to_world(dBodyID body) {
  return dAreConnectedExcluding(body, nullptr, dJointTypeContact) != 0;
}

// Copies numbers of ODE. The compiler turns a memcpy() of a few numbers into instructions, but a
// copy_n() into a call.
template <std::size_t N>
void copy(const dReal* from, std::array<double, N>& to) {
  std::memcpy(to.data(), from, sizeof to);
}

// Writes to the memory to which one of ODE's getters points. Its setters are calls, and they
// normalise orientations, which changes the last bits.
template <std::size_t N>
void put(const std::array<double, N>& from, const dReal* to) {
  std::memcpy(const_cast<dReal*>(to), from.data(), sizeof from);
}

template <std::size_t N>
void add_all(Fnv1a& hash, const std::array<double, N>& values) {
  for (const double value : values) {
    hash.add(value);
  }
}

double squared_norm(const std::array<double, 4>& q) {
  return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

// The margin is far above the rounding of a quaternion, which ODE normalises in each step.
bool is_unit(const std::array<double, 4>& q) { return std::abs(squared_norm(q) - 1.0) < 1e-6; }

// Returns the symmetric matrix with the upper triangle of `m`, which is all that ODE uses of an
// inertia.
Mat3 symmetric(const Mat3& m) {
  return {{m(0, 0), m(0, 1), m(0, 2), m(0, 1), m(1, 1), m(1, 2), m(0, 2), m(1, 2), m(2, 2)}};
}

bool is_finite(const std::array<double, 4>& q) { return std::isfinite(squared_norm(q)); }

}  // namespace

// ODE's getters return addresses that stay the same as long as the body exists, so later reads need
// no call.
Body body_of(dBodyID id) {
  Body body;
  body.id = id;
  body.position = dBodyGetPosition(id);
  body.rotation = dBodyGetRotation(id);
  body.quaternion = dBodyGetQuaternion(id);
  body.velocity = dBodyGetLinearVel(id);
  body.spin = dBodyGetAngularVel(id);
  return body;
}

BodyPlace place_of(const Body& body) {
  BodyPlace place;
  copy(body.position, place.position);
  copy(body.rotation, place.rotation);
  copy(body.quaternion, place.quaternion);
  return place;
}

// Both the matrix and the quaternion are written, because ODE would compute one from the other and
// round.
void put_at(const Body& body, const BodyPlace& place) {
  put(place.rotation, body.rotation);
  put(place.quaternion, body.quaternion);
  const auto& p = place.position;
  dBodySetPosition(body.id, p[0], p[1], p[2]);  // also informs the geoms
}

Pose pose_of(const Body& body) { return {to_mat3(body.rotation), to_vec3(body.position)}; }

void put_at(const Body& body, const Pose& pose) {
  dMatrix3 r;
  to_ode(pose.rotation, r);
  dBodySetRotation(body.id, r);
  dBodySetPosition(body.id, pose.translation.x, pose.translation.y, pose.translation.z);
}

void set_motion(const Body& body, const PointMotion& m) {
  dBodySetLinearVel(body.id, m.velocity.x, m.velocity.y, m.velocity.z);
  dBodySetAngularVel(body.id, m.spin.x, m.spin.y, m.spin.z);
}

// A point at r from the centre of mass has the velocity v + ω × r.
PointMotion motion_at(const Body& body, const Vec3& point) {
  const Vec3 spin = to_vec3(body.spin);
  return {to_vec3(body.velocity) + cross(spin, point - to_vec3(body.position)), spin};
}

BodyState state_of(const Body& body) {
  BodyState s;
  s.place = place_of(body);
  copy(body.velocity, s.velocity);
  copy(body.spin, s.spin);
  copy(dBodyGetForce(body.id), s.force);
  copy(dBodyGetTorque(body.id), s.torque);
  s.sleep_left = body.sleep.left;
  s.enabled = dBodyIsEnabled(body.id) != 0 ? 1 : 0;
  return s;
}

// Forces are a part of the state: those that were added after a step act in the next one.
void set_state(Body& body, const BodyState& s) {
  put_at(body, s.place);
  put(s.velocity, body.velocity);
  put(s.spin, body.spin);
  dBodySetForce(body.id, s.force[0], s.force[1], s.force[2]);
  dBodySetTorque(body.id, s.torque[0], s.torque[1], s.torque[2]);
  if ((s.enabled != 0) != (dBodyIsEnabled(body.id) != 0)) {
    s.enabled != 0 ? dBodyEnable(body.id) : dBodyDisable(body.id);
  }
  body.sleep.left = s.sleep_left;
}

// The matrix follows from the quaternion, so it is not hashed.
void add_to_hash(Fnv1a& hash, const BodyState& state) {
  add_all(hash, state.place.position);
  add_all(hash, state.place.quaternion);
  add_all(hash, state.velocity);
  add_all(hash, state.spin);
}

// ODE stores addresses of the bodies' clocks. So bodies_ gets its whole memory first, and clocks
// are set only when all bodies exist.
Bodies::Bodies(const Scene& scene, OdeWorld& ode, Diagnostics& diagnostics, const Bodies* like)
    : scene_(scene),
      ode_(ode),
      table_(like != nullptr ? like->table_ : make_table(scene, ode.h(), diagnostics)),
      anchored_(table_->bodies.size()),
      sleep_({scene.world.disable_time, scene.world.disable_linear_threshold,
              scene.world.disable_angular_threshold},
             ode.h(), bodies_, table_->bodies.size()) {
  bodies_.reserve(table_->bodies.size());
  for (const RigidBody& rigid : table_->bodies) {
    create(rigid);
  }
  set_damping();
  for (Body& body : bodies_) {
    dBodySetData(body.id, &body.sleep);
  }
}

// The origin of a body's frame is the centre of mass c, and its axes are those of the owner. So the
// pose of a Solid in the body is T(−c)·X, with X its pose in the owner's frame.
std::shared_ptr<const Bodies::Table> Bodies::make_table(const Scene& scene, double h,
                                                        Diagnostics& diagnostics) {
  const auto table = std::make_shared<Table>();
  table->bodies = weigh_bodies(scene, diagnostics);
  table->parts.resize(scene.solids.size());
  for (const RigidBody& rigid : table->bodies) {
    const int number = static_cast<int>(table->lost.size());
    for (const RigidBody::Part& part : rigid.parts) {
      SERVOSIM_ASSERT(table->parts[part.solid].body < 0, "Solid {} is a part of two bodies",
                      part.solid);
      table->parts[part.solid] = {number, Pose{{}, -rigid.mass.center} * part.in_owner};
    }
    table->lost.push_back(lost_by(rigid, scene, h));
  }
  return table;
}

// As in Webots, the damping of a body is the mean of its Solids' damping, weighted with the volumes
// of their bounding objects. In each step ODE sets v⁺ = (1 − lost)·v.
Bodies::Table::LostPerStep Bodies::lost_by(const RigidBody& rigid, const Scene& scene, double h) {
  Damping mean{0.0, 0.0};
  double volume = 0.0;
  for (const RigidBody::Part& part : rigid.parts) {
    const SolidSpec& solid = scene.solids[part.solid];
    const double v = bounding_volume(solid);
    volume += v;
    if (const auto& damping = solid.physics->damping) {
      mean.linear += v * damping->linear;
      mean.angular += v * damping->angular;
    }
  }
  // Without a volume no Solid has a weight, and the mean is 0.
  if (volume > 0.0) {
    mean = {mean.linear / volume, mean.angular / volume};
  }
  // A body without damping of its own gets the default of WorldInfo.
  if (mean.linear == 0.0 && mean.angular == 0.0) {
    mean = scene.world.default_damping.value_or(mean);
  }
  return {per_step(mean.linear, h), per_step(mean.angular, h)};
}

void Bodies::create(const RigidBody& rigid) {
  const MassProperties& m = rigid.mass;
  SERVOSIM_ASSERT(m.mass > 0.0, "mass {} kg", m.mass);
  const dBodyID body = made(dBodyCreate(ode_.id()), "a body");
  Body& added = bodies_.emplace_back(servosim::body_of(body));
  added.solid = rigid.owner();
  added.center = m.center;
  // dMassSetParameters() is not called, since it checks the mass again, which takes longer than
  // everything else here.
  dMass mass;
  mass.mass = m.mass;
  to_ode(symmetric(m.inertia), mass.I);
  dBodySetMass(body, &mass);
}

void Bodies::set_damping() {
  for (int b = 0; b < count(); ++b) {
    dBodySetLinearDamping(bodies_[b].id, table_->lost[b].linear);
    dBodySetAngularDamping(bodies_[b].id, table_->lost[b].angular);
  }
}

dBodyID Bodies::id_of(int solid) const { return servosim::id_of(find(solid)); }

const Body* Bodies::find(int solid) const {
  const int body = solid >= 0 ? body_of(solid) : -1;
  return body >= 0 ? &bodies_[body] : nullptr;
}

bool Bodies::is_part(int solid) const {
  const int body = body_of(solid);
  return body >= 0 && bodies_[body].solid != solid;
}

// A Solid without Physics moves with the nearest Solid above that has a body, except for the motion
// of kinematic joints between them.
int Bodies::carrying_body(int solid) const {
  for (int s = solid; s >= 0; s = scene_.solids[s].parent) {
    if (body_of(s) >= 0) {
      return body_of(s);
    }
  }
  return -1;
}

bool Bodies::is_free(int solid) const {
  const int body = carrying_body(solid);
  return body >= 0 && !anchored_[body];
}

std::optional<PointMotion> Bodies::motion(int solid) const {
  const int body = body_of(solid);
  if (body < 0) {
    return std::nullopt;
  }
  return PointMotion{to_vec3(bodies_[body].velocity), to_vec3(bodies_[body].spin)};
}

void Bodies::set_motion(int solid, const PointMotion& motion) {
  if (const int body = body_of(solid); body >= 0) {
    ode_.note_change();
    wake(bodies_[body].id);
    servosim::set_motion(bodies_[body], motion);
  }
}

namespace {

// Returns the pose in the world of a Solid that is a part of a body.
Pose pose_of_part(const Bodies& bodies, int solid) {
  return pose_of(bodies[bodies.body_of(solid)]) * bodies.in_body(solid);
}

// Returns the centre of mass, in the world, of a Solid that is a part of a body.
Vec3 part_center(const Bodies& bodies, int solid) {
  const auto& parts = bodies.rigid_bodies()[bodies.body_of(solid)].parts;
  const auto part = std::find_if(parts.begin(), parts.end(),
                                 [solid](const RigidBody::Part& p) { return p.solid == solid; });
  return pose_of_part(bodies, solid) * part->center;
}

}  // namespace

// A sleeping body would not move, so it wakes. Forces add up until the next step.
void Bodies::push(int solid, const Vec3& force, const Vec3& torque,
                  const std::optional<Vec3>& point) {
  if (const int body = body_of(solid); body >= 0) {
    const Body& b = bodies_[body];
    const Vec3 arm = point              ? *point - to_vec3(b.position)
                     : b.solid != solid ? part_center(*this, solid) - to_vec3(b.position)
                                        : Vec3{};
    // The force f at r from the centre of mass adds r × f to the torque about it.
    const Vec3 turning = torque + cross(arm, force);
    wake(b.id);
    dBodyAddForce(b.id, force.x, force.y, force.z);
    dBodyAddTorque(b.id, turning.x, turning.y, turning.z);
  }
}

void Bodies::shift(int solid, const Pose& shift) {
  const int body = carrying_body(solid);
  if (body < 0) {
    return;
  }
  ode_.note_change();
  // The shift is in the world's frame, so it is the left factor.
  put_at(bodies_[body], shift * pose_of(bodies_[body]));
  wake(bodies_[body].id);
  ode_.set_contacts_stale(true);
}

// A body with several Solids may be stopped several times, which makes no difference.
void Bodies::stop(const SolidRange& solids) {
  for (int s = solids.begin; s < solids.end; ++s) {
    if (body_of(s) < 0) {
      continue;
    }
    const Body& body = bodies_[body_of(s)];
    servosim::set_motion(body, {});
    dBodySetForce(body.id, 0.0, 0.0, 0.0);
    dBodySetTorque(body.id, 0.0, 0.0, 0.0);
  }
}

// dBodySetPosition() marks the geoms of a body as moved, even if the position is the same.
void Bodies::inform_geoms() const {
  if (!geoms_are_stale_) {
    return;
  }
  for (const Body& body : bodies_) {
    dBodySetPosition(body.id, body.position[0], body.position[1], body.position[2]);
  }
  geoms_are_stale_ = false;
}

void Bodies::update_anchored(int body) { anchored_[body] = has_joint_to_world((*this)[body].id); }

void Bodies::restore(Body& body, const BodyState& state) {
  servosim::set_state(body, state);
  if (state.enabled == 0) {
    sleep_.note_sleeper();
  }
}

template <class Archive>
void Bodies::archive(Archive& archive) {
  for (Body& body : bodies_) {
    if constexpr (!Archive::kRestores) {
      archive.hashed(state_of(body));
    } else {
      const auto& state = archive.template next<BodyState>();
      // A diverged world may be saved and cloned. The next step then reports the numbers that are
      // not finite.
      SERVOSIM_ASSERT(is_unit(state.place.quaternion) || !is_finite(state.place.quaternion),
                      "Solid {}", body.solid);
      restore(body, state);
    }
  }
}

template void Bodies::archive(SavingArchive&);
template void Bodies::archive(RestoringArchive&);
template void Bodies::archive(HashingArchive&);

void wake_all(const Bodies& bodies) {
  for (const Body& body : bodies) {
    wake(body.id);
  }
}

bool all_asleep(const Bodies& bodies) {
  return std::none_of(bodies.begin(), bodies.end(),
                      [](const Body& body) { return dBodyIsEnabled(body.id) != 0; });
}

bool any_asleep(const Bodies& bodies) {
  return std::any_of(bodies.begin(), bodies.end(),
                     [](const Body& body) { return dBodyIsEnabled(body.id) == 0; });
}

Vec3 point_velocity(const Bodies& bodies, int solid, const Vec3& point) {
  const Body* const body = bodies.find(solid);
  return body != nullptr ? motion_at(*body, point).velocity : Vec3{};
}

// The centre of mass is c = Σ m·c / Σ m over the parts of these Solids. A part counts even if the
// rest of its body is not among them.
std::optional<Vec3> center_of_mass(const Bodies& bodies, const SolidRange& solids) {
  double mass = 0.0;
  Vec3 moment;
  for (const RigidBody& body : bodies.rigid_bodies()) {
    for (const RigidBody::Part& part : body.parts) {
      if (solids.contains(part.solid)) {
        mass += part.mass;
        moment = moment + part.mass * (pose_of_part(bodies, part.solid) * part.center);
      }
    }
  }
  return mass > 0.0 ? std::optional((1.0 / mass) * moment) : std::nullopt;
}

// One comparison of |x|² + |v|² + |ω|² finds values that are too large, infinite or NaN.
int out_of_range(const Bodies& bodies, double& fastest_squared) {
  for (const Body& body : bodies) {
    const double spin = square(body.spin);
    if (!(square(body.position) + square(body.velocity) + spin < kMaxCoordinate * kMaxCoordinate)) {
      return body.solid;
    }
    fastest_squared = std::max(fastest_squared, spin);
  }
  return -1;
}

}  // namespace servosim
