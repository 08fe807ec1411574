// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/spatial.h"
#include "physics/tree/tree_node.h"

// What the solver does with a node in a pass over a tree, for single nodes and lanes of them: see
// "Up" and "Down" in docs/explanation/solver.md. `Node` is PassNode or RoundNode.

namespace servosim {

/// M and g of the body itself, seen from its anchor.
template <class V>
inline void set_own(const NodeInputOf<V>& n, SpatialMatrixOf<V>& inertia,
                    SpatialVectorOf<V>& load) {
  using Real = RealOf<V>;
  const V& a = n.arm;
  const Real m = n.mass;
  const Real zero{};
  const V ma = m * a;
  inertia.a = {m, zero, zero, m, zero, m};
  inertia.b = {{zero, -ma.z, ma.y, ma.z, zero, -ma.x, -ma.y, ma.x, zero}};
  const Real xx = ma.x * a.x;
  const Real yy = ma.y * a.y;
  const Real zz = ma.z * a.z;
  inertia.d = {n.inertia.xx + yy + zz, n.inertia.xy - ma.x * a.y, n.inertia.xz - ma.x * a.z,
               n.inertia.yy + xx + zz, n.inertia.yz - ma.y * a.z, n.inertia.zz + xx + yy};
  load = {n.load.linear, n.load.angular - cross(a, n.load.linear)};
}

/// N₀ and x from M and g, n and α from N₀. Two inversions of 3×3 matrices; nothing cancels as the
/// softness goes to 0. In steps, each of which waits for the one before.
template <class Node>
struct JointElimination {
  using V = typename Node::Vector;
  using Real = typename Node::Real;

  void invert_linear() { p = inverse(one_plus(cl, n.articulated.a)); }
  void reduce() {
    const SpatialMatrixOf<V>& m = n.articulated;
    a1 = symmetric_product(p, m.a);
    b1 = p * m.b;
    d1 = m.d - cl * symmetric_product_of_transposed<V>(m.b, b1);
  }
  void invert_angular() { q = inverse(one_plus(ca, d1)); }
  void pass_on() {
    n.apparent_inertia.d = symmetric_product(q, d1);
    n.apparent_inertia.b = b1 * q;
    n.apparent_inertia.a = a1 - ca * symmetric_product_with_transposed<V>(n.apparent_inertia.b, b1);
    const V angular = n.bias.angular - cl * transposed_times(b1, n.bias.linear);
    n.apparent_bias = {p * n.bias.linear - ca * (n.apparent_inertia.b * angular), q * angular};
    if (n.kind == NodeKind::Hinge) {
      n.on_axis = {n.apparent_inertia.b * n.axis, n.apparent_inertia.d * n.axis};
    } else if (n.kind == NodeKind::Slider) {
      n.on_axis = {n.apparent_inertia.a * n.axis, transposed_times(n.apparent_inertia.b, n.axis)};
    }
    n.along_axis = part_along_axis(n, n.on_axis);
  }

  Node& n;
  Real cl = Real{} + n.linear_softness;
  Real ca = Real{} + n.angular_softness;
  SymMat3Of<V> p{};
  SymMat3Of<V> a1{};
  Mat3Of<V> b1{};
  SymMat3Of<V> d1{};
  SymMat3Of<V> q{};
};

template <class Node>
inline void eliminate_joint(Node& n) {
  JointElimination<Node> e{n};
  e.invert_linear();
  e.reduce();
  e.invert_angular();
  e.pass_on();
}

/// Eliminates the joints of two nodes on different branches in turns, so that the processor need
/// not wait for either.
template <class Node>
inline void eliminate_joints(Node& one, Node& other) {
  JointElimination<Node> e{one};
  JointElimination<Node> f{other};
  e.invert_linear();
  f.invert_linear();
  e.reduce();
  f.reduce();
  e.invert_angular();
  f.invert_angular();
  e.pass_on();
  f.pass_on();
}

/// A body without a joint: A⁻¹, A⁻¹·B and (D − Bᵀ·A⁻¹·B)⁻¹, for root_motion().
template <class V>
inline void factor_root(ArticulatedNode<V>& n) {
  const SpatialMatrixOf<V>& m = n.articulated;
  n.apparent_inertia.a = inverse(m.a);
  n.apparent_inertia.b = n.apparent_inertia.a * m.b;
  n.apparent_inertia.d =
      inverse(m.d - symmetric_product_of_transposed<V>(m.b, n.apparent_inertia.b));
}

/// The rows of an axis: those inside their bounds as one, and the force of those at a bound.
template <class Real>
struct FoldedRows {
  Real softness{};  ///< c_e
  Real target{};    ///< d_e
  Real force{};     ///< φ
};

/// η and κ of an axis, with γ = c_e − c. `inside`: whether any row is inside its bounds.
template <class Node, class Condition>
inline void set_law(Node& n, const FoldedRows<typename Node::Real>& rows, const Condition& inside) {
  using Real = typename Node::Real;
  if (!any_holds(inside)) {
    n.gain = 1.0 / n.along_axis;
    n.slip_at_rest = rows.force * n.gain;
    n.axis_drift = Real{};
    return;
  }
  const double c = n.kind == NodeKind::Slider ? n.linear_softness : n.angular_softness;
  const Real share = 1.0 / (1.0 + (rows.softness - c) * n.along_axis);
  n.gain = (rows.softness - c) * share;
  n.slip_at_rest = rows.force * rows.softness * share;
  n.axis_drift = rows.target;
  if (!all_hold(inside)) {
    const Real free = 1.0 / n.along_axis;
    n.gain = choose(inside, n.gain, free);
    n.slip_at_rest = choose(inside, n.slip_at_rest, rows.force * free);
    n.axis_drift = choose(inside, n.axis_drift, Real{});
  }
}

/// N₀ − η·n·nᵀ
template <class Node>
inline SpatialMatrixOf<typename Node::Vector> seen_with_axis(const Node& n) {
  using V = typename Node::Vector;
  const auto gives_nothing = n.gain == 0.0;
  if (all_hold(gives_nothing)) {
    return n.apparent_inertia;
  }
  SpatialMatrixOf<V> m = minus_outer(n.apparent_inertia, n.gain, n.on_axis);
  if (any_holds(gives_nothing)) {
    m = choose(gives_nothing, n.apparent_inertia, m);
  }
  return m;
}

/// What a node and all that hangs on it are to its parent.
template <class Node>
inline void add_to_parent(Node& n) {
  using V = typename Node::Vector;
  Node& parent = *n.parent();
  SpatialVectorOf<V> drift = n.drift;
  add_along_axis(n, n.axis_drift, drift);
  const SpatialVectorOf<V> locked_force = n.apparent_inertia * drift - n.apparent_bias;
  const SpatialVectorOf<V> force =
      transmitted(n, locked_force, n.slip_at_rest).force;  // parent at rest
  const V arm = n.from_parent();
  add(parent.articulated, seen_from(seen_with_axis(n), arm));
  parent.bias = parent.bias - force_from(force, arm);
}

/// The motion of the child, and the force of the joint.
template <class Node>
inline void find_motion(Node& n) {
  using V = typename Node::Vector;
  SpatialVectorOf<V> wanted = parent_motion(n) + n.drift;
  add_along_axis(n, n.axis_drift, wanted);
  const SpatialVectorOf<V> locked_force = n.apparent_inertia * wanted - n.apparent_bias;
  const TransmittedOf<V> by_joint = transmitted(n, locked_force, n.slip_at_rest);
  n.force = by_joint.force;
  n.anchor_motion = motion_of_child(n, wanted, by_joint);
}

/// That of the centre of mass.
template <class V>
inline void set_motion_of_center(ArticulatedNode<V>& n) {
  const SpatialVectorOf<V>& t = n.anchor_motion;
  n.motion = {t.linear - cross(t.angular, n.arm), t.angular};
}

}  // namespace servosim
