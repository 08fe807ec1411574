// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/tree/joint_place.h"
#include "physics/tree/tree_node.h"
#include "servosim/math.h"

struct dxBody;
struct dxJoint;

// From ODE's joint to what the tree solver needs in each step:
//
//     once:       poses at creation → anchors and axes in the frames of the bodies (JointFrames)
//     each step:  poses, JointFrames → arms, axis and drift in the world (PlacedJoint)
//
// Signs: axes are those of the scene, arms go from the centres of mass to the anchors.

namespace servosim {

struct BodyPlace;

/// Returns the pose of a body of ODE.
BodyFrame frame_of(dxBody* body);

/// The geometry of a joint of ODE between a body and its parent, which may be the world: what ODE
/// stored when the joint was created, and what the errors of the joint ask for in a step.
/// joint_place.h has the equations. A Hinge2 holds, about the direction perpendicular to both axes,
/// the angle between them; its error is taken as sin(θ − θ₀).
class JointGeometry {
 public:
  JointGeometry() = default;
  /// Reads a hinge, slider, fixed joint, ball or Hinge2. Both bodies must be in the poses in which
  /// the joint was created. `parent` may be null, except for a Hinge2.
  JointGeometry(dxJoint* joint, dxBody* child, dxBody* parent);

  /// Returns a fixed joint that was made when the bodies were in these poses. The child is its
  /// first body.
  static JointGeometry fixed(const BodyPlace& child, const BodyPlace* parent);

  TreeNode::Kind kind() const { return kind_; }
  /// Reverses the sign of the position: for a joint of the scene whose child is the world.
  void reverse_axis() {
    frames_.child_axis = -frames_.child_axis;
    frames_.parent_axis = -frames_.parent_axis;
  }
  /// Returns whether the child is ODE's first body of the joint.
  [[gnu::always_inline]] bool child_is_first() const { return child_is_first_; }
  /// Returns the axis in the parent's frame, or in the world without a parent.
  const Vec3& parent_axis() const { return frames_.parent_axis; }
  /// Lets the anchors of a Hinge2 separate along axis 1.
  void set_suspended() { is_suspended_ = true; }
  bool is_suspended() const { return is_suspended_; }

  /// Computes arms, axis and drift for the present poses. `parent` is null for the world. `gain` is
  /// ERP / h².
  void place(const BodyFrame& child, const BodyFrame* parent, double gain,
             PlacedJoint& placed) const;
  /// Returns axis 2 of a Hinge2 in the world.
  Vec3 second_axis(const BodyFrame& child) const { return child.rotation * frames_.child_axis; }
  /// Sets the free directions of a ball: the axes of the world.
  void place_ball_directions(MotionSubspace& subspace) const;
  /// Sets the free directions of a Hinge2 that has been placed: axis 1, the direction perpendicular
  /// to it in the plane of both axes, and the travel of a suspension.
  void place_hinge2_directions(const Vec3& axis2, const PlacedJoint& placed,
                               MotionSubspace& subspace) const;

  /// Returns what lanes need.
  [[gnu::always_inline]] const JointFrames& frames() const { return frames_; }

 private:
  void place_hinge2(const BodyFrame& child, const BodyFrame* parent, double gain,
                    PlacedJoint& placed) const;

  TreeNode::Kind kind_ = TreeNode::Kind::Root;
  bool child_is_first_ = false;
  JointFrames frames_;
  double cosine_ = 0.0;  // of θ₀, the angle between the axes of a Hinge2
  double sine_ = 0.0;
  bool is_suspended_ = false;
};

}  // namespace servosim
