// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"
#include "physics/tree/joint_place.h"
#include "physics/tree/tree_node.h"

// How a body enters a step, and how it moves, for single bodies and lanes of them. The operations
// are those of ODE's step. With the inertia I = R·I_body·Rᵀ, the angular momentum L = I·ω, the
// force f and the torque τ on the body, and gravity G, the load of a node is
//
//     g_linear = m·(v/h + G) + f,        g_angular = L/h + τ + L × y,    (I − h·[L])·y = L
//
// where L × y is the implicit gyroscopic torque. After the step, with the motion u that the solver
// found,
//
//     v⁺ = h·u_linear,    ω⁺ = h·u_angular, limited to max_spin
//     x⁺ = x + h·v⁺,      q⁺ = q + h/2·(0, ω⁺)·q, with length one
//
// Damping then reduces v⁺ and ω⁺. All vectors are in the world's axes, and x and v are those of the
// centre of mass. Source: dxStepIsland() and dxStepBody() of ODE 0.16.

namespace servosim {

/// Holds the mass and the inertia of a body.
template <class V>
struct InertialParametersOf {
  RealOf<V> mass{};      ///< [kg]
  SymMat3Of<V> inertia;  ///< in the body's frame [kg·m²]
};
using InertialParameters = InertialParametersOf<Vec3>;

/// Holds the velocities of a body before the step, and the forces that were added to it.
template <class V>
struct BodyForcesOf {
  V velocity;
  V spin;
  V force;
  V torque;
};

/// Returns ODE's implicit gyroscopic torque L × y with (I − h·[L])·y = L. `i` is I, `momentum` is
/// L. Unlike the explicit torque −ω × L, it is stable at high spins.
template <class V>
inline V gyroscopic_torque(const SymMat3Of<V>& i, const V& momentum, double h) {
  const V l = h * momentum;
  const V rows[3] = {{i.xx, i.xy + l.z, i.xz - l.y},
                     {i.xy - l.z, i.yy, i.yz + l.x},
                     {i.xz + l.y, i.yz - l.x, i.zz}};
  // By Cramer's rule: the columns of the inverse are cross products of rows.
  const V c0 = cross(rows[1], rows[2]);
  const V c1 = cross(rows[2], rows[0]);
  const V c2 = cross(rows[0], rows[1]);
  const RealOf<V> scale = 1.0 / dot(rows[0], c0);
  const V y = scale * (momentum.x * c0 + momentum.y * c1 + momentum.z * c2);
  return cross(momentum, y);
}

/// Sets the inertia and the load of a node.
template <class V>
inline void set_load(const InertialParametersOf<V>& body, bool is_gyroscopic,
                     const RotationOf<V>& rotation, const BodyForcesOf<V>& forces, double h,
                     const V& gravity, NodeInputOf<V>& node) {
  node.mass = body.mass;
  node.inertia = rotated(rotation, body.inertia);
  const V momentum = node.inertia * forces.spin;
  node.load = {body.mass * ((1.0 / h) * forces.velocity + gravity) + forces.force,
               (1.0 / h) * momentum + forces.torque};
  if (is_gyroscopic) {
    node.load.angular = node.load.angular + gyroscopic_torque(node.inertia, momentum, h);
  }
}

/// Holds what limits and damps the velocities of a body.
template <class V>
struct MotionLimitsOf {
  RealOf<V> linear_rest{};   ///< share of the velocity that damping leaves
  RealOf<V> angular_rest{};  ///< the same for the angular velocity
  RealOf<V> max_spin{};      ///< [rad/s]
};
using MotionLimits = MotionLimitsOf<Vec3>;

/// Returns the orientation after a turn by h·ω, to first order, as in ODE:
///
///     q⁺ = (q + h/2·(0, ω)·q)/|q + h/2·(0, ω)·q|
template <class V>
inline QuaternionOf<V> turned(const QuaternionOf<V>& q, const V& spin, double h) {
  using Real = RealOf<V>;
  const double s = 0.5 * h;
  const QuaternionOf<V> t{q.w + s * (-spin.x * q.x - spin.y * q.y - spin.z * q.z),
                          q.x + s * (spin.x * q.w + spin.y * q.z - spin.z * q.y),
                          q.y + s * (-spin.x * q.z + spin.y * q.w + spin.z * q.x),
                          q.z + s * (spin.x * q.y - spin.y * q.x + spin.z * q.w)};
  const Real scale = 1.0 / square_root(t.w * t.w + t.x * t.x + t.y * t.y + t.z * t.z);
  return {scale * t.w, scale * t.x, scale * t.y, scale * t.z};
}

/// Does what dxStepBody() of ODE does: limits the spin, moves and turns the body, and then applies
/// the damping. `motion` is u of the node.
template <class V>
inline MovedBodyOf<V> moved_by_step(const MotionLimitsOf<V>& limits, const QuaternionOf<V>& turn,
                                    const V& center, const SpatialVectorOf<V>& motion, double h) {
  const V velocity = h * motion.linear;
  V spin = h * motion.angular;
  const RealOf<V> square = dot(spin, spin);
  // Most steps have no body that is too fast, so the square root is rarely needed.
  if (const auto fast = square > limits.max_spin * limits.max_spin; any_holds(fast)) {
    const V limited = (limits.max_spin / square_root(square)) * spin;
    spin = {choose(fast, limited.x, spin.x), choose(fast, limited.y, spin.y),
            choose(fast, limited.z, spin.z)};
  }
  return {turned(turn, spin, h), center + h * velocity, limits.linear_rest * velocity,
          limits.angular_rest * spin};
}

}  // namespace servosim
