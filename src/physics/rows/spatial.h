// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "servosim/math.h"

// These are the blocks of spatial algebra. A spatial vector is a pair of vectors in the world's
// axes, the linear part first. A motion t = (v, ω) is the velocity of a point and the angular
// velocity. A force w = (f, τ) is the force and the torque about that point. Their product v·f +
// ω·τ is a power.
//
// A matrix M from motions to forces is symmetric: w = M·t with 3×3 blocks
//
//     M = [ A  B ; Bᵀ  D ]
//
// With r, the arm from point O to point P, motion and force move from one point to the other by
//
//     v_P = v_O + ω × r,    τ_O = τ_P + r × f
//
// Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2; there the angular part
// comes first.
//
// All functions are for single numbers, with V = Vec3, and for lanes (lane_scalar.h): V is the type
// of a vector of three numbers.

namespace servosim {

/// Names the types that belong to V: its numbers, a 3×3 matrix, and a rotation.
template <class V>
struct SpatialTraits;

template <>
struct SpatialTraits<Vec3> {
  using Real = double;
  using Matrix = Mat3;
  using Rotation = Mat3;
};

template <class V>
using RealOf = typename SpatialTraits<V>::Real;
/// The result of a comparison: a bool, or one bool for each lane.
template <class V>
using ConditionOf = decltype(RealOf<V>{} < RealOf<V>{});
template <class V>
using Mat3Of = typename SpatialTraits<V>::Matrix;
template <class V>
using RotationOf = typename SpatialTraits<V>::Rotation;

// Those of single numbers are always inlined: the linker must not take one that was compiled for
// more instructions than the processor may have.

/// Returns `a` where the condition holds, else `b`. In lanes it chooses for each lane.
[[gnu::always_inline]] inline double choose(bool condition, double a, double b) {
  return condition ? a : b;
}
/// These return whether a condition holds in all lanes, or in any lane. A single number is one
/// lane.
[[gnu::always_inline]] inline bool all_hold(bool condition) { return condition; }
[[gnu::always_inline]] inline bool any_holds(bool condition) { return condition; }
/// Returns where a condition does not hold.
[[gnu::always_inline]] inline bool opposite(bool condition) { return !condition; }
[[gnu::always_inline]] inline double square_root(double x) { return std::sqrt(x); }
[[gnu::always_inline]] inline double absolute(double x) { return __builtin_fabs(x); }
[[gnu::always_inline]] inline double lesser(double a, double b) { return b < a ? b : a; }
/// Reads both numbers at an index of a table.
[[gnu::always_inline]] inline void read_entries(const double (*table)[2], double index,
                                                double& first, double& second) {
  const double* const entry = table[static_cast<std::size_t>(index)];
  first = entry[0];
  second = entry[1];
}

/// A symmetric 3×3 matrix, of which it stores the upper half.
template <class V>
struct SymMat3Of {
  RealOf<V> xx{}, xy{}, xz{}, yy{}, yz{}, zz{};
};
using SymMat3 = SymMat3Of<Vec3>;

template <class V>
inline SymMat3Of<V> operator+(const SymMat3Of<V>& a, const SymMat3Of<V>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class V>
inline SymMat3Of<V> operator-(const SymMat3Of<V>& a, const SymMat3Of<V>& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
}
template <class V>
inline SymMat3Of<V> operator*(const RealOf<V>& s, const SymMat3Of<V>& a) {
  return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
}
template <class V>
inline V operator*(const SymMat3Of<V>& a, const V& v) {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}

/// Returns 1 + s·a.
template <class V>
inline SymMat3Of<V> one_plus(const RealOf<V>& s, const SymMat3Of<V>& a) {
  return {1.0 + s * a.xx, s * a.xy, s * a.xz, 1.0 + s * a.yy, s * a.yz, 1.0 + s * a.zz};
}
/// Returns v·vᵀ.
template <class V>
inline SymMat3Of<V> outer(const V& v) {
  return {v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
}
/// Returns a⁻¹ by cofactors. The matrix must be positive definite, so the determinant is not 0.
template <class V>
inline SymMat3Of<V> inverse(const SymMat3Of<V>& a) {
  const RealOf<V> xx = a.yy * a.zz - a.yz * a.yz;
  const RealOf<V> xy = a.xz * a.yz - a.xy * a.zz;
  const RealOf<V> xz = a.xy * a.yz - a.xz * a.yy;
  const RealOf<V> s = 1.0 / (a.xx * xx + a.xy * xy + a.xz * xz);
  return {s * xx,
          s * xy,
          s * xz,
          s * (a.xx * a.zz - a.xz * a.xz),
          s * (a.xy * a.xz - a.xx * a.yz),
          s * (a.xx * a.yy - a.xy * a.xy)};
}

template <class V>
inline Mat3Of<V> operator*(const SymMat3Of<V>& a, const Mat3Of<V>& b) {
  const auto& m = b.m;
  return {{a.xx * m[0] + a.xy * m[3] + a.xz * m[6], a.xx * m[1] + a.xy * m[4] + a.xz * m[7],
           a.xx * m[2] + a.xy * m[5] + a.xz * m[8], a.xy * m[0] + a.yy * m[3] + a.yz * m[6],
           a.xy * m[1] + a.yy * m[4] + a.yz * m[7], a.xy * m[2] + a.yy * m[5] + a.yz * m[8],
           a.xz * m[0] + a.yz * m[3] + a.zz * m[6], a.xz * m[1] + a.yz * m[4] + a.zz * m[7],
           a.xz * m[2] + a.yz * m[5] + a.zz * m[8]}};
}
template <class V>
inline Mat3Of<V> operator*(const Mat3Of<V>& a, const SymMat3Of<V>& b) {
  const auto& m = a.m;
  return {{m[0] * b.xx + m[1] * b.xy + m[2] * b.xz, m[0] * b.xy + m[1] * b.yy + m[2] * b.yz,
           m[0] * b.xz + m[1] * b.yz + m[2] * b.zz, m[3] * b.xx + m[4] * b.xy + m[5] * b.xz,
           m[3] * b.xy + m[4] * b.yy + m[5] * b.yz, m[3] * b.xz + m[4] * b.yz + m[5] * b.zz,
           m[6] * b.xx + m[7] * b.xy + m[8] * b.xz, m[6] * b.xy + m[7] * b.yy + m[8] * b.yz,
           m[6] * b.xz + m[7] * b.yz + m[8] * b.zz}};
}
/// Returns aᵀ·v.
template <class V>
inline V transposed_times(const Mat3Of<V>& a, const V& v) {
  const auto& m = a.m;
  return {m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
          m[2] * v.x + m[5] * v.y + m[8] * v.z};
}
/// Returns a·b where the product is symmetric.
template <class V>
inline SymMat3Of<V> symmetric_product(const SymMat3Of<V>& a, const SymMat3Of<V>& b) {
  return {a.xx * b.xx + a.xy * b.xy + a.xz * b.xz, a.xx * b.xy + a.xy * b.yy + a.xz * b.yz,
          a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.xy * b.xy + a.yy * b.yy + a.yz * b.yz,
          a.xy * b.xz + a.yy * b.yz + a.yz * b.zz, a.xz * b.xz + a.yz * b.yz + a.zz * b.zz};
}
/// Returns aᵀ·b where the product is symmetric.
template <class V = Vec3>
inline SymMat3Of<V> symmetric_product_of_transposed(const Mat3Of<V>& a, const Mat3Of<V>& b) {
  const auto element = [&](int i, int j) {
    return a.m[i] * b.m[j] + a.m[3 + i] * b.m[3 + j] + a.m[6 + i] * b.m[6 + j];
  };
  return {element(0, 0), element(0, 1), element(0, 2), element(1, 1), element(1, 2), element(2, 2)};
}
/// Returns a·bᵀ where the product is symmetric.
template <class V = Vec3>
inline SymMat3Of<V> symmetric_product_with_transposed(const Mat3Of<V>& a, const Mat3Of<V>& b) {
  const auto element = [&](int i, int j) {
    return a.m[3 * i] * b.m[3 * j] + a.m[3 * i + 1] * b.m[3 * j + 1] +
           a.m[3 * i + 2] * b.m[3 * j + 2];
  };
  return {element(0, 0), element(0, 1), element(0, 2), element(1, 1), element(1, 2), element(2, 2)};
}
/// Returns r·a·rᵀ: a tensor of a body in the world's axes, with the rotation r of the body.
template <class V>
inline SymMat3Of<V> rotated(const RotationOf<V>& r, const SymMat3Of<V>& a) {
  return symmetric_product_with_transposed<V>(r * a, r);
}

/// Holds a motion or a force; the head of this file defines both.
template <class V>
struct SpatialVectorOf {
  V linear;
  V angular;
};
using SpatialVector = SpatialVectorOf<Vec3>;

template <class V>
inline SpatialVectorOf<V> operator+(const SpatialVectorOf<V>& a, const SpatialVectorOf<V>& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
template <class V>
inline SpatialVectorOf<V> operator-(const SpatialVectorOf<V>& a, const SpatialVectorOf<V>& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}
template <class V>
inline SpatialVectorOf<V> operator*(const RealOf<V>& s, const SpatialVectorOf<V>& a) {
  return {s * a.linear, s * a.angular};
}
/// Returns the power of a force along a motion.
template <class V>
inline RealOf<V> dot(const SpatialVectorOf<V>& a, const SpatialVectorOf<V>& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

/// Returns the motion of the point at `arm` from the point to which `motion` belongs: (v + ω × arm,
/// ω).
template <class V>
inline SpatialVectorOf<V> motion_at(const SpatialVectorOf<V>& motion, const V& arm) {
  return {motion.linear + cross(motion.angular, arm), motion.angular};
}
/// Returns, about a point O, the force that acts at `arm` from O: (f, τ + arm × f).
template <class V>
inline SpatialVectorOf<V> force_from(const SpatialVectorOf<V>& force, const V& arm) {
  return {force.linear, force.angular + cross(arm, force.linear)};
}

/// Holds a symmetric matrix [a b; bᵀ d] from motions to forces.
template <class V>
struct SpatialMatrixOf {
  SymMat3Of<V> a;
  Mat3Of<V> b;
  SymMat3Of<V> d;
};
using SpatialMatrix = SpatialMatrixOf<Vec3>;

/// Returns m·v.
template <class V>
[[gnu::always_inline]] inline SpatialVectorOf<V> operator*(const SpatialMatrixOf<V>& m,
                                                           const SpatialVectorOf<V>& v) {
  return {m.a * v.linear + m.b * v.angular, transposed_times(m.b, v.linear) + m.d * v.angular};
}

/// Returns `a` in the lanes where the condition holds, else `b`.
template <class V, class Condition>
inline SpatialMatrixOf<V> choose(const Condition& condition, const SpatialMatrixOf<V>& a,
                                 const SpatialMatrixOf<V>& b) {
  const auto symmetric = [&condition](const SymMat3Of<V>& p, const SymMat3Of<V>& q) {
    return SymMat3Of<V>{choose(condition, p.xx, q.xx), choose(condition, p.xy, q.xy),
                        choose(condition, p.xz, q.xz), choose(condition, p.yy, q.yy),
                        choose(condition, p.yz, q.yz), choose(condition, p.zz, q.zz)};
  };
  SpatialMatrixOf<V> m{symmetric(a.a, b.a), a.b, symmetric(a.d, b.d)};
  for (int i = 0; i < 9; ++i) {
    m.b.m[i] = choose(condition, a.b.m[i], b.b.m[i]);
  }
  return m;
}

/// Adds a matrix in place. Kernels that keep matrices in registers have functions of the same names
/// (wide_vector.h).
template <class V>
inline void add(SpatialMatrixOf<V>& to, const SpatialMatrixOf<V>& m) {
  to.a = to.a + m.a;
  for (int i = 0; i < 9; ++i) {
    to.b.m[i] += m.b.m[i];
  }
  to.d = to.d + m.d;
}

template <class V>
inline void copy(const SpatialMatrixOf<V>& from, SpatialMatrixOf<V>& to) {
  to = from;
}

/// Returns m − s·v·vᵀ.
template <class V>
inline SpatialMatrixOf<V> minus_outer(const SpatialMatrixOf<V>& m, const RealOf<V>& s,
                                      const SpatialVectorOf<V>& v) {
  const V l = s * v.linear;
  const V& w = v.angular;
  const auto& b = m.b.m;
  return {
      m.a - s * outer(v.linear),
      {{b[0] - l.x * w.x, b[1] - l.x * w.y, b[2] - l.x * w.z, b[3] - l.y * w.x, b[4] - l.y * w.y,
        b[5] - l.y * w.z, b[6] - l.z * w.x, b[7] - l.z * w.y, b[8] - l.z * w.z}},
      m.d - s * outer(v.angular)};
}

/// Replaces m by m − s·v·vᵀ.
template <class V>
inline void subtract_outer(SpatialMatrixOf<V>& m, const RealOf<V>& s, const SpatialVectorOf<V>& v) {
  m = minus_outer(m, s, v);
}

/// Moves a matrix to another point. m is the matrix at the point P = O + arm; the result is that at
/// O:
///
///     A_O = A,    B_O = B − A·[arm],    D_O = D + [arm]·B_O + ([arm]·B)ᵀ
///
/// where [arm]·x = arm × x.
template <class V>
inline SpatialMatrixOf<V> seen_from(const SpatialMatrixOf<V>& m, const V& arm) {
  using Real = RealOf<V>;
  const V rows[3] = {cross(V{m.a.xx, m.a.xy, m.a.xz}, arm), cross(V{m.a.xy, m.a.yy, m.a.yz}, arm),
                     cross(V{m.a.xz, m.a.yz, m.a.zz}, arm)};  // of a·[arm]
  SpatialMatrixOf<V> out;
  out.a = m.a;
  for (int i = 0; i < 3; ++i) {
    out.b.m[3 * i] = m.b.m[3 * i] - rows[i].x;
    out.b.m[3 * i + 1] = m.b.m[3 * i + 1] - rows[i].y;
    out.b.m[3 * i + 2] = m.b.m[3 * i + 2] - rows[i].z;
  }
  // [arm]·b
  const auto crossed = [&arm](const Mat3Of<V>& b) {
    Mat3Of<V> c;
    for (int j = 0; j < 3; ++j) {
      const Real x = b.m[j];
      const Real y = b.m[3 + j];
      const Real z = b.m[6 + j];
      c.m[j] = arm.y * z - arm.z * y;
      c.m[3 + j] = arm.z * x - arm.x * z;
      c.m[6 + j] = arm.x * y - arm.y * x;
    }
    return c;
  };
  const Mat3Of<V> x = crossed(out.b);
  const Mat3Of<V> y = crossed(m.b);
  out.d = {m.d.xx + x.m[0] + y.m[0], m.d.xy + x.m[1] + y.m[3], m.d.xz + x.m[2] + y.m[6],
           m.d.yy + x.m[4] + y.m[4], m.d.yz + x.m[5] + y.m[7], m.d.zz + x.m[8] + y.m[8]};
  return out;
}

}  // namespace servosim
