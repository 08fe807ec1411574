// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"
#include "servosim/math.h"

// The position of a hinge or slider, and its rate, from the places and motions of its bodies; for
// single joints and lanes of them. Both have the bits of stock ODE 0.16. With a and b the attitudes
// of the first and the second body as ODE counts them, s what a*·b was where the position is 0, and
// n the axis in the world, as the first body has turned it:
//
//     hinge:   (a*·b)·s* = (cos θ/2, sin θ/2·n),            rate = −n·(ω_a − ω_b)
//     slider:  p = sign·n·(x_a − R_b·offset − x_b),         rate = sign·n·(v_a − v_b)
//
// Without a second body b is 1, and its place and motion are 0. Source: dJointGetHingeAngle() and
// dJointGetSliderPosition() of ODE.

namespace servosim {

/// Half the turn between the bodies of a hinge: sine >= 0 and cosine.
template <class V>
struct HalfTurnOf {
  RealOf<V> sine{};
  RealOf<V> cosine{};
};

/// `first`, `second`: turns of the bodies as ODE counts them; `second` is null for the world.
/// `start`: of the second from the first when the angle is 0. `axis`: in the first's frame.
template <class V>
inline HalfTurnOf<V> half_turn(const QuaternionOf<V>& first, const QuaternionOf<V>* second,
                               const QuaternionOf<V>& start, const V& axis) {
  using Real = RealOf<V>;
  const QuaternionOf<V>& a = first;
  const QuaternionOf<V>& s = start;
  Real w{};
  V v{};
  if (second != nullptr) {  // (a*·b)·s*
    const QuaternionOf<V>& b = *second;
    const Real q = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    const V p{a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y,
              a.w * b.y - a.y * b.w - a.z * b.x + a.x * b.z,
              a.w * b.z - a.z * b.w - a.x * b.y + a.y * b.x};
    w = q * s.w + p.x * s.x + p.y * s.y + p.z * s.z;
    v = {-q * s.x + p.x * s.w - p.y * s.z + p.z * s.y, -q * s.y + p.y * s.w - p.z * s.x + p.x * s.z,
         -q * s.z + p.z * s.w - p.x * s.y + p.y * s.x};
  } else {  // a*·s*
    w = a.w * s.w - a.x * s.x - a.y * s.y - a.z * s.z;
    v = {-a.w * s.x - a.x * s.w + a.y * s.z - a.z * s.y,
         -a.w * s.y - a.y * s.w + a.z * s.x - a.x * s.z,
         -a.w * s.z - a.z * s.w + a.x * s.y - a.y * s.x};
  }
  const Real sine = square_root(v.x * v.x + v.y * v.y + v.z * v.z);
  return {sine, choose(v.x * axis.x + v.y * axis.y + v.z * axis.z >= 0.0, w, -w)};
}

/// Where a slider is. Places of the bodies as ODE counts them; `second` is null for the world.
/// `offset`: as ODE has it. `axis`: in the first's frame. `sign`: −1 if the joint is reversed.
template <class V>
inline RealOf<V> slider_position(const BodyFrameOf<V>& first, const BodyFrameOf<V>* second,
                                 const V& offset, const V& axis, const RealOf<V>& sign) {
  const V along = sign * (first.rotation * axis);
  const V from_start = second != nullptr ? first.center - second->rotation * offset - second->center
                                         : first.center - offset;
  return dot(along, from_start);
}

/// The rate of a hinge or slider [rad/s|m/s] from the velocities and spins of its bodies. The
/// arguments are those of slider_position().
template <class V>
inline RealOf<V> coordinate_rate(bool is_hinge, const RotationOf<V>& first, const V& axis,
                                 const RealOf<V>& sign, const SpatialVectorOf<V>& of_first,
                                 const SpatialVectorOf<V>* of_second) {
  const V along = first * axis;
  RealOf<V> rate = dot(along, is_hinge ? of_first.angular : of_first.linear);
  if (of_second != nullptr) {
    rate = rate - dot(along, is_hinge ? of_second->angular : of_second->linear);
  }
  return is_hinge ? -rate : sign * rate;
}

/// What ODE keeps of the moment in which the joint was created. Lanes read them in this order.
struct CoordinateReference {
  Quaternion start;   ///< of a hinge
  Vec3 offset;        ///< of a slider
  Vec3 axis;          ///< in the first body's frame
  double sign = 1.0;  ///< of a slider
};

/// The angle, from −π to π, whose half is `half`, from 0 to π [rad].
template <class Real>
[[gnu::always_inline]] inline Real angle_from(const Real& half) {
  const Real angle = 2.0 * half;
  return choose(angle > std::numbers::pi, angle - 2.0 * std::numbers::pi, angle);
}
inline double angle_of(const HalfTurnOf<Vec3>& half) {
  return angle_from(std::atan2(half.sine, half.cosine));
}

}  // namespace servosim
