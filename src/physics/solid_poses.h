// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/assert.h"
#include "physics/solid_range.h"
#include "physics/state.h"
#include "servosim/math.h"

namespace servosim {

class Bodies;
struct Scene;

/// Holds the pose of a Solid that was moved from outside and that no body keeps.
struct MovedSolid {
  int solid;
  /// This is the pose in the frame of the Solid above, with the joint that moves the Solid at its
  /// initial position.
  Pose local;
  /// This is the same with the joint at position 0. Only the endpoint of a kinematic joint has it.
  Pose zero;
  friend bool operator==(const MovedSolid&, const MovedSolid&) = default;
};

/// Computes the pose of every Solid of the scene. A Solid with a body has the pose
///
///     X = X_body·X_in_body.
///
/// For any other Solid the pose follows from the pose of the Solid above, the positions q of the
/// joint that moves it, and its pose at position 0; without a joint it follows from its pose in the
/// frame of the Solid above:
///
///     X = X_parent·X_joint(q)·X_zero   or   X = X_parent·X_local.
///
/// A pose maps coordinates in the Solid's frame to coordinates in the world [m].
///
/// Invariants: a Solid with a body has no kinematic joint. Solids below a Solid follow it.
/// Positions of joints are read and never changed.
///
/// Threads: one at a time for each object.
class SolidPoses {
 public:
  /// Moves each body to the pose of its Solid, with the velocities of the scene. `states` are those
  /// of the scene's joints. `moved` are poses that differ from those of the scene. The references
  /// must outlive this object.
  SolidPoses(const Scene& scene, const Bodies& bodies, std::span<const JointState> states,
             std::span<const MovedSolid> moved);
  SolidPoses(const SolidPoses&) = delete;
  SolidPoses& operator=(const SolidPoses&) = delete;

  /// Returns the current pose of a Solid in the world.
  Pose pose(int solid) const;
  /// Returns the current pose of a Solid in the world; for -1, the pose of the world.
  Pose frame(int solid) const { return solid >= 0 ? pose(solid) : Pose{}; }

  /// Returns the motion by the first `axes` axes of a joint, in the parent Solid's frame.
  Pose joint_motion(int joint, int axes) const;
  /// Returns the motion by all axes of a joint, in the parent Solid's frame.
  Pose joint_motion(int joint) const;
  /// Returns the current pose of a joint's endpoint in the parent Solid's frame.
  Pose endpoint(int joint) const;
  /// Returns the current direction of an axis in the world, a unit vector. The axes before it carry
  /// it; `frame` is the rotation of the parent Solid.
  Vec3 axis_in_world(int joint, const Mat3& frame) const;

  /// Returns the current pose of a Solid in the frame of the Solid above.
  Pose local_pose(int solid) const;
  /// Returns the pose in the frame of the Solid above that the scene gives, with the joint at its
  /// current position.
  Pose planned_pose(int solid) const;
  /// Returns the pose of a Solid that is no endpoint of a joint in the frame of the Solid above.
  const Pose& place(int solid) const {
    return places_.empty() ? place_in_scene(solid) : places_[solid];
  }
  /// Returns this pose to be changed.
  Pose& writable_place(int solid);
  /// Returns the kinematic pose of a Solid without a body. For the endpoint of a kinematic joint
  /// this is the pose at position 0, so that its motor continues from its current position. For any
  /// other Solid it is the pose in the frame of the Solid above.
  const Pose& kinematic_place(int solid) const;
  /// Returns this pose to be changed.
  Pose& writable_kinematic_place(int solid);
  /// Returns the kinematic pose that the scene gives.
  const Pose& planned_place(int solid) const;

  /// Returns the index of the joint that moves a Solid without a body, or of its first axis if it
  /// has several; -1 for none.
  int kinematic_joint(int solid) const { return kinematic_joints_[solid]; }
  /// Notes that from now on `joint` moves the Solid, which must have no body.
  void set_kinematic_joint(int solid, int joint);

  /// Takes over a pose that was set from outside.
  void use(const MovedSolid& place);
  /// Returns the current pose of a Solid, as if it had been set from outside.
  MovedSolid as_moved(int solid) const;

 private:
  /// Moves each body to the pose of its Solid and gives it the velocities of the scene.
  void place_bodies() const;
  const Pose& place_in_scene(int solid) const;
  const Pose& zero_pose_in_scene(int joint) const;
  const Pose& zero_pose(int joint) const {
    return zero_poses_.empty() ? zero_pose_in_scene(joint) : zero_poses_[joint];
  }
  Pose& writable_zero_pose(int joint);

  const Scene& scene_;
  const Bodies& bodies_;
  std::span<const JointState> states_;
  std::vector<int> kinematic_joints_;  // the index is the Solid
  // These are the poses of the scene with those that were changed. Each list is empty until its
  // first change.
  std::vector<Pose> places_;      // the index is the Solid; as SolidSpec::pose
  std::vector<Pose> zero_poses_;  // the index is the joint; as JointSpec::zero_pose
};

}  // namespace servosim
