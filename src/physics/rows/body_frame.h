// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/spatial.h"

namespace servosim {

/// Holds a rotation by the angle θ about the unit vector n as a unit quaternion:
///
///     q = (cos θ/2, sin θ/2·n),    a vector v becomes the vector part of q·(0, v)·q*
///
/// The real part comes first, as in ODE. The rotation b followed by the rotation a is the product
/// a·b.
template <class V>
struct QuaternionOf {
  RealOf<V> w = RealOf<V>{} + 1.0;  ///< cos θ/2
  RealOf<V> x{};
  RealOf<V> y{};
  RealOf<V> z{};
};
using Quaternion = QuaternionOf<Vec3>;

/// Returns Hamilton's product a·b.
template <class V>
inline QuaternionOf<V> operator*(const QuaternionOf<V>& a, const QuaternionOf<V>& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// Returns q*, the opposite rotation of a unit quaternion.
template <class V>
inline QuaternionOf<V> conjugated(const QuaternionOf<V>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}

/// Returns the rotation matrix of a unit quaternion.
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

/// Holds the pose of a body in the world. `rotation` and `turn` are the same rotation, from the
/// body's axes to the world's.
template <class V>
struct BodyFrameOf {
  RotationOf<V> rotation;
  QuaternionOf<V> turn;  ///< the rotation as a quaternion
  V center;              ///< centre of mass in the world [m]
};
using BodyFrame = BodyFrameOf<Vec3>;

/// Holds the pose of a body in the world and how it moves, in the world's axes.
template <class V>
struct MovedBodyOf {
  QuaternionOf<V> turn;  ///< as in BodyFrameOf
  V center;              ///< centre of mass [m]
  V velocity;            ///< of the centre of mass [m/s]
  V spin;                ///< [rad/s]
};
using MovedBody = MovedBodyOf<Vec3>;

}  // namespace servosim
