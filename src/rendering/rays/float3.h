// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "servosim/math.h"

namespace servosim::rays {

/// A vector or a colour in single precision, which is enough around a sensor.
struct Float3 {
  float x = 0.0f;
  float y = 0.0f;
  float z = 0.0f;
};

inline Float3 operator+(const Float3& a, const Float3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Float3 operator-(const Float3& a, const Float3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Float3 operator-(const Float3& a) { return {-a.x, -a.y, -a.z}; }
inline Float3 operator*(float s, const Float3& a) { return {s * a.x, s * a.y, s * a.z}; }
/// The product by components.
inline Float3 operator*(const Float3& a, const Float3& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline float dot(const Float3& a, const Float3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Float3 cross(const Float3& a, const Float3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float norm(const Float3& a) { return std::sqrt(dot(a, a)); }
/// a / |a|, or `fallback` if `a` has no length.
inline Float3 unit_or(const Float3& a, const Float3& fallback) {
  const float square = dot(a, a);
  return square > 1e-30f ? (1.0f / std::sqrt(square)) * a : fallback;
}
inline Float3 mixed(const Float3& a, const Float3& b, float share) { return a + share * (b - a); }
inline float largest(const Float3& a) { return std::max({a.x, a.y, a.z}); }
inline Float3 to_float(const Vec3& a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}

}  // namespace servosim::rays
