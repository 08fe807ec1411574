// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices of SERVOSIM_LANES trees side by side, with the functions of spatial.h and
// finite_turn.h. Included before the templates that use it, as lane_scalar.h.
#pragma once

// clang-format off
#include "physics/tree/lane_scalar.h"  // before the templates that use it
// clang-format on
#include <cstdint>

#include "physics/rows/spatial.h"

namespace servosim {

namespace {

// Vec3 with lanes, which has the operations of Vec3 in the same order.
struct LaneVec3 {
  Lanes x{};
  Lanes y{};
  Lanes z{};
};

[[gnu::always_inline]] inline LaneVec3 operator+(const LaneVec3& a, const LaneVec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline LaneVec3 operator-(const LaneVec3& a, const LaneVec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[gnu::always_inline]] inline LaneVec3 operator-(const LaneVec3& a) { return {-a.x, -a.y, -a.z}; }
[[gnu::always_inline]] inline LaneVec3 operator*(const Lanes& s, const LaneVec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline LaneVec3 operator*(double s, const LaneVec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
[[gnu::always_inline]] inline Lanes dot(const LaneVec3& a, const LaneVec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[gnu::always_inline]] inline LaneVec3 cross(const LaneVec3& a, const LaneVec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Mat3 with lanes, row by row.
struct LaneMat3 {
  Lanes m[9]{};
};

[[gnu::always_inline]] inline LaneVec3 operator*(const LaneMat3& a, const LaneVec3& v) {
  const auto& m = a.m;
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
          m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

[[gnu::always_inline]] inline LaneMat3 operator*(const LaneMat3& a, const LaneMat3& b) {
  LaneMat3 product;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      product.m[3 * i + j] =
          a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
    }
  }
  return product;
}

[[gnu::always_inline]] inline LaneMask has_bit(const Lanes& number, std::int64_t bit) {
  return ((LaneMask)number & bit) != 0;
}

}  // namespace

template <>
struct SpatialTraits<LaneVec3> {
  using Real = Lanes;
  using Matrix = LaneMat3;
  using Rotation = LaneMat3;
};

}  // namespace servosim
