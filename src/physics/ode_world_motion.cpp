// SPDX-License-Identifier: Apache-2.0
// Poses of a built world: where Solids are, and moving them by hand.
#include "physics/ode_library.h"
#include "physics/ode_world_impl.h"
#include "scene/scene.h"

namespace servosim {

// The endpoint's pose in the parent Solid's frame.
Pose PhysicsWorld::Impl::joint_pose(int joint, double position) const {
  const JointSpec& spec = scene.joints[joint];
  return motion_of(spec, position) * spec.zero_pose;
}

Pose PhysicsWorld::Impl::solid_pose(int solid) const {
  const SolidMotion& m = motion[solid];
  if (m.body >= 0) {
    const dBodyID id = bodies[m.body].id;
    return Pose{to_mat3(dBodyGetRotation(id)), to_vec3(dBodyGetPosition(id))} * m.in_body;
  }
  const SolidSpec& spec = scene.solids[solid];
  const Pose local = m.joint >= 0 ? joint_pose(m.joint, states[m.joint].position) : spec.pose;
  return spec.parent >= 0 ? solid_pose(spec.parent) * local : local;
}

void PhysicsWorld::Impl::find_contacts() {
  poses_changed = false;
  for (const Follower& f : followers) {
    place_geom(f.geom, solid_pose(f.solid) * f.in_solid);
  }
  if (can_collide) {
    contacts->find(space, inner_spaces);
  }
}

void PhysicsWorld::Impl::set_joint_state(int joint, double position, double velocity) {
  JointState& state = states[joint];
  const JointSpec& spec = scene.joints[joint];
  poses_changed = true;
  if (ode_joint_of[joint] >= 0) {
    const Pose frame = spec.parent >= 0 ? solid_pose(spec.parent) : Pose{};
    const Pose shift = frame * joint_pose(joint, position) * inverse(solid_pose(spec.child));
    const Vec3 axis = frame.rotation * spec.axis;
    const bool hinge = spec.type == JointType::Rotational;
    shift_branch(joint, shift, hinge ? Vec3{} : velocity * axis, hinge ? velocity * axis : Vec3{},
                 frame * spec.anchor);
  }
  state.position = position;
  state.velocity = velocity;
  state.backlash.shaft = position;  // in the middle of the play
}

// Moves every body behind a joint by `shift`; they then move with the parent plus the joint's own
// velocity, as one rigid piece.
void PhysicsWorld::Impl::shift_branch(int joint, const Pose& shift, const Vec3& joint_velocity,
                                      const Vec3& joint_spin, const Vec3& center) {
  const JointSpec& spec = scene.joints[joint];
  Vec3 parent_velocity;
  Vec3 parent_spin;
  Vec3 parent_center;
  if (is_dynamic(spec.parent)) {
    const dBodyID parent = bodies[motion[spec.parent].body].id;
    parent_velocity = to_vec3(dBodyGetLinearVel(parent));
    parent_spin = to_vec3(dBodyGetAngularVel(parent));
    parent_center = to_vec3(dBodyGetPosition(parent));
  }
  std::vector<bool> behind(scene.solids.size(), false);
  for (std::size_t s = 0; s < scene.solids.size(); ++s) {
    const int parent = scene.solids[s].parent;
    behind[s] = static_cast<int>(s) == spec.child || (parent >= 0 && behind[parent]);
  }
  for (const Body& body : bodies) {
    if (!behind[body.solid]) {
      continue;
    }
    const Vec3 at = shift * to_vec3(dBodyGetPosition(body.id));
    const Vec3 spin = parent_spin + joint_spin;
    const Vec3 velocity = parent_velocity + cross(parent_spin, at - parent_center) +
                          joint_velocity + cross(joint_spin, at - center);
    dMatrix3 r;
    to_ode(shift.rotation * to_mat3(dBodyGetRotation(body.id)), r);
    dBodySetRotation(body.id, r);
    dBodySetPosition(body.id, at.x, at.y, at.z);
    dBodySetLinearVel(body.id, velocity.x, velocity.y, velocity.z);
    dBodySetAngularVel(body.id, spin.x, spin.y, spin.z);
    dBodyEnable(body.id);
  }
}

void PhysicsWorld::Impl::pin(int solid, bool pinned) {
  const int body = motion[solid].body;
  if (body < 0 || pinned == (pins[solid] != nullptr)) {
    return;
  }
  dBodyEnable(bodies[body].id);
  if (!pinned) {
    dJointDestroy(pins[solid]);
    pins[solid] = nullptr;
    return;
  }
  pins[solid] = dJointCreateFixed(world, nullptr);
  dJointAttach(pins[solid], bodies[body].id, nullptr);
  dJointSetFixed(pins[solid]);
}

}  // namespace servosim
