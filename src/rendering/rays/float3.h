// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "rendering/rays/floats.h"
#include "servosim/math.h"

namespace servosim::rays {

/// A vector or a colour, or one for each ray of several: `Real` is float or Floats.
template <typename Real>
struct Triple {
  Real x;
  Real y;
  Real z;
};

/// In single precision, which is enough around a sensor.
using Float3 = Triple<float>;
/// One for each of several rays.
using Floats3 = Triple<Floats>;

template <typename Real>
Triple<Real> operator+(const Triple<Real>& a, const Triple<Real>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename Real>
Triple<Real> operator-(const Triple<Real>& a, const Triple<Real>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <typename Real>
Triple<Real> operator-(const Triple<Real>& a) {
  return {-a.x, -a.y, -a.z};
}
template <typename Real>
Triple<Real> operator*(const std::type_identity_t<Real>& s, const Triple<Real>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
/// The product by components.
template <typename Real>
Triple<Real> operator*(const Triple<Real>& a, const Triple<Real>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <typename Real>
Real dot(const Triple<Real>& a, const Triple<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <typename Real>
Triple<Real> cross(const Triple<Real>& a, const Triple<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename Real>
Real norm(const Triple<Real>& a) {
  return square_root(dot(a, a));
}
template <typename Condition, typename Real>
Triple<Real> choose(const Condition& condition, const Triple<Real>& a, const Triple<Real>& b) {
  return {choose(condition, a.x, b.x), choose(condition, a.y, b.y), choose(condition, a.z, b.z)};
}
/// a / |a|, or `fallback` if `a` has no length.
template <typename Real>
Triple<Real> unit_or(const Triple<Real>& a, const std::type_identity_t<Triple<Real>>& fallback) {
  const Real square = dot(a, a);
  return choose(square > 1e-30f, (1.0f / square_root(square)) * a, fallback);
}
template <typename Real>
Triple<Real> mixed(const Triple<Real>& a, const std::type_identity_t<Triple<Real>>& b,
                   const std::type_identity_t<Real>& share) {
  return a + share * (b - a);
}
inline Float3 to_float(const Vec3& a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}
inline float largest(const Float3& a) { return std::max({a.x, a.y, a.z}); }
inline Floats largest(const Floats3& a) { return greater(greater(a.x, a.y), a.z); }

/// The same vector for all rays.
inline Floats3 all(const Float3& a) { return {all(a.x), all(a.y), all(a.z)}; }
/// Writes x, y and z of one ray after the other.
inline void store(const Floats3& a, float* to) {
  const Floats xy = __builtin_shufflevector(a.x, a.y, 0, 4, 1, 5);
  const Floats yz = __builtin_shufflevector(a.y, a.z, 1, 5, 2, 6);
  const Floats zx = __builtin_shufflevector(a.z, a.x, 2, 7, 0, 5);
  const Floats last = __builtin_shufflevector(a.y, a.z, 3, 7, 3, 7);
  store(__builtin_shufflevector(xy, zx, 0, 1, 6, 7), to);
  store(__builtin_shufflevector(yz, a.x, 0, 1, 6, 2), to + kLanes);
  store(__builtin_shufflevector(zx, last, 0, 1, 4, 5), to + 2 * kLanes);
}
/// The vector of one ray.
inline Float3 of_lane(const Floats3& a, int lane) { return {a.x[lane], a.y[lane], a.z[lane]}; }
inline void set_lane(Floats3& a, int lane, const Float3& value) {
  a.x[lane] = value.x;
  a.y[lane] = value.y;
  a.z[lane] = value.z;
}

}  // namespace servosim::rays
