// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "physics/rows/row.h"
#include "physics/rows/spatial.h"
#include "servosim/math.h"

// A node of a tree is a body and the joint that holds it to its parent. All vectors are in the
// world's axes, and motions are divided by the length h of the step. The equations of a node are
//
//     body:    M·t = g + w
//     joint:   t = t_p + d + a·σ − C·w
//     body's centre of mass:    u = (v − ω × arm, ω)    with t = (v, ω)
//
// t and t_p are the motions of the anchor on the child and on the parent, w is the force of the
// joint and all its rows on the child, about the anchor, and −w acts on the parent. σ is the motion
// along the axis a. C is diagonal: c_l for linear, c_a for angular parts. Source:
// docs/explanation/solver.md, whose symbols these are; R. Featherstone, Rigid Body Dynamics
// Algorithms (2008), chapter 7.

namespace servosim {

struct MotionSubspace;

/// Holds a joint in the present poses of its bodies.
template <class V>
struct PlacedJointOf {
  V arm;                     ///< from the centre of mass of the child to the anchor on it [m]
  V parent_arm;              ///< the same for the parent; 0 for the world [m]
  V axis;                    ///< a, a unit vector; of a Hinge or Slider
  SpatialVectorOf<V> drift;  ///< d: what the joint's error asks of t − t_p
};
using PlacedJoint = PlacedJointOf<Vec3>;

/// Says how a joint holds a body to its parent.
enum class TreeNodeKind : std::uint8_t {
  Root,   ///< no joint
  Rigid,  ///< a fixed joint
  Hinge,
  Slider,
  Ball,    ///< with a MotionSubspace
  Hinge2,  ///< with free directions, too
};

/// Returns whether the joint has one axis, with rows of its own.
[[gnu::always_inline]] inline bool has_axis(TreeNodeKind kind) {
  return kind == TreeNodeKind::Hinge || kind == TreeNodeKind::Slider;
}

/// Holds what a body and its joint bring into a step, and the results.
template <class V>
struct NodeInputOf : PlacedJointOf<V> {
  using Vector = V;
  using Real = RealOf<V>;

  // ---- results

  SpatialVectorOf<V> motion;  ///< u: of the centre of mass after the step, divided by h
  SpatialVectorOf<V> force;   ///< w: on the body, about its anchor

  // ---- to be set before each step

  Real mass{};                ///< [kg]
  SymMat3Of<V> inertia;       ///< about the centre of mass [kg·m²]
  SpatialVectorOf<V> load;    ///< m·v/h + forces, I·ω/h + torques, at the centre of mass
  double linear_softness{};   ///< c_l
  double angular_softness{};  ///< c_a
};

/// Adds what the passes of the solver compute for a node.
template <class V>
struct ArticulatedNode : NodeInputOf<V> {
  using Real = RealOf<V>;

  SpatialMatrixOf<V> articulated;  // M: of the body and everything that hangs on it
  SpatialVectorOf<V> bias;         // g
  /// N₀: M as the joint passes it on, without its axis. For a Root it has the factors of M⁻¹.
  SpatialMatrixOf<V> apparent_inertia;
  SpatialVectorOf<V> apparent_bias;  // x
  SpatialVectorOf<V> on_axis;        // n = N₀·a
  Real along_axis{};                 // α = a·n
  Real gain{};                       // η
  Real slip_at_rest{};               // κ
  Real axis_drift{};                 // d_e; 0 if no row is inside its bounds
  SpatialVectorOf<V> anchor_motion;  // t
};

/// A body and the joint that holds it to its parent. The arm of a Root is 0.
struct TreeNode : NodeInputOf<Vec3> {
  using Kind = TreeNodeKind;

  // ---- to be set before each step

  AxisRows rows;                       ///< of a Hinge or Slider, with results
  std::ptrdiff_t above = 0;            ///< the parent is this many nodes before; 0: there is none
  Kind kind = Kind::Root;              ///< of the joint
  MotionSubspace* subspace = nullptr;  ///< with a MotionSubspace

  double along_axis{};    ///< result: α, the inertia that rows on the axis move
  std::size_t index = 0;  // the solver's own: index among the nodes that it solves
};

/// Returns the part of a motion or a force along the joint's axis; 0 without an axis.
template <class Node>
inline typename Node::Real part_along_axis(const Node& n,
                                           const SpatialVectorOf<typename Node::Vector>& v) {
  return n.kind == TreeNodeKind::Hinge    ? dot(n.axis, v.angular)
         : n.kind == TreeNodeKind::Slider ? dot(n.axis, v.linear)
                                          : typename Node::Real{};
}

/// Adds s·a to a motion or a force; does nothing without an axis.
template <class Node>
inline void add_along_axis(const Node& n, const typename Node::Real& s,
                           SpatialVectorOf<typename Node::Vector>& v) {
  if (n.kind == TreeNodeKind::Hinge) {
    v.angular = v.angular + s * n.axis;
  } else if (n.kind == TreeNodeKind::Slider) {
    v.linear = v.linear + s * n.axis;
  }
}

/// Returns t_p, the motion of the anchor on the parent; 0 for the world.
template <class Node>
inline SpatialVectorOf<typename Node::Vector> parent_motion(const Node& n) {
  const Node* const parent = n.parent();
  return parent != nullptr ? motion_at(parent->anchor_motion, n.from_parent())
                           : SpatialVectorOf<typename Node::Vector>{};
}

/// Returns M⁻¹·load for a Root that factor_root() has factored:
///
///     ω = (D − Bᵀ·A⁻¹·B)⁻¹·(τ − Bᵀ·A⁻¹·f),    v = A⁻¹·f − A⁻¹·B·ω    with load = (f, τ)
template <class V>
inline SpatialVectorOf<V> root_motion(const ArticulatedNode<V>& n, const SpatialVectorOf<V>& load) {
  const SpatialMatrixOf<V>& m = n.apparent_inertia;
  const V angular = m.d * (load.angular - transposed_times(m.b, load.linear));
  return {m.a * load.linear - m.b * angular, angular};
}

/// Returns C·w.
template <class V>
inline SpatialVectorOf<V> softened(const ArticulatedNode<V>& n, const SpatialVectorOf<V>& force) {
  return {n.linear_softness * force.linear, n.angular_softness * force.angular};
}

/// Holds the force that a joint transmits, and how far it yields along its axis.
template <class V>
struct TransmittedOf {
  SpatialVectorOf<V> force;  ///< w
  RealOf<V> slip{};          ///< σ
};

/// Returns w and σ:
///
///     σ = κ − η·a·locked_force,    w = locked_force + σ·n
///
/// `locked_force` is the force without the axis, N₀·(t_p + d) − x. `slip_at_rest` is κ.
template <class Node, class V>
inline TransmittedOf<V> transmitted(const Node& n, const SpatialVectorOf<V>& locked_force,
                                    const RealOf<V>& slip_at_rest) {
  const RealOf<V> slip = slip_at_rest - n.gain * part_along_axis(n, locked_force);
  return {locked_force + slip * n.on_axis, slip};
}

/// Returns the motion t = t_p + d − C·w + σ·a of the child. `wanted` is t_p + d.
template <class Node, class V>
inline SpatialVectorOf<V> motion_of_child(const Node& n, const SpatialVectorOf<V>& wanted,
                                          const TransmittedOf<V>& by_joint) {
  SpatialVectorOf<V> motion = wanted - softened(n, by_joint.force);
  add_along_axis(n, by_joint.slip, motion);
  return motion;
}

}  // namespace servosim
