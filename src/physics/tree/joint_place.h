// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"
#include "physics/tree/tree_node.h"

// Where joints are, and what their errors ask for, from the poses of their bodies, for single
// bodies and lanes of them. A joint asks for the relative motion d, the drift, which corrects its
// error in part: gain = ERP / h² times the error. With p_c and p_p, the anchors on child and
// parent, and a_c and a_p, the axes on them,
//
//     hinge, ball:   d_linear = −gain·(p_c − p_p)
//     hinge:         d_angular = −gain·(a_p × a_c)
//     fixed joint:   d_linear = −gain·(the error of the offset between the centres of mass)
//     slider:        d_linear = the same, without the part along the axis
//     both:          d_angular = −gain·(the small turn of the child from its orientation)
//
// Signs: d is the motion of the child against the parent. The arms go from the centres of mass to
// the anchors, in the world's axes. The bits are those of ODE 0.16; source: getInfo2() of its
// joints, setBall() and setFixedOrientation() in joint.cpp.

namespace servosim {

/// Holds what ODE stored when the joint was created.
template <class V>
struct JointFramesOf {
  V child_anchor;            ///< of a hinge, ball or Hinge2, in the child's frame
  V parent_anchor;           ///< the same in the parent's frame, or in the world
  V child_axis;              ///< in the child's frame
  V parent_axis;             ///< in the parent's frame, or in the world
  V offset;                  ///< ODE's, of a slider or fixed joint [m]
  QuaternionOf<V> relative;  ///< first*·second: orientation of the second body
};
using JointFrames = JointFramesOf<Vec3>;

/// Returns the part of `v` that is perpendicular to the unit vector `axis`.
template <class V>
inline V square_part(const V& v, const V& axis) {
  return v - dot(v, axis) * axis;
}

/// Sets the arms, and the drift that moves the child's anchor to the parent's.
/// With arm_c and arm_p, the ways from the centres of mass x_c and x_p to the anchors,
///
///     d_linear = −gain·((x_c + arm_c) − (x_p + arm_p))
template <class V>
inline void place_anchors(const JointFramesOf<V>& joint, const BodyFrameOf<V>& child,
                          const BodyFrameOf<V>* parent, double gain, PlacedJointOf<V>& placed) {
  placed.arm = child.rotation * joint.child_anchor;
  placed.parent_arm = parent != nullptr ? parent->rotation * joint.parent_anchor : V{};
  const V on_parent = parent != nullptr ? parent->center + placed.parent_arm : joint.parent_anchor;
  placed.drift = {-gain * (child.center + placed.arm - on_parent), V{}};
}

/// Places a hinge. With a_c and a_p, the axes on child and parent,
///
///     a = the axis of ODE's first body,    d_angular = −gain·(a_p × a_c)
///
/// A hinge corrects the error of its anchor, and turns the child's axis to the parent's.
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

/// Returns d_angular from the quaternion of the error, whose vector part is half of a small turn:
///
///     e = first*·second·relative*,    d_angular = ∓2·gain·R_first·(e_x, e_y, e_z)
///
/// The sign is such that the child turns back; that of e_w selects the shorter of the two turns.
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

/// Places a slider, whose rows act midway between the centres of mass, or, without a parent, at
/// that of the child. With x_c and x_p, the centres of mass, and ⊥, the part perpendicular to the
/// axis,
///
///     d_linear = −gain·(x_c − x_p + R_c·offset)⊥,    without a parent  gain·(offset − x_c)⊥
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

/// Places a fixed joint, whose rows act at the centre of mass of ODE's second body, or of the only
/// one. With p_c and p_p, that point as seen by child and parent,
///
///     d_linear = −gain·(p_c − p_p)
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

/// Places any joint but a Hinge2. `parent` is null for the world. `gain` is ERP / h².
template <class V>
inline void place_joint(TreeNodeKind kind, bool child_is_first, const JointFramesOf<V>& joint,
                        const BodyFrameOf<V>& child, const BodyFrameOf<V>* parent, double gain,
                        PlacedJointOf<V>& placed) {
  switch (kind) {
    case TreeNodeKind::Root:
    case TreeNodeKind::Hinge2:
      placed.arm = placed.parent_arm = V{};
      return;
    case TreeNodeKind::Rigid:
      return place_fixed(child_is_first, joint, child, parent, gain, placed);
    case TreeNodeKind::Hinge:
      return place_hinge(child_is_first, joint, child, parent, gain, placed);
    case TreeNodeKind::Slider:
      return place_slider(child_is_first, joint, child, parent, gain, placed);
    case TreeNodeKind::Ball:
      return place_anchors(joint, child, parent, gain, placed);
  }
}

}  // namespace servosim
