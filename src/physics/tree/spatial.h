// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/math.h"

// Blocks of spatial algebra. A spatial vector is a pair of three numbers, linear part first: of
// motion the velocity of a point and the spin, of force the force and the torque about that point.
// All are in the world's axes.

namespace servosim {

/// A symmetric 3×3 matrix.
struct SymMat3 {
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
};

inline SymMat3 operator+(const SymMat3& a, const SymMat3& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
inline SymMat3 operator-(const SymMat3& a, const SymMat3& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
}
inline SymMat3 operator*(double s, const SymMat3& a) {
  return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
}
inline Vec3 operator*(const SymMat3& a, const Vec3& v) {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}

/// 1 + s·a
inline SymMat3 one_plus(double s, const SymMat3& a) {
  return {1.0 + s * a.xx, s * a.xy, s * a.xz, 1.0 + s * a.yy, s * a.yz, 1.0 + s * a.zz};
}
/// v·vᵀ
inline SymMat3 outer(const Vec3& v) {
  return {v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
}
/// By cofactors: of a matrix that is positive definite.
inline SymMat3 inverse(const SymMat3& a) {
  const double xx = a.yy * a.zz - a.yz * a.yz;
  const double xy = a.xz * a.yz - a.xy * a.zz;
  const double xz = a.xy * a.yz - a.xz * a.yy;
  const double s = 1.0 / (a.xx * xx + a.xy * xy + a.xz * xz);
  return {s * xx,
          s * xy,
          s * xz,
          s * (a.xx * a.zz - a.xz * a.xz),
          s * (a.xy * a.xz - a.xx * a.yz),
          s * (a.xx * a.yy - a.xy * a.xy)};
}

inline Mat3 operator*(const SymMat3& a, const Mat3& b) {
  const auto& m = b.m;
  return {{a.xx * m[0] + a.xy * m[3] + a.xz * m[6], a.xx * m[1] + a.xy * m[4] + a.xz * m[7],
           a.xx * m[2] + a.xy * m[5] + a.xz * m[8], a.xy * m[0] + a.yy * m[3] + a.yz * m[6],
           a.xy * m[1] + a.yy * m[4] + a.yz * m[7], a.xy * m[2] + a.yy * m[5] + a.yz * m[8],
           a.xz * m[0] + a.yz * m[3] + a.zz * m[6], a.xz * m[1] + a.yz * m[4] + a.zz * m[7],
           a.xz * m[2] + a.yz * m[5] + a.zz * m[8]}};
}
inline Mat3 operator*(const Mat3& a, const SymMat3& b) {
  const auto& m = a.m;
  return {{m[0] * b.xx + m[1] * b.xy + m[2] * b.xz, m[0] * b.xy + m[1] * b.yy + m[2] * b.yz,
           m[0] * b.xz + m[1] * b.yz + m[2] * b.zz, m[3] * b.xx + m[4] * b.xy + m[5] * b.xz,
           m[3] * b.xy + m[4] * b.yy + m[5] * b.yz, m[3] * b.xz + m[4] * b.yz + m[5] * b.zz,
           m[6] * b.xx + m[7] * b.xy + m[8] * b.xz, m[6] * b.xy + m[7] * b.yy + m[8] * b.yz,
           m[6] * b.xz + m[7] * b.yz + m[8] * b.zz}};
}
/// aᵀ·v
inline Vec3 transposed_times(const Mat3& a, const Vec3& v) {
  const auto& m = a.m;
  return {m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
          m[2] * v.x + m[5] * v.y + m[8] * v.z};
}
/// a·b where the product is symmetric.
inline SymMat3 symmetric_product(const SymMat3& a, const SymMat3& b) {
  return {a.xx * b.xx + a.xy * b.xy + a.xz * b.xz, a.xx * b.xy + a.xy * b.yy + a.xz * b.yz,
          a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.xy * b.xy + a.yy * b.yy + a.yz * b.yz,
          a.xy * b.xz + a.yy * b.yz + a.yz * b.zz, a.xz * b.xz + a.yz * b.yz + a.zz * b.zz};
}
/// aᵀ·b where the product is symmetric.
inline SymMat3 symmetric_product_of_transposed(const Mat3& a, const Mat3& b) {
  const auto element = [&](int i, int j) {
    return a.m[i] * b.m[j] + a.m[3 + i] * b.m[3 + j] + a.m[6 + i] * b.m[6 + j];
  };
  return {element(0, 0), element(0, 1), element(0, 2), element(1, 1), element(1, 2), element(2, 2)};
}
/// a·bᵀ where the product is symmetric.
inline SymMat3 symmetric_product_with_transposed(const Mat3& a, const Mat3& b) {
  const auto element = [&](int i, int j) {
    return a.m[3 * i] * b.m[3 * j] + a.m[3 * i + 1] * b.m[3 * j + 1] +
           a.m[3 * i + 2] * b.m[3 * j + 2];
  };
  return {element(0, 0), element(0, 1), element(0, 2), element(1, 1), element(1, 2), element(2, 2)};
}
/// r·a·rᵀ
inline SymMat3 rotated(const Mat3& r, const SymMat3& a) {
  return symmetric_product_with_transposed(r * a, r);
}

struct SpatialVector {
  Vec3 linear;
  Vec3 angular;
};

inline SpatialVector operator+(const SpatialVector& a, const SpatialVector& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
inline SpatialVector operator-(const SpatialVector& a, const SpatialVector& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}
inline SpatialVector operator*(double s, const SpatialVector& a) {
  return {s * a.linear, s * a.angular};
}
/// The work of a force along a motion.
inline double dot(const SpatialVector& a, const SpatialVector& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

/// The motion of the point at `arm` from the one to which `motion` belongs.
inline SpatialVector motion_at(const SpatialVector& motion, const Vec3& arm) {
  return {motion.linear + cross(motion.angular, arm), motion.angular};
}
/// The force that, acting at `arm` from a point, is this one about the point.
inline SpatialVector force_from(const SpatialVector& force, const Vec3& arm) {
  return {force.linear, force.angular + cross(arm, force.linear)};
}

/// A symmetric matrix of spatial vectors, motions to forces: [a b; bᵀ d].
struct SpatialMatrix {
  SymMat3 a;
  Mat3 b;
  SymMat3 d;
};

[[gnu::always_inline]] inline SpatialVector operator*(const SpatialMatrix& m,
                                                      const SpatialVector& v) {
  return {m.a * v.linear + m.b * v.angular, transposed_times(m.b, v.linear) + m.d * v.angular};
}

inline void add(SpatialMatrix& to, const SpatialMatrix& m) {
  to.a = to.a + m.a;
  for (int i = 0; i < 9; ++i) {
    to.b.m[i] += m.b.m[i];
  }
  to.d = to.d + m.d;
}

/// m − s·v·vᵀ
inline SpatialMatrix minus_outer(const SpatialMatrix& m, double s, const SpatialVector& v) {
  const Vec3 l = s * v.linear;
  const Vec3& w = v.angular;
  const auto& b = m.b.m;
  return {
      m.a - s * outer(v.linear),
      {{b[0] - l.x * w.x, b[1] - l.x * w.y, b[2] - l.x * w.z, b[3] - l.y * w.x, b[4] - l.y * w.y,
        b[5] - l.y * w.z, b[6] - l.z * w.x, b[7] - l.z * w.y, b[8] - l.z * w.z}},
      m.d - s * outer(v.angular)};
}

/// The matrix m of the point at `arm` from another, seen from that other point.
inline SpatialMatrix seen_from(const SpatialMatrix& m, const Vec3& arm) {
  const Vec3 rows[3] = {cross({m.a.xx, m.a.xy, m.a.xz}, arm), cross({m.a.xy, m.a.yy, m.a.yz}, arm),
                        cross({m.a.xz, m.a.yz, m.a.zz}, arm)};  // of a·[arm]
  SpatialMatrix out;
  out.a = m.a;
  for (int i = 0; i < 3; ++i) {
    out.b.m[3 * i] = m.b.m[3 * i] - rows[i].x;
    out.b.m[3 * i + 1] = m.b.m[3 * i + 1] - rows[i].y;
    out.b.m[3 * i + 2] = m.b.m[3 * i + 2] - rows[i].z;
  }
  // [arm]·b
  const auto crossed = [&arm](const Mat3& b) {
    Mat3 c;
    for (int j = 0; j < 3; ++j) {
      const double x = b.m[j];
      const double y = b.m[3 + j];
      const double z = b.m[6 + j];
      c.m[j] = arm.y * z - arm.z * y;
      c.m[3 + j] = arm.z * x - arm.x * z;
      c.m[6 + j] = arm.x * y - arm.y * x;
    }
    return c;
  };
  const Mat3 x = crossed(out.b);
  const Mat3 y = crossed(m.b);
  out.d = {m.d.xx + x.m[0] + y.m[0], m.d.xy + x.m[1] + y.m[3], m.d.xz + x.m[2] + y.m[6],
           m.d.yy + x.m[4] + y.m[4], m.d.yz + x.m[5] + y.m[7], m.d.zz + x.m[8] + y.m[8]};
  return out;
}

}  // namespace servosim
