// SPDX-License-Identifier: Apache-2.0
// Poses of a built world: where Solids are, and moving them by hand.
#include <algorithm>

#include "physics/ode_library.h"
#include "physics/world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

// Walks the list of joints once, which dBodyGetJoint() begins anew for each of them.
bool has_joint_to_world(dBodyID body) {
  return dAreConnectedExcluding(body, nullptr, dJointTypeContact) != 0;
}

// True if its geom was elsewhere.
bool place(Follower& f, const Pose& solid) {
  const Pose pose = solid * f.in_solid;
  if (pose == f.placed) {
    return false;
  }
  place_geom(f.geom, pose);
  f.placed = pose;
  return true;
}

}  // namespace

Pose PhysicsWorld::Impl::solid_pose(int solid) const {
  const SolidMotion& m = motion[solid];
  if (m.body >= 0) {
    const dBodyID id = bodies[m.body].id;
    return Pose{to_mat3(dBodyGetRotation(id)), to_vec3(dBodyGetPosition(id))} * m.in_body;
  }
  const int parent = scene.solids[solid].parent;
  const Pose local = m.joint >= 0 ? joint_pose(m.joint) : local_poses[solid];
  return parent >= 0 ? solid_pose(parent) * local : local;
}

void PhysicsWorld::Impl::find_contacts() {
  bool moved = poses_changed;
  poses_changed = false;
  if (!can_collide) {
    return;
  }
  moved = place_followers() || moved;
  // Contacts depend on poses only: while all sleep they stay as they are. The second look is for
  // bodies that moved once more in the step that put them to sleep.
  const bool asleep = all_asleep();
  if (moved || !asleep || !were_asleep) {
    collide();
  }
  were_asleep = asleep;
}

// True if one of them had moved.
bool PhysicsWorld::Impl::place_followers() {
  bool moved = false;
  for (Follower& f : followers) {
    moved = place(f, solid_pose(f.solid)) || moved;
  }
  return moved;
}

// After somebody moved what else stands still.
void PhysicsWorld::Impl::place_fixtures() {
  place_followers();
  for (Follower& f : fixtures) {
    place(f, solid_pose(f.solid));
  }
}

bool PhysicsWorld::Impl::all_asleep() const {
  return std::none_of(bodies.begin(), bodies.end(),
                      [](const Body& body) { return dBodyIsEnabled(body.id) != 0; });
}

// The other axes of the joint keep their positions and speeds.
void PhysicsWorld::Impl::set_joint_state(int joint, double position, double velocity) {
  const JointSpec& spec = scene.joints[joint];
  poses_changed = true;  // and the next step takes back `moved_by_hand`
  measure(joint);
  states[joint].position = position;
  states[joint].velocity = velocity;
  states[joint].backlash.shaft = position;  // in the middle of the play
  std::vector<bool> behind;
  if (ode_joint_of[joint].type != OdeJointRef::Type::None) {
    behind = branch_of(spec.child);
  }
  forget_efforts(spec.leader, behind);
  if (behind.empty()) {
    return;
  }
  const Pose frame = spec.parent >= 0 ? solid_pose(spec.parent) : Pose{};
  // An axle keeps its travel and the speed of that; all else that joints have given way is undone.
  const Vec3 travel = suspension_travel(joint);
  const Vec3 center = frame * (spec.anchor + travel);
  const Pose shift = frame * Pose{{}, travel} * joint_pose(joint) * inverse(solid_pose(spec.child));
  Vec3 along;
  Vec3 spin;
  if (const auto& suspension = scene.joints[spec.leader].suspension; suspension.gives_way()) {
    const Vec3 up = frame.rotation * suspension.axis;
    along = dot(point_velocity(spec.child, center) - point_velocity(spec.parent, center), up) * up;
  }
  for (int j = spec.leader; j < spec.leader + axis_count(spec.kind); ++j) {
    Vec3& part = spec.type == JointType::Rotational ? spin : along;
    part = part + states[j].velocity * axis_in_world(j, frame.rotation);
  }
  shift_branch(joint, behind, shift, along, spin, center);
}

// A Solid and all below it; none for -1.
std::vector<bool> PhysicsWorld::Impl::branch_of(int solid) const {
  std::vector<bool> branch(scene.solids.size(), false);
  for (std::size_t s = 0; s < scene.solids.size(); ++s) {
    const int parent = scene.solids[s].parent;
    branch[s] = static_cast<int>(s) == solid || (parent >= 0 && branch[parent]);
  }
  return branch;
}

// What the joints did in the last step has nothing to do with where things are now.
void PhysicsWorld::Impl::forget_efforts(int moved_leader, const std::vector<bool>& behind) {
  const auto moved = [&behind](int solid) {
    return solid >= 0 && !behind.empty() && behind[solid];
  };
  for (std::size_t j = 0; j < states.size(); ++j) {
    const JointSpec& spec = scene.joints[j];
    if (spec.leader == moved_leader || moved(spec.parent) || moved(spec.child)) {
      states[j].moved_by_hand = true;
      states[j].constraint_effort = states[j].effort = 0.0;
    }
  }
}

// Of the Solid's own body; 0 without one.
Vec3 PhysicsWorld::Impl::point_velocity(int solid, const Vec3& point) const {
  if (!is_dynamic(solid)) {
    return {};
  }
  const Body& body = bodies[motion[solid].body];
  return to_vec3(body.velocity) + cross(to_vec3(body.spin), point - to_vec3(body.position));
}

// Moves every body behind a joint by `shift`; they then move with the parent plus the joint's own
// velocity, as one rigid piece.
void PhysicsWorld::Impl::shift_branch(int joint, const std::vector<bool>& behind, const Pose& shift,
                                      const Vec3& joint_velocity, const Vec3& joint_spin,
                                      const Vec3& center) {
  const int parent = scene.joints[joint].parent;
  const Vec3 parent_spin = is_dynamic(parent) ? to_vec3(bodies[motion[parent].body].spin) : Vec3{};
  for (const Body& body : bodies) {
    if (!behind[body.solid]) {
      continue;
    }
    const Vec3 at = shift * to_vec3(dBodyGetPosition(body.id));
    const Vec3 spin = parent_spin + joint_spin;
    const Vec3 velocity =
        point_velocity(parent, at) + joint_velocity + cross(joint_spin, at - center);
    dMatrix3 r;
    to_ode(shift.rotation * to_mat3(dBodyGetRotation(body.id)), r);
    dBodySetRotation(body.id, r);
    dBodySetPosition(body.id, at.x, at.y, at.z);
    dBodySetLinearVel(body.id, velocity.x, velocity.y, velocity.z);
    dBodySetAngularVel(body.id, spin.x, spin.y, spin.z);
    wake(body.id);
  }
}

void PhysicsWorld::Impl::note_anchored(int body) {
  contacts->set_anchored(body, has_joint_to_world(bodies[body].id));
}

}  // namespace servosim
