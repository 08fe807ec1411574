// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/tree/joint_place.h"
#include "physics/tree/tree_node.h"
#include "servosim/math.h"

struct dxBody;
struct dxJoint;

namespace servosim {

struct BodyPlace;

BodyFrame frame_of(dxBody* body);

/// A joint of ODE between a body and its parent, which may be the world: the
/// numbers that ODE keeps of the moment when it was created, and what they ask for in a step.
class JointGeometry {
 public:
  JointGeometry() = default;
  /// A hinge, slider, fixed joint, ball or Hinge2. Both bodies must be where they were then.
  /// `parent` may be null, but for a Hinge2.
  JointGeometry(dxJoint* joint, dxBody* child, dxBody* parent);

  /// A fixed joint that was made when the bodies were at these places; the child is its first body.
  static JointGeometry fixed(const BodyPlace& child, const BodyPlace* parent);

  TreeNode::Kind kind() const { return kind_; }
  void reverse_axis() {
    frames_.child_axis = -frames_.child_axis;
    frames_.parent_axis = -frames_.parent_axis;
  }
  /// Whether ODE counts the child as the joint's first body.
  [[gnu::always_inline]] bool child_is_first() const { return child_is_first_; }
  /// The axis in the parent's frame, or in the world's without a parent.
  const Vec3& parent_axis() const { return frames_.parent_axis; }
  /// Lets the anchors of a Hinge2 part along axis 1.
  void set_suspended() { is_suspended_ = true; }
  bool is_suspended() const { return is_suspended_; }

  /// `parent`: null for the world. `gain`: ERP / h².
  void place(const BodyFrame& child, const BodyFrame* parent, double gain,
             PlacedJoint& placed) const;
  /// Axis 2 of a Hinge2 in the world's frame.
  Vec3 second_axis(const BodyFrame& child) const { return child.rotation * frames_.child_axis; }
  /// Sets the free directions of a ball.
  void place_ball_directions(MotionSubspace& subspace) const;
  /// Sets the free directions of a Hinge2 that has been placed.
  void place_hinge2_directions(const Vec3& axis2, const PlacedJoint& placed,
                               MotionSubspace& subspace) const;

  /// Where the joint is on its bodies; for lanes of them.
  [[gnu::always_inline]] const JointFrames& frames() const { return frames_; }

 private:
  void place_hinge2(const BodyFrame& child, const BodyFrame* parent, double gain,
                    PlacedJoint& placed) const;

  TreeNode::Kind kind_ = TreeNode::Kind::Root;
  bool child_is_first_ = false;
  JointFrames frames_;
  double cosine_ = 0.0;  // of the angle between the axes of a Hinge2
  double sine_ = 0.0;
  bool is_suspended_ = false;
};

}  // namespace servosim
