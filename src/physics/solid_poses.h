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

/// A Solid that was put elsewhere and has no body that keeps it.
struct MovedSolid {
  int solid;
  Pose local;  ///< in the frame of the Solid above, when the joint it is the endpoint of is as at
               ///< the start
  Pose zero;   ///< of the endpoint of a kinematic joint: the same at position 0
  friend bool operator==(const MovedSolid&, const MovedSolid&) = default;
};

/// The pose of every Solid of the scene: that of its body, or else it follows from the Solid above,
/// the positions of the joint that it is the endpoint of, and its place in that frame.
///
/// Invariants: a Solid with a body has no kinematic joint; what is below a Solid follows it.
/// Reads positions of joints, changes none.
class SolidPoses {
 public:
  /// Puts each body to the place of its Solid, with the velocities of the scene. `states`: by joint
  /// of the scene; `moved`: places that are not those of the scene.
  SolidPoses(const Scene& scene, const Bodies& bodies, std::span<const JointState> states,
             std::span<const MovedSolid> moved);
  SolidPoses(const SolidPoses&) = delete;
  SolidPoses& operator=(const SolidPoses&) = delete;

  Pose pose(int solid) const;  ///< in the world
  /// The same, for -1 that of the world.
  Pose frame(int solid) const { return solid >= 0 ? pose(solid) : Pose{}; }

  /// The motion by the first `axes` axes of a joint, in the parent Solid's frame.
  Pose joint_motion(int joint, int axes) const;
  Pose joint_motion(int joint) const;  ///< of all axes
  /// The pose of a joint's endpoint in the parent Solid's frame.
  Pose endpoint(int joint) const;
  /// The present direction of an axis, carried by those before it; `frame`: of the parent Solid.
  Vec3 axis_in_world(int joint, const Mat3& frame) const;

  /// In the frame of the Solid above, its joint being where it is.
  Pose local_pose(int solid) const;
  /// The same where the scene places it.
  Pose planned_pose(int solid) const;
  /// In the frame of the Solid above; not of the endpoint of a joint.
  const Pose& place(int solid) const {
    return places_.empty() ? place_in_scene(solid) : places_[solid];
  }
  Pose& writable_place(int solid);
  /// The kinematic place of a Solid without a body: of the endpoint of a kinematic joint the place
  /// at position 0, so that its motor continues from its present position; else the place in the
  /// frame of the Solid above.
  const Pose& kinematic_place(int solid) const;
  Pose& writable_kinematic_place(int solid);
  /// The same, in the scene.
  const Pose& planned_place(int solid) const;

  /// The joint that moves a Solid without a body, of several axes the first; -1: none.
  int kinematic_joint(int solid) const { return kinematic_joints_[solid]; }
  /// From now on `joint` moves it.
  void set_kinematic_joint(int solid, int joint);

  void use(const MovedSolid& place);
  MovedSolid as_moved(int solid) const;

 private:
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
  std::vector<int> kinematic_joints_;  // by Solid
  // Those of the scene, or where they were moved; empty until the first one is.
  std::vector<Pose> places_;      // by Solid: SolidSpec::pose
  std::vector<Pose> zero_poses_;  // by joint: JointSpec::zero_pose
};

}  // namespace servosim
