// SPDX-License-Identifier: Apache-2.0
// The joints of a world, each with one to three axes of the scene.
#include <algorithm>

#include "physics/world.h"
#include "scene/scene.h"

namespace servosim {

void PhysicsWorld::Impl::create_axes_of(int leader) {
  const JointSpec& spec = scene.joints[leader];
  const int end = leader + axis_count(spec.kind);
  const bool to_world = spec.reference && spec.child < 0;
  if (!is_dynamic(spec.child) && !to_world) {
    for (int j = leader; j < end && spec.child >= 0; ++j) {
      motion[spec.child].joint = leader;
      kinematic_joints.push_back(j);
    }
    return;
  }
  const bool has_parent_body = is_dynamic(spec.parent);
  for (int j = leader; j < end; ++j) {
    states[j].dynamic = true;
    states[j].has_feedback = has_parent_body && !to_world;
    states[j].drive.max_force = scene.joints[j].static_friction;
  }
  if (spec.reference) {
    loops.push_back(leader);
  }
  create_joint(leader, has_parent_body ? bodies[motion[spec.parent].body].id : nullptr,
               to_world ? nullptr : bodies[motion[spec.child].body].id);
}

// The ODE joint for all axes of a joint; `parent` may be null.
void PhysicsWorld::Impl::create_joint(int leader, dBodyID parent, dBodyID child) {
  using Type = OdeJointRef::Type;
  const JointSpec& spec = scene.joints[leader];
  const std::span<const JointSpec> specs = axes_of(scene, leader);
  const std::span<JointState> state = states.subspan(leader, specs.size());
  const Pose frame = spec.parent >= 0 ? solid_pose(spec.parent) : Pose{};
  const Vec3 anchor = frame * spec.anchor;
  OdeJointRef ref;
  if (spec.kind == JointKind::Ball) {
    ref = {Type::Ball, static_cast<int>(balls.size())};
    balls.emplace_back(world, specs, parent, child, frame.rotation, anchor, state, h);
  } else if (spec.kind == JointKind::Hinge2 || spec.suspension.gives_way()) {
    const Vec3 second = axis_in_world(leader + static_cast<int>(specs.size()) - 1, frame.rotation);
    const Vec3 first =
        frame.rotation * (spec.kind == JointKind::Hinge2 ? spec.axis : spec.suspension.axis);
    ref = {Type::Hinge2, static_cast<int>(hinge2s.size())};
    hinge2s.emplace_back(world, specs, parent, child, first, second, anchor, state, h);
  } else {
    ref = {Type::Plain, static_cast<int>(joints.size())};
    joints.emplace_back(world, spec, parent, child, frame.rotation * spec.axis, anchor, state[0],
                        h);
  }
  std::fill_n(ode_joint_of.begin() + leader, specs.size(), ref);
}

void PhysicsWorld::Impl::measure(int joint) const {
  measure_rows(joint);
  JointState& state = states[joint];
  if (state.moved_by_hand) {
    state.constraint_effort = state.effort = 0.0;
  } else if (const int loose = ode_joint_of[joint].loose; loose >= 0) {
    loose_joints[loose].backlash.measure();
  }
}

// Without the flanks of a joint with play.
void PhysicsWorld::Impl::measure_rows(int joint) const {
  const OdeJointRef& ref = ode_joint_of[joint];
  switch (ref.type) {
    case OdeJointRef::Type::None:
      return;
    case OdeJointRef::Type::Plain:
      return joints[ref.index].measure();
    case OdeJointRef::Type::Hinge2:
      return hinge2s[ref.index].measure();
    case OdeJointRef::Type::Ball:
      return balls[ref.index].measure();
  }
}

// How the first `axes` axes of a joint have moved what they carry, in the parent Solid's frame.
Pose PhysicsWorld::Impl::joint_motion(int joint, int axes) const {
  const int leader = scene.joints[joint].leader;
  Pose moved;
  for (int j = leader; j < leader + axes; ++j) {
    moved = moved * motion_of(scene.joints[j], states[j].position);
  }
  return moved;
}

// The endpoint's pose in the parent Solid's frame.
Pose PhysicsWorld::Impl::joint_pose(int joint) const {
  const JointSpec& spec = scene.joints[joint];
  return joint_motion(joint, axis_count(spec.kind)) * zero_poses[spec.leader];
}

// Where an axis is now, carried by those before it; `frame`: of the parent Solid.
Vec3 PhysicsWorld::Impl::axis_in_world(int joint, const Mat3& frame) const {
  const JointSpec& spec = scene.joints[joint];
  return frame * (joint_motion(joint, spec.axis_number).rotation * spec.axis);
}

}  // namespace servosim
