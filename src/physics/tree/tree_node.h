// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "physics/tree/solver_rows.h"
#include "physics/tree/spatial.h"
#include "servosim/math.h"

namespace servosim {

class FreeDirections;

/// A joint in the present places of its bodies. All vectors are in the world's axes.
struct PlacedJoint {
  Vec3 arm;             ///< from the centre of mass of the child to the anchor on it [m]
  Vec3 parent_arm;      ///< from that of the parent to the anchor on the parent; 0 for the world
  Vec3 axis;            ///< of length one; of a Hinge or Slider
  SpatialVector drift;  ///< d: what the joint's error asks of the child's rate against the parent's
};

/// A body and the joint that holds it to its parent; its arm is 0 if it is Free.
/// docs/explanation/solver.md has the equations; symbols in comments are those of that page.
struct TreeNode : PlacedJoint {
  enum class Kind : std::uint8_t {
    Free,   ///< no joint
    Rigid,  ///< a fixed joint
    Hinge,
    Slider,
    Ball,    ///< with free directions
    Hinge2,  ///< likewise
  };

  // ---- to be set before each step

  std::ptrdiff_t above = 0;  ///< the parent is so many nodes before; 0: the world, or none
  Kind kind = Kind::Free;
  double mass = 0.0;               ///< [kg]
  SymMat3 inertia;                 ///< about the centre of mass [kg·m²]
  SpatialVector load;              ///< m·v/h + forces and I·ω/h + torques, at the centre of mass
  double linear_softness = 0.0;    ///< c_l
  double angular_softness = 0.0;   ///< c_a
  AxisRows rows;                   ///< of a Hinge or Slider
  FreeDirections* free = nullptr;  ///< of a Ball or Hinge2, with their rows

  // ---- results, beside those of the rows

  SpatialVector motion;  ///< of the centre of mass after the step, divided by h
  SpatialVector force;   ///< w: of the joint and all its rows on the body, about its anchor

  // ---- the solver's own

  SpatialMatrix own_inertia;     // of the body, seen from its anchor
  SpatialVector own_load;        // likewise
  BodyRow* first_row = nullptr;  // of those at this body
  SpatialMatrix articulated;     // M: of the body and what hangs on it
  SpatialVector bias;            // g
  SpatialMatrix through;  // N₀: M as the joint passes it on, without its axis; if Free, of M⁻¹
  SpatialVector through_bias;   // x
  SpatialVector on_axis;        // n = N₀·a
  double along_axis = 0.0;      // α = a·n
  double gain = 0.0;            // η
  double push = 0.0;            // κ
  double axis_drift = 0.0;      // d_e, or 0 where no row is inside its bounds
  SpatialVector anchor_motion;  // t
  bool is_dirty = true;         // M has to be found again

  TreeNode* parent() { return above > 0 ? this - above : nullptr; }
  const TreeNode* parent() const { return above > 0 ? this - above : nullptr; }
};

/// The part of a vector along the joint's axis; 0 without one.
inline double part_along_axis(const TreeNode& n, const SpatialVector& v) {
  return n.kind == TreeNode::Kind::Hinge    ? dot(n.axis, v.angular)
         : n.kind == TreeNode::Kind::Slider ? dot(n.axis, v.linear)
                                            : 0.0;
}

inline void add_along_axis(const TreeNode& n, double s, SpatialVector& v) {
  if (n.kind == TreeNode::Kind::Hinge) {
    v.angular = v.angular + s * n.axis;
  } else if (n.kind == TreeNode::Kind::Slider) {
    v.linear = v.linear + s * n.axis;
  }
}

/// That of the anchor on the parent; 0 for the world.
inline SpatialVector parent_motion(const TreeNode& n) {
  const TreeNode* const parent = n.parent();
  return parent != nullptr ? motion_at(parent->anchor_motion, n.parent_arm - parent->arm)
                           : SpatialVector{};
}

/// Sets rates and forces of the rows on the axis, from the motions and the force of the joint.
void set_axis_forces(TreeNode& n);

/// M⁻¹·load, of a Free node that was eliminated.
inline SpatialVector free_motion(const TreeNode& n, const SpatialVector& load) {
  const SpatialMatrix& m = n.through;
  const Vec3 angular = m.d * (load.angular - transposed_times(m.b, load.linear));
  return {m.a * load.linear - m.b * angular, angular};
}

/// C·w
inline SpatialVector softened(const TreeNode& n, const SpatialVector& force) {
  return {n.linear_softness * force.linear, n.angular_softness * force.angular};
}

/// What a joint transmits, and how far it gives way along its axis.
struct Transmitted {
  SpatialVector force;  ///< w
  double slip = 0.0;    ///< σ
};

/// `held`: the force without the axis, N₀·(t_p + d) − x.
inline Transmitted transmitted(const TreeNode& n, const SpatialVector& held, double push) {
  const double slip = push - n.gain * part_along_axis(n, held);
  return {held + slip * n.on_axis, slip};
}

/// The motion t of the child; `wanted`: t_p + d.
inline SpatialVector motion_of_child(const TreeNode& n, const SpatialVector& wanted,
                                     const Transmitted& by_joint) {
  SpatialVector motion = wanted - softened(n, by_joint.force);
  add_along_axis(n, by_joint.slip, motion);
  return motion;
}

}  // namespace servosim
