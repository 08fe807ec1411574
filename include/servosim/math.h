// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace servosim {

/// A vector of three numbers. What uses it tells the unit and the frame; coordinates are in metres.
///
/// Threads: a plain value.
struct Vec3 {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;

  friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
/// Scales each component by `s`.
inline Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// The length. It overflows to infinity for components beyond 1e154; unit_or() does not.
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
/// a / |a|, or `fallback` when `a` is the null vector or not finite. Components of any size are
/// allowed.
inline Vec3 unit_or(const Vec3& a, const Vec3& fallback) {
  const double length = norm(a);
  if (length > 1e-150 && length < 1e150) {
    return (1.0 / length) * a;
  }
  // The squares may have vanished or overflowed: scale by the largest component first.
  const double largest = std::fmax(std::fabs(a.x), std::fmax(std::fabs(a.y), std::fabs(a.z)));
  const Vec3 b{a.x / largest, a.y / largest, a.z / largest};
  return std::isfinite(norm(b)) && norm(b) > 0.5 ? (1.0 / norm(b)) * b : fallback;
}
/// The product by components.
inline Vec3 scaled(const Vec3& a, const Vec3& s) { return {a.x * s.x, a.y * s.y, a.z * s.z}; }
/// Whether no component is infinite or NaN.
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// The angle ≡ `angle` (mod 2π) that lies within π of `reference` [rad].
inline double wrap_near(double angle, double reference) {
  const double gap = angle - reference;
  if (std::abs(gap) <= std::numbers::pi) {
    return angle;
  }
  return angle - 2.0 * std::numbers::pi * std::round(gap / (2.0 * std::numbers::pi));
}

/// A 3×3 matrix, stored row by row; the identity at first. As a rotation it takes vectors from a
/// frame to the one around it: v_outer = R·v_inner.
///
/// Threads: a plain value.
struct Mat3 {
  std::array<double, 9> m{1, 0, 0, 0, 1, 0, 0, 0, 1};

  /// Row and column count from 0 to 2 and are not checked.
  double operator()(int row, int column) const { return m[3 * row + column]; }
  double& operator()(int row, int column) { return m[3 * row + column]; }

  friend bool operator==(const Mat3&, const Mat3&) = default;
};

inline Vec3 operator*(const Mat3& a, const Vec3& v) {
  return {a(0, 0) * v.x + a(0, 1) * v.y + a(0, 2) * v.z,
          a(1, 0) * v.x + a(1, 1) * v.y + a(1, 2) * v.z,
          a(2, 0) * v.x + a(2, 1) * v.y + a(2, 2) * v.z};
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
  Mat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      c(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
    }
  return c;
}
/// The transpose, which is the inverse of a rotation.
inline Mat3 transposed(const Mat3& a) {
  return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}

/// An SFRotation: a right-handed turn by `angle` [rad] about `axis`. The axis need not have length
/// one; a null axis means no turn.
///
/// Threads: a plain value.
struct AxisAngle {
  Vec3 axis{0.0, 0.0, 1.0};
  double angle = 0.0;

  friend bool operator==(const AxisAngle&, const AxisAngle&) = default;
};

/// The rotation matrix of an axis and an angle, by Rodrigues' formula.
Mat3 rotation_matrix(const AxisAngle& rotation);
/// The axis, of length one, and the angle, in [0, π], of a rotation matrix.
AxisAngle axis_angle(const Mat3& rotation);

/// The pose of a frame in the one around it. It takes a point p of the frame to rotation·p +
/// translation of the outer frame.
///
/// Threads: a plain value.
struct Pose {
  Mat3 rotation;
  Vec3 translation;

  friend bool operator==(const Pose&, const Pose&) = default;
};

/// The point p of the frame, in the outer frame.
inline Vec3 operator*(const Pose& a, const Vec3& p) { return a.rotation * p + a.translation; }
/// The pose of the frame b, which is given in the frame a, in the frame around a.
inline Pose operator*(const Pose& a, const Pose& b) {
  return {a.rotation * b.rotation, a.rotation * b.translation + a.translation};
}
/// The pose of the outer frame in this one. The rotation must be orthogonal.
inline Pose inverse(const Pose& a) {
  const Mat3 r = transposed(a.rotation);
  return {r, -(r * a.translation)};
}

/// The motion that turns everything by `angle` [rad], right-handed, about the line through `anchor`
/// along `axis`.
Pose turn_about(const Vec3& anchor, const Vec3& axis, double angle);

}  // namespace servosim
