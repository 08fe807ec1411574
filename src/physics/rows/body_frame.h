// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics/rows/spatial.h"

namespace servosim {

/// A rotation as four numbers, the real one first, of length one.
template <class V>
struct QuaternionOf {
  RealOf<V> w = RealOf<V>{} + 1.0;
  RealOf<V> x{};
  RealOf<V> y{};
  RealOf<V> z{};
};
using Quaternion = QuaternionOf<Vec3>;

template <class V>
inline QuaternionOf<V> operator*(const QuaternionOf<V>& a, const QuaternionOf<V>& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

template <class V>
inline QuaternionOf<V> conjugated(const QuaternionOf<V>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}

/// Where a body is.
template <class V>
struct BodyFrameOf {
  RotationOf<V> rotation;
  QuaternionOf<V> turn;  ///< the same
  V center;              ///< of mass [m]
};
using BodyFrame = BodyFrameOf<Vec3>;

}  // namespace servosim
