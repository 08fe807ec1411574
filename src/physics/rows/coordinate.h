// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"
#include "servosim/math.h"

// The position of a hinge or slider, and its rate, follow from the poses and motions of its bodies.
// The functions are for single joints and for lanes, and give the bits of stock ODE 0.16. a and b
// are the orientations of the first and the second body, in ODE's order. s is the value of a*·b at
// position 0, and n is the axis in the world, which turns with the first body:
//
//     hinge:   (a*·b)·s* = (cos θ/2, sin θ/2·n),            rate = −n·(ω_a − ω_b)
//     slider:  p = sign·n·(x_a − R_b·offset − x_b),         rate = sign·n·(v_a − v_b)
//
// Without a second body b is 1, and the pose and motion of b are 0. x and v are of the centres of
// mass. θ is positive where the second body turns about +n against the first. OdeJoint says how n
// relates to the axis of the scene. Source: dJointGetHingeAngle() and dJointGetSliderPosition() of
// ODE.

namespace servosim {

/// Holds sine and cosine of half the angle θ of a hinge. The sine is never negative.
template <class V>
struct HalfTurnOf {
  RealOf<V> sine{};
  RealOf<V> cosine{};
};

/// Returns half the angle of a hinge. `first` and `second` are the orientations of the bodies in
/// ODE's order; `second` is null for the world. `start` is s, and `axis` is n in the first body's
/// frame. A quaternion and its negative are the same rotation: the one whose vector part points
/// along `axis` counts.
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

/// Returns the position of a slider [m]. `first` and `second` are the poses of the bodies in ODE's
/// order; `second` is null for the world. `offset` is ODE's, in the second body's frame. `axis` is
/// n in the first body's frame. `sign` is −1 if the joint is reversed, else 1.
template <class V>
inline RealOf<V> slider_position(const BodyFrameOf<V>& first, const BodyFrameOf<V>* second,
                                 const V& offset, const V& axis, const RealOf<V>& sign) {
  const V along = sign * (first.rotation * axis);
  const V from_start = second != nullptr ? first.center - second->rotation * offset - second->center
                                         : first.center - offset;
  return dot(along, from_start);
}

/// Returns the rate of a hinge or slider [rad/s|m/s] from the spins of its bodies, or for a slider
/// from the velocities of their centres of mass. The other arguments are those of
/// slider_position().
template <class V>
inline RealOf<V> coordinate_rate(bool is_hinge, const RotationOf<V>& first, const V& axis,
                                 const RealOf<V>& sign, const V& of_first, const V* of_second) {
  const V along = first * axis;
  RealOf<V> rate = dot(along, of_first);
  if (of_second != nullptr) {
    rate = rate - dot(along, *of_second);
  }
  return is_hinge ? -rate : sign * rate;
}

/// Holds what ODE stores when the joint is created. Lanes read the members in this order.
struct CoordinateReference {
  Quaternion start;   ///< s, of a hinge
  Vec3 offset;        ///< of a slider, in the second body's frame [m]
  Vec3 axis;          ///< n in the first body's frame
  double sign = 1.0;  ///< of a slider, −1 if the joint is reversed
};

/// Returns the angle in (−π, π] [rad] whose half is `half`, in [0, π]. An angle beyond π is the
/// same rotation as that angle − 2π.
template <class Real>
[[gnu::always_inline]] inline Real angle_from(const Real& half) {
  const Real angle = 2.0 * half;
  return choose(angle > std::numbers::pi, angle - 2.0 * std::numbers::pi, angle);
}
/// Returns the angle of a hinge in (−π, π] [rad].
inline double angle_of(const HalfTurnOf<Vec3>& half) {
  return angle_from(std::atan2(half.sine, half.cosine));
}

}  // namespace servosim
