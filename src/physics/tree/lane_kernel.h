// SPDX-License-Identifier: Apache-2.0
// The solver's passes over trees side by side. Included by one source for each set of instructions,
// which defines SERVOSIM_LANES. All names are the source's own: see one_round.h.
#pragma once

// clang-format off
#include "physics/tree/lane_numbers.h"  // before the templates that use it
// clang-format on
#include "physics/tree/one_round.h"

namespace servosim {

namespace {

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

struct LaneMat3 {
  Lanes m[9]{};
};

[[gnu::always_inline]] inline LaneVec3 operator*(const LaneMat3& a, const LaneVec3& v) {
  const auto& m = a.m;
  return {m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
          m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

}  // namespace

template <>
struct SpatialTraits<LaneVec3> {
  using Real = Lanes;
  using Matrix = LaneMat3;
  using Rotation = LaneMat3;
};

namespace {

struct LaneInput {
  using Vector = LaneVec3;
  static constexpr std::size_t kTrees = kLanes;

  // The same number of each lane. `from`: a lane's address of it.
  template <class From>
  [[gnu::always_inline]] static inline Lanes number(From from) {
    if constexpr (kLanes == 2) {
      return Lanes{*from(0), *from(1)};
    } else if constexpr (kLanes == 4) {
      return Lanes{*from(0), *from(1), *from(2), *from(3)};
    } else {
      return Lanes{*from(0), *from(1), *from(2), *from(3), *from(4), *from(5), *from(6), *from(7)};
    }
  }
  template <class From>
  [[gnu::always_inline]] static inline LaneVec3 vector(From from) {
    return {number([&](std::size_t l) { return &from(l)->x; }),
            number([&](std::size_t l) { return &from(l)->y; }),
            number([&](std::size_t l) { return &from(l)->z; })};
  }
  // Of three numbers of ODE.
  template <class From>
  [[gnu::always_inline]] static inline LaneVec3 three(From from) {
    return {number([&](std::size_t l) { return from(l); }),
            number([&](std::size_t l) { return from(l) + 1; }),
            number([&](std::size_t l) { return from(l) + 2; })};
  }
  template <class From>
  [[gnu::always_inline]] static inline LaneMat3 rotation(From from) {
    LaneMat3 rotation;
    for (std::size_t j = 0; j < 9; ++j) {
      rotation.m[j] = number([&](std::size_t l) { return from(l) + j / 3 * 4 + j % 3; });
    }
    return rotation;
  }
  template <class From>
  [[gnu::always_inline]] static inline SymMat3Of<LaneVec3> symmetric(From from) {
    return {number([&](std::size_t l) { return &from(l)->xx; }),
            number([&](std::size_t l) { return &from(l)->xy; }),
            number([&](std::size_t l) { return &from(l)->xz; }),
            number([&](std::size_t l) { return &from(l)->yy; }),
            number([&](std::size_t l) { return &from(l)->yz; }),
            number([&](std::size_t l) { return &from(l)->zz; })};
  }

  [[gnu::always_inline]] static inline LaneVec3 chosen(const LaneMask& condition, const LaneVec3& a,
                                                       const LaneVec3& b) {
    return {choose(condition, a.x, b.x), choose(condition, a.y, b.y), choose(condition, a.z, b.z)};
  }

  [[gnu::always_inline]] static inline void write(const Lanes& lanes, std::size_t l, double& to) {
    to = lanes[l];
  }
  [[gnu::always_inline]] static inline void write(const LaneVec3& lanes, std::size_t l, Vec3& to) {
    to.x = lanes.x[l];
    to.y = lanes.y[l];
    to.z = lanes.z[l];
  }
};

constexpr LaneKernel kThisKernel{kLanes, sizeof(OneRound<LaneInput>::Node),
                                 OneRound<LaneInput>::solve};

}  // namespace

}  // namespace servosim
