// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/spatial.h"
#include "physics/tree/joint_place.h"
#include "physics/tree/tree_node.h"

// What moves a body, and how it moves, as in ODE; for single bodies and lanes of them.

namespace servosim {

template <class V>
struct InertialParametersOf {
  RealOf<V> mass{};      ///< [kg]
  SymMat3Of<V> inertia;  ///< in the body's frame [kg·m²]
};
using InertialParameters = InertialParametersOf<Vec3>;

/// Velocities before the step, and what was added to the body.
template <class V>
struct BodyForcesOf {
  V velocity;
  V spin;
  V force;
  V torque;
};

/// ODE's implicit gyroscopic torque: L × y with (I − h·[L])·y = L.
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

/// Sets the node's inertia and load.
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

template <class V>
struct MotionLimitsOf {
  RealOf<V> linear_rest{};  ///< of the velocity that damping leaves
  RealOf<V> angular_rest{};
  RealOf<V> max_spin{};  ///< [rad/s]
};
using MotionLimits = MotionLimitsOf<Vec3>;

template <class V>
struct MovedBodyOf {
  QuaternionOf<V> turn;
  V center;
  V velocity;
  V spin;
};
using MovedBody = MovedBodyOf<Vec3>;

template <class V>
inline Mat3Of<V> rotation_of(const QuaternionOf<V>& q) {
  using Real = RealOf<V>;
  const Real xx = 2.0 * q.x * q.x;
  const Real yy = 2.0 * q.y * q.y;
  const Real zz = 2.0 * q.z * q.z;
  return {{1.0 - yy - zz, 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y),
           2.0 * (q.x * q.y + q.w * q.z), 1.0 - xx - zz, 2.0 * (q.y * q.z - q.w * q.x),
           2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - xx - yy}};
}

/// After a turn by h·spin, to first order, as ODE does it.
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

/// dxStepBody() of ODE: limits the spin, moves, turns, and only then damps. `motion`: of the node.
template <class V>
inline MovedBodyOf<V> moved_by_step(const MotionLimitsOf<V>& limits, const QuaternionOf<V>& turn,
                                    const V& center, const SpatialVectorOf<V>& motion, double h) {
  const V velocity = h * motion.linear;
  V spin = h * motion.angular;
  const RealOf<V> square = dot(spin, spin);
  if (const auto fast = square > limits.max_spin * limits.max_spin; any_holds(fast)) {
    const V limited = (limits.max_spin / square_root(square)) * spin;
    spin = {choose(fast, limited.x, spin.x), choose(fast, limited.y, spin.y),
            choose(fast, limited.z, spin.z)};
  }
  return {turned(turn, spin, h), center + h * velocity, limits.linear_rest * velocity,
          limits.angular_rest * spin};
}

}  // namespace servosim
