// SPDX-License-Identifier: Apache-2.0
#include "physics/solid_poses.h"

#include "physics/bodies.h"
#include "scene/scene.h"

namespace servosim {

// Solids are in depth-first order, so a branch ends at the first Solid whose parent comes before
// `solid`.
SolidRange branch_of(const Scene& scene, int solid) {
  if (solid < 0) {
    return {};
  }
  const int count = static_cast<int>(scene.solids.size());
  int end = solid + 1;
  while (end < count && scene.solids[end].parent >= solid) {
    ++end;
  }
  return {solid, end};
}

// Poses from outside must be known before the bodies are placed, since bodies below such a Solid
// follow it.
SolidPoses::SolidPoses(const Scene& scene, const Bodies& bodies, std::span<const JointState> states,
                       std::span<const MovedSolid> moved)
    : scene_(scene), bodies_(bodies), states_(states), kinematic_joints_(scene.solids.size(), -1) {
  for (const MovedSolid& place : moved) {
    use(place);
  }
  place_bodies();
}

const Pose& SolidPoses::place_in_scene(int solid) const { return scene_.solids[solid].pose; }

const Pose& SolidPoses::zero_pose_in_scene(int joint) const {
  return scene_.joints[joint].zero_pose;
}

// The scene's poses are copied at the first change, because most worlds never need a copy.
Pose& SolidPoses::writable_place(int solid) {
  if (places_.empty()) {
    places_.reserve(scene_.solids.size());
    for (const SolidSpec& spec : scene_.solids) {
      places_.push_back(spec.pose);
    }
  }
  return places_[solid];
}

Pose& SolidPoses::writable_zero_pose(int joint) {
  if (zero_poses_.empty()) {
    zero_poses_.reserve(scene_.joints.size());
    for (const JointSpec& spec : scene_.joints) {
      zero_poses_.push_back(spec.zero_pose);
    }
  }
  return zero_poses_[joint];
}

// The origin of a body is its centre of mass, at X·c with the pose X of its Solid. Parents come
// first.
void SolidPoses::place_bodies() const {
  std::vector<Pose> at(scene_.solids.size());
  for (int s = 0; s < static_cast<int>(scene_.solids.size()); ++s) {
    const SolidSpec& solid = scene_.solids[s];
    at[s] = solid.parent >= 0 ? at[solid.parent] * place(s) : place(s);
    const int b = bodies_.body_of(s);
    if (b < 0 || bodies_[b].solid != s) {
      continue;
    }
    put_at(bodies_[b], {at[s].rotation, at[s] * bodies_[b].center});
    set_motion(bodies_[b], {solid.linear_velocity, solid.angular_velocity});
  }
}

// The product of poses goes up to the nearest Solid with a body, or to the world.
Pose SolidPoses::pose(int solid) const {
  SERVOSIM_ASSERT(solid >= 0 && solid < static_cast<int>(scene_.solids.size()), "Solid {} of {}",
                  solid, scene_.solids.size());
  if (const int body = bodies_.body_of(solid); body >= 0) {
    return pose_of(bodies_[body]) * bodies_.in_body(solid);
  }
  const int parent = scene_.solids[solid].parent;
  const int joint = kinematic_joints_[solid];
  const Pose local = joint >= 0 ? endpoint(joint) : place(solid);
  return parent >= 0 ? pose(parent) * local : local;
}

// The motion is X(q) = X₁(q₁)·X₂(q₂)·X₃(q₃), since each axis carries those after it.
Pose SolidPoses::joint_motion(int joint, int axes) const {
  const int first_axis = scene_.joints[joint].first_axis;
  Pose moved;
  for (int j = first_axis; j < first_axis + axes; ++j) {
    moved = moved * motion_of(scene_.joints[j], states_[j].position);
  }
  return moved;
}

Pose SolidPoses::joint_motion(int joint) const {
  return joint_motion(joint, axis_count(scene_.joints[joint].kind));
}

Pose SolidPoses::endpoint(int joint) const {
  return joint_motion(joint) * zero_pose(scene_.joints[joint].first_axis);
}

// The direction is R_parent·R₁(q₁)…·a, with the rotations of the axes before this one.
Vec3 SolidPoses::axis_in_world(int joint, const Mat3& frame) const {
  const JointSpec& spec = scene_.joints[joint];
  return frame * (joint_motion(joint, spec.axis_number).rotation * spec.axis);
}

Pose SolidPoses::local_pose(int solid) const {
  const int joint = scene_.solids[solid].joint;
  return joint >= 0 ? endpoint(joint) : place(solid);
}

// The endpoint of a joint is at X_joint(q)·X_zero with the current position q and the scene's
// X_zero.
Pose SolidPoses::planned_pose(int solid) const {
  const SolidSpec& spec = scene_.solids[solid];
  if (spec.joint < 0) {
    return spec.pose;
  }
  const JointSpec& joint = scene_.joints[spec.joint];
  return joint_motion(joint.first_axis, axis_count(joint.kind)) * joint.zero_pose;
}

const Pose& SolidPoses::kinematic_place(int solid) const {
  const int joint = kinematic_joints_[solid];
  return joint >= 0 ? zero_pose(scene_.joints[joint].first_axis) : place(solid);
}

Pose& SolidPoses::writable_kinematic_place(int solid) {
  const int joint = kinematic_joints_[solid];
  return joint >= 0 ? writable_zero_pose(scene_.joints[joint].first_axis) : writable_place(solid);
}

const Pose& SolidPoses::planned_place(int solid) const {
  const int joint = kinematic_joints_[solid];
  return joint >= 0 ? scene_.joints[scene_.joints[joint].first_axis].zero_pose
                    : scene_.solids[solid].pose;
}

void SolidPoses::set_kinematic_joint(int solid, int joint) {
  SERVOSIM_ASSERT(bodies_.body_of(solid) < 0, "Solid {} has a body and joint {}", solid, joint);
  kinematic_joints_[solid] = joint;
}

void SolidPoses::use(const MovedSolid& place) {
  writable_place(place.solid) = place.local;
  if (const int joint = scene_.solids[place.solid].joint; joint >= 0) {
    // All axes of a joint share the zero pose, which is stored with the first one.
    writable_zero_pose(scene_.joints[joint].first_axis) = place.zero;
  }
}

MovedSolid SolidPoses::as_moved(int solid) const {
  const int joint = scene_.solids[solid].joint;
  return {solid, place(solid),
          joint >= 0 ? zero_pose(scene_.joints[joint].first_axis) : place(solid)};
}

}  // namespace servosim
