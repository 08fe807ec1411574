// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/spatial.h"
#include "physics/tree/tree_node.h"

// What the solver does with a node in a pass over a tree, for single nodes and lanes of them.
// `Node` is PassNode or RoundNode. The body with everything that hangs on it, seen from its anchor,
// obeys M·t = g + w. The law of the joint without its axis is
//
//     t = t_p + d − C·w,    C = diag(c_l, c_l, c_l, c_a, c_a, c_a)
//     w = N₀·(t_p + d) − x,    N₀ = (1 + M·C)⁻¹·M,    x = (1 + M·C)⁻¹·g
//
// With the axis a, n = N₀·a, α = a·n, and the rows of the axis (softness c_e, target d_e, force φ
// of rows at a bound), γ = c_e − c:
//
//     η = γ/(1 + γ·α),    κ = φ·c_e/(1 + γ·α);    without a row inside its bounds η = 1/α, κ = φ/α
//     σ = κ − η·a·(N₀·(t_p + d) − x),    w = N₀·(t_p + d) − x + σ·n
//
// where d contains d_e along the axis. The parent gets N₀ − η·n·nᵀ, moved to its anchor. w acts on
// the child; σ is positive where the child moves along +axis. Source: Featherstone's
// articulated-body algorithm (Rigid Body Dynamics Algorithms, 2008, chapter 7), with the softness
// of the rows added; docs/explanation/solver.md, "Up" and "Down", derives the equations.

namespace servosim {

/// Sets M and g of the body itself, seen from its anchor. With a, the arm from the centre of mass
/// to the anchor,
///
///     A = m·1,    B = m·[a],    D = I − m·[a]·[a],    g = (g_linear, g_angular − a × g_linear)
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

/// Computes N₀ and x from M and g, and n and α from N₀. With P = (1 + c_l·A)⁻¹,
///
///     A₁ = P·A    B₁ = P·B    D₁ = D − c_l·Bᵀ·B₁    Q = (1 + c_a·D₁)⁻¹
///     N₀ = [ A₁ − c_a·B₁·Q·B₁ᵀ   B₁·Q ;   ·   Q·D₁ ]
///
/// This costs two inversions of 3×3 matrices, and nothing cancels as the softness goes to 0. It is
/// split into steps, each of which waits for the one before.
template <class Node>
struct JointElimination {
  using V = typename Node::Vector;
  using Real = typename Node::Real;

  void invert_linear() { p = inverse(one_plus(cl, n.articulated.a)); }
  // A₁, B₁ and D₁.
  void reduce() {
    const SpatialMatrixOf<V>& m = n.articulated;
    a1 = symmetric_product(p, m.a);
    b1 = p * m.b;
    d1 = m.d - cl * symmetric_product_of_transposed<V>(m.b, b1);
  }
  void invert_angular() { q = inverse(one_plus(ca, d1)); }
  // N₀, x, n and α. The law of a joint with free directions has its own n and α.
  void pass_on() {
    n.apparent_inertia.d = symmetric_product(q, d1);
    n.apparent_inertia.b = b1 * q;
    n.apparent_inertia.a = a1 - ca * symmetric_product_with_transposed<V>(n.apparent_inertia.b, b1);
    const V angular = n.bias.angular - cl * transposed_times(b1, n.bias.linear);
    n.apparent_bias = {p * n.bias.linear - ca * (n.apparent_inertia.b * angular), q * angular};
    if (n.kind == TreeNodeKind::Hinge) {
      n.on_axis = {n.apparent_inertia.b * n.axis, n.apparent_inertia.d * n.axis};
    } else if (n.kind == TreeNodeKind::Slider) {
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

/// Eliminates the joint of one node.
template <class Node>
inline void eliminate_joint(Node& n) {
  JointElimination<Node> e{n};
  e.invert_linear();
  e.reduce();
  e.invert_angular();
  e.pass_on();
}

/// Eliminates the joints of two nodes on different branches. The steps alternate, so that the
/// processor does one while it waits for the other.
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

/// Factors M of a body without a joint for root_motion(): A⁻¹, A⁻¹·B and (D − Bᵀ·A⁻¹·B)⁻¹.
template <class V>
inline void factor_root(ArticulatedNode<V>& n) {
  const SpatialMatrixOf<V>& m = n.articulated;
  n.apparent_inertia.a = inverse(m.a);
  n.apparent_inertia.b = n.apparent_inertia.a * m.b;
  n.apparent_inertia.d =
      inverse(m.d - symmetric_product_of_transposed<V>(m.b, n.apparent_inertia.b));
}

/// Sets η and κ of an axis with the softness c of the joint in its direction:
///
///     some row inside:  η = (c_e − c)·s,  κ = φ·c_e·s,  s = 1/(1 + (c_e − c)·α)
///     no row inside:    η = 1/α,          κ = φ/α
///
/// `inside` says whether any row is inside its bounds. In lanes this may differ, and then both
/// cases are computed.
template <class Node, class Condition>
inline void set_law(Node& n, const FoldedRows<typename Node::Real>& rows, const Condition& inside) {
  using Real = typename Node::Real;
  if (!any_holds(inside)) {
    n.gain = 1.0 / n.along_axis;
    n.slip_at_rest = rows.force * n.gain;
    n.axis_drift = Real{};
    return;
  }
  const double c = n.kind == TreeNodeKind::Slider ? n.linear_softness : n.angular_softness;
  // c is the softness of the joint in the direction of its axis, which N₀ already contains.
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

/// Returns N₀ − η·n·nᵀ. A node whose η is 0 keeps the bits of N₀.
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

/// Adds to the parent's M and g what a node with everything that hangs on it is to it, moved from
/// the joint's anchor to the parent's:
///
///     M_parent += N₀ − η·n·nᵀ,    g_parent −= w for t_p = 0
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

/// Computes the force w of the joint and the motion t of the child:
///
///     locked force = N₀·(t_p + d) − x,    w = locked force + σ·n,    t = t_p + d − C·w + σ·a
///
/// The parent must have its motion.
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

/// Computes the motion of the centre of mass from that of the anchor: v − ω × a.
template <class V>
inline void set_motion_of_center(ArticulatedNode<V>& n) {
  const SpatialVectorOf<V>& t = n.anchor_motion;
  n.motion = {t.linear - cross(t.angular, n.arm), t.angular};
}

}  // namespace servosim
