// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"
#include "physics/tree/tree_node.h"

// Where joints are, and what their errors ask for, from the places of their bodies; for single
// bodies and lanes of them.

namespace servosim {

/// What ODE keeps of the moment in which a joint was created.
template <class V>
struct JointFramesOf {
  V child_anchor;   ///< of a hinge, in the child's frame
  V parent_anchor;  ///< of a hinge, in the parent's frame, or the world's without a parent
  V child_axis;
  V parent_axis;
  V offset;                  ///< of a slider or fixed joint, as ODE has it
  QuaternionOf<V> relative;  ///< the second body's turn from the first one's, as ODE has it
};
using JointFrames = JointFramesOf<Vec3>;

/// `v` without its part along the unit vector `axis`.
template <class V>
inline V square_part(const V& v, const V& axis) {
  return v - dot(v, axis) * axis;
}

template <class V>
inline void place_anchors(const JointFramesOf<V>& joint, const BodyFrameOf<V>& child,
                          const BodyFrameOf<V>* parent, double gain, PlacedJointOf<V>& placed) {
  placed.arm = child.rotation * joint.child_anchor;
  placed.parent_arm = parent != nullptr ? parent->rotation * joint.parent_anchor : V{};
  const V on_parent = parent != nullptr ? parent->center + placed.parent_arm : joint.parent_anchor;
  placed.drift = {-gain * (child.center + placed.arm - on_parent), V{}};
}

/// ODE corrects the error of the anchor, and turns the axis of the first body to that of the
/// second.
template <class V>
inline void place_hinge(bool child_is_first, const JointFramesOf<V>& joint,
                        const BodyFrameOf<V>& child, const BodyFrameOf<V>* parent, double gain,
                        PlacedJointOf<V>& placed) {
  place_anchors(joint, child, parent, gain, placed);
  const V of_child = child.rotation * joint.child_axis;
  const V of_parent = parent != nullptr ? parent->rotation * joint.parent_axis : joint.parent_axis;
  if (child_is_first) {
    placed.axis = of_child;
  } else {
    placed.axis = of_parent;
  }
  placed.drift.angular = -gain * cross(of_parent, of_child);
}

/// Twice the vector of a small turn is the turn.
template <class V>
inline V orientation_drift(bool child_is_first, const JointFramesOf<V>& joint,
                           const BodyFrameOf<V>& child, const BodyFrameOf<V>* parent, double gain) {
  using Real = RealOf<V>;
  const QuaternionOf<V> of_parent = parent != nullptr ? parent->turn : QuaternionOf<V>{};
  const QuaternionOf<V>& first = child_is_first ? child.turn : of_parent;
  const QuaternionOf<V>& second = child_is_first ? of_parent : child.turn;
  const QuaternionOf<V> error = conjugated(first) * second * conjugated(joint.relative);
  const RotationOf<V>& rotation = child_is_first ? child.rotation : parent->rotation;
  const Real one = Real{} + 1.0;
  const Real sign = choose(error.w < 0.0, child_is_first ? -one : one, child_is_first ? one : -one);
  return (2.0 * gain * sign) * (rotation * V{error.x, error.y, error.z});
}

/// The rows act midway between the centres of mass; without a parent at that of the child.
template <class V>
inline void place_slider(bool child_is_first, const JointFramesOf<V>& joint,
                         const BodyFrameOf<V>& child, const BodyFrameOf<V>* parent, double gain,
                         PlacedJointOf<V>& placed) {
  placed.drift.angular = orientation_drift(child_is_first, joint, child, parent, gain);
  if (parent == nullptr) {
    placed.arm = placed.parent_arm = V{};
    placed.axis = child.rotation * joint.child_axis;
    placed.drift.linear = gain * square_part(joint.offset - child.center, placed.axis);
    return;
  }
  const V between = child.center - parent->center;
  placed.parent_arm = 0.5 * between;
  placed.arm = -0.5 * between;
  placed.axis = parent->rotation * joint.parent_axis;
  placed.drift.linear = -gain * square_part(between + child.rotation * joint.offset, placed.axis);
}

/// The rows act at the centre of mass of the second body, or of the only one.
template <class V>
inline void place_fixed(bool child_is_first, const JointFramesOf<V>& joint,
                        const BodyFrameOf<V>& child, const BodyFrameOf<V>* parent, double gain,
                        PlacedJointOf<V>& placed) {
  placed.drift.angular = orientation_drift(child_is_first, joint, child, parent, gain);
  placed.arm = placed.parent_arm = V{};
  if (parent == nullptr) {
    placed.drift.linear = gain * (joint.offset - child.center);
  } else if (child_is_first) {
    placed.arm = -(child.rotation * joint.offset);
    placed.drift.linear = -gain * (child.center + placed.arm - parent->center);
  } else {
    placed.parent_arm = -(parent->rotation * joint.offset);
    placed.drift.linear = -gain * (child.center - (parent->center + placed.parent_arm));
  }
}

/// Any joint but a Hinge2. `parent`: null for the world. `gain`: ERP / h².
template <class V>
inline void place_joint(NodeKind kind, bool child_is_first, const JointFramesOf<V>& joint,
                        const BodyFrameOf<V>& child, const BodyFrameOf<V>* parent, double gain,
                        PlacedJointOf<V>& placed) {
  switch (kind) {
    case NodeKind::Root:
    case NodeKind::Hinge2:
      placed.arm = placed.parent_arm = V{};
      return;
    case NodeKind::Rigid:
      return place_fixed(child_is_first, joint, child, parent, gain, placed);
    case NodeKind::Hinge:
      return place_hinge(child_is_first, joint, child, parent, gain, placed);
    case NodeKind::Slider:
      return place_slider(child_is_first, joint, child, parent, gain, placed);
    case NodeKind::Ball:
      return place_anchors(joint, child, parent, gain, placed);
  }
}

}  // namespace servosim
