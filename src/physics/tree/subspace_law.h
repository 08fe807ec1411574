// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "physics/rows/spatial.h"
#include "physics/tree/motion_subspace.h"
#include "physics/tree/tree_node.h"

// How a joint with free directions E yields. With n = N₀·E and α = Eᵀ·n, and V, the span of the
// directions with rows inside their bounds, U, the rest of E, γ, the compliance of the rows in V
// less that of the joint:
//
//     F = U·(Uᵀ·α·U)⁻¹·Uᵀ    L = V − F·α·V    W = Lᵀ·α·L    H = (1 + γ·W)⁻¹
//     η = F + L·H·γ·Lᵀ       κ = F·φ + L·H·(e + γ·Lᵀ·φ)
//     z = Eᵀ·(N₀·(t_p + d) − x)    σ = κ − η·z    w = N₀·(t_p + d) − x + n·σ
//     what the parent gets:        N₀ − n·η·nᵀ
//     force of the rows along V:   Hᵀ·(Lᵀ·(z − φ) + W·e)
//
// φ is the force of rows at a bound, and e is the target in V plus c·Vᵀ·φ. Only α in directions
// without rows is inverted: a stiff contact on the child makes α large in some directions, and the
// inverse would lose as many digits. Forces act on the child; σ is its motion against the parent
// along +E. Source: docs/explanation/solver.md, "More than one free direction".
//
// V is also the name of the type of vectors, as in spatial.h. The functions for Vec3 alone have
// counterparts in wide_subspace.h, for three numbers in a register.

namespace servosim {

/// These read and make parts of vectors and matrices.
inline double number(const Vec3& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
inline void set_last(Vec3& v, double to) { v.z = to; }
inline Mat3 with_columns(const Vec3& x, const Vec3& y, const Vec3& z) {
  return {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}
inline Vec3 column(const Mat3& a, int i) { return {a.m[i], a.m[3 + i], a.m[6 + i]}; }
inline Vec3 row(const SymMat3& a, int i) {
  return i == 0 ? Vec3{a.xx, a.xy, a.xz} : i == 1 ? Vec3{a.xy, a.yy, a.yz} : Vec3{a.xz, a.yz, a.zz};
}
/// Returns the symmetric matrix with these rows. Elements below the diagonal are not read.
inline SymMat3 with_rows(const Vec3& x, const Vec3& y, const Vec3& z) {
  return {x.x, x.y, x.z, y.y, y.z, z.z};
}
/// Returns the symmetric matrix with the upper part of m, which is symmetric but for rounding.
inline SymMat3 upper_part(const Mat3& m) {
  return {m.m[0], m.m[1], m.m[2], m.m[4], m.m[5], m.m[8]};
}
/// Returns 1 + a.
inline Mat3 one_plus(const Mat3& a) {
  Mat3 m = a;
  m.m[0] += 1.0;
  m.m[4] += 1.0;
  m.m[8] += 1.0;
  return m;
}
/// Returns a·b, which is not symmetric.
inline Mat3 product(const SymMat3& a, const SymMat3& b) {
  return a * Mat3{{b.xx, b.xy, b.xz, b.xy, b.yy, b.yz, b.xz, b.yz, b.zz}};
}
/// Returns a⁻¹ by Cramer's rule: the columns of the inverse are cross products of rows.
inline Mat3 inverse(const Mat3& a) {
  const Vec3 rows[3] = {
      {a.m[0], a.m[1], a.m[2]}, {a.m[3], a.m[4], a.m[5]}, {a.m[6], a.m[7], a.m[8]}};
  const Vec3 c0 = cross(rows[1], rows[2]);
  const double s = 1.0 / dot(rows[0], c0);
  return with_columns(s * c0, s * cross(rows[2], rows[0]), s * cross(rows[0], rows[1]));
}
/// Returns r·s·rᵀ for the matrix with these rows. in_columns() takes r as a matrix.
inline SymMat3 in_basis(const Vec3 (&r)[3], const SymMat3& s) {
  const Vec3 x = s * r[0];
  const Vec3 y = s * r[1];
  const Vec3 z = s * r[2];
  return {dot(r[0], x), dot(r[0], y), dot(r[0], z), dot(r[1], y), dot(r[1], z), dot(r[2], z)};
}
inline SymMat3 in_columns(const Mat3& r, const SymMat3& s) { return rotated<Vec3>(r, s); }
/// Returns a·bᵀ + c·dᵀ where the sum is symmetric.
inline SymMat3 outer_sum(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return {a.x * b.x + c.x * d.x, a.x * b.y + c.x * d.y, a.x * b.z + c.x * d.z,
          a.y * b.y + c.y * d.y, a.y * b.z + c.y * d.z, a.z * b.z + c.z * d.z};
}
/// Subtracts v·wᵀ, as a part of a sum that is symmetric in the end. Only the upper half counts.
inline void subtract_outer(SymMat3& s, const Vec3& v, const Vec3& w) {
  s.xx -= v.x * w.x;
  s.xy -= v.x * w.y;
  s.xz -= v.x * w.z;
  s.yy -= v.y * w.y;
  s.yz -= v.y * w.z;
  s.zz -= v.z * w.z;
}
inline void subtract_outer(Mat3& m, const Vec3& v, const Vec3& w) {
  const double rows[3] = {v.x, v.y, v.z};
  for (int i = 0; i < 3; ++i) {
    m.m[3 * i] -= rows[i] * w.x;
    m.m[3 * i + 1] -= rows[i] * w.y;
    m.m[3 * i + 2] -= rows[i] * w.z;
  }
}
/// Must be called after the last subtract_outer(). Matrices in registers have a lower half, which
/// it sets.
inline void end_difference(SymMat3&) {}

/// E: three directions, along which a body moves or about which it turns.
template <class V>
struct SubspaceAxesOf {
  V axes[3];
  bool turns[3];
};

/// Directions beyond the number of free ones have length 0.
inline void set_axes(const Direction* directions, SubspaceAxesOf<Vec3>& to) {
  for (int i = 0; i < 3; ++i) {
    to.axes[i] = directions[i].axis;
    to.turns[i] = directions[i].turns;
  }
}
/// Returns Eᵀ·v.
inline Vec3 parts(const SubspaceAxesOf<Vec3>& e, const SpatialVector& v) {
  const auto part = [&](int i) { return dot(e.axes[i], e.turns[i] ? v.angular : v.linear); };
  return {part(0), part(1), part(2)};
}

/// Holds the force w that a joint of any kind transmits, and the motion t of its child.
template <class V>
struct ResponseOf {
  SpatialVectorOf<V> force;
  SpatialVectorOf<V> motion;
};

/// Holds what the passes know of such a joint.
template <class V>
struct SubspaceLawOf {
  SubspaceAxesOf<V> e;
  std::size_t count = 0;
  bool is_folded = false;               ///< η and what it needs are valid
  SpatialVectorOf<V> on_directions[3];  // n = N₀·E
  SymMat3Of<V> inertia;                 // α = Eᵀ·n

  std::size_t stiff_count = 0;
  V basis[3];
  SymMat3Of<V> compliance;     // γ
  SymMat3Of<V> mobility;       // F
  Mat3Of<V> stiff;             // L
  SymMat3Of<V> stiff_inertia;  // W
  Mat3Of<V> share;             // H
  SymMat3Of<V> gain;           // η
  V slip_at_rest;              // κ
};

/// Returns E·s.
template <class V>
inline SpatialVectorOf<V> sum(const SubspaceAxesOf<V>& e, const V& s) {
  const V x = number(s, 0) * e.axes[0];
  const V y = number(s, 1) * e.axes[1];
  const V z = number(s, 2) * e.axes[2];
  const V none{};
  return {(e.turns[0] ? none : x) + (e.turns[1] ? none : y) + (e.turns[2] ? none : z),
          (e.turns[0] ? x : none) + (e.turns[1] ? y : none) + (e.turns[2] ? z : none)};
}

/// Sets n and α, which do not depend on the states of the rows. The directions of a Ball must be
/// the world's axes: n and α are then blocks of N₀.
template <class V>
inline void eliminate_subspace(const ArticulatedNode<V>& n, TreeNodeKind kind,
                               SubspaceLawOf<V>& law) {
  law.is_folded = false;
  const SpatialMatrixOf<V>& m = n.apparent_inertia;
  if (kind == TreeNodeKind::Ball) {
    for (int i = 0; i < 3; ++i) {
      law.on_directions[i] = {column(m.b, i), row(m.d, i)};
    }
    law.inertia = m.d;
    return;
  }
  V on[3];
  for (int i = 0; i < 3; ++i) {
    const V& axis = law.e.axes[i];
    if (law.e.turns[i]) {
      law.on_directions[i] = {m.b * axis, m.d * axis};
    } else {
      law.on_directions[i] = {m.a * axis, transposed_times(m.b, axis)};
    }
    on[i] = parts(law.e, law.on_directions[i]);
  }
  if (law.count < 3) {
    set_last(on[2], 1.0);  // there is no third direction, but α must have an inverse
  }
  law.inertia = with_rows(on[0], on[1], on[2]);
}

/// Sets F, L and W, for 0 to 3 directions in V. With A, the matrix α in the basis (V, U), L and W
/// follow from the blocks of A:
///
///     F = U·A_UU⁻¹·Uᵀ,    L = V − U·A_UU⁻¹·A_UV,    W = A_VV − A_VU·A_UU⁻¹·A_UV
///
/// Only A_UU is inverted: a number, or a 2×2 matrix.
template <class V>
inline void eliminate_rest(SubspaceLawOf<V>& law) {
  using Real = RealOf<V>;
  const Real zero{};
  const V none{};
  if (law.stiff_count == 0) {
    law.mobility = inverse(law.inertia);
    law.stiff = with_columns(none, none, none);
    law.stiff_inertia = with_rows(none, none, none);
    return;
  }
  const V& v = law.basis[0];
  const SymMat3Of<V> a = in_basis(law.basis, law.inertia);
  if (law.stiff_count == 3) {
    // Every direction has a row, so nothing follows freely.
    law.mobility = with_rows(none, none, none);
    law.stiff = with_columns(v, law.basis[1], law.basis[2]);
    law.stiff_inertia = a;
    return;
  }
  const V& u = law.basis[2];
  const V first = row(a, 0);
  const V second = row(a, 1);
  const Real zz = number(row(a, 2), 2);
  const Real xy = number(first, 1);
  const Real xz = number(first, 2);
  const Real yz = number(second, 2);
  if (law.stiff_count == 2) {
    // U is one direction: α in U is a number.
    const Real inverse = 1.0 / zz;
    law.mobility = inverse * outer(u);
    const Real x = xz * inverse;
    const Real y = yz * inverse;
    law.stiff = with_columns(v - x * u, law.basis[1] - y * u, none);
    law.stiff_inertia = with_rows(V{number(first, 0) - x * xz, xy - x * yz, zero},
                                  V{zero, number(second, 1) - y * yz, zero}, none);
    return;
  }
  const Real yy = number(second, 1);
  const Real scale = 1.0 / (yy * zz - yz * yz);
  const V& t = law.basis[1];
  // The inverse of α in U, a 2×2 matrix.
  const Real tt = scale * zz;
  const Real tu = -scale * yz;
  const Real uu = scale * yy;
  const V of_t = tt * t + tu * u;
  const V of_u = tu * t + uu * u;
  law.mobility = outer_sum(t, of_t, u, of_u);
  law.stiff = with_columns(v - xy * of_t - xz * of_u, none, none);
  law.stiff_inertia = with_rows(
      V{number(first, 0) - xy * (tt * xy + tu * xz) - xz * (tu * xy + uu * xz), zero, zero}, none,
      none);
}

/// Returns κ. `force` is φ, `targets` is e.
template <class V>
inline V slip_for(const SubspaceLawOf<V>& law, const V& force, const V& targets) {
  return law.mobility * force +
         law.stiff * (law.share * (targets + law.compliance * transposed_times(law.stiff, force)));
}

/// Sets the law with the rows in their states, except κ: H = (1 + γ·W)⁻¹ and η = F + L·H·γ·Lᵀ.
template <class V>
inline void fold_subspace(SubspaceLawOf<V>& law) {
  using Real = RealOf<V>;
  law.is_folded = true;
  eliminate_rest(law);
  if (law.stiff_count <= 1) {  // as for one axis, without a matrix
    const Real zero{};
    const Real one = zero + 1.0;
    const Real compliance = number(row(law.compliance, 0), 0);
    const Real share = 1.0 / (1.0 + compliance * number(row(law.stiff_inertia, 0), 0));
    law.share = with_columns(V{share, zero, zero}, V{zero, one, zero}, V{zero, zero, one});
    law.gain = law.mobility + (share * compliance) * outer(column(law.stiff, 0));
    return;
  }
  law.share = inverse(one_plus(product(law.compliance, law.stiff_inertia)));
  law.gain = law.mobility + in_columns(law.stiff, upper_part(law.share * law.compliance));
}

/// Returns what the node is to its parent: N₀ − n·η·nᵀ.
template <class V>
inline SpatialMatrixOf<V> seen_with_directions(const ArticulatedNode<V>& n,
                                               const SubspaceLawOf<V>& law) {
  SpatialMatrixOf<V> m;
  copy(n.apparent_inertia, m);
  for (std::size_t i = 0; i < law.count; ++i) {
    const V g = row(law.gain, static_cast<int>(i));
    const SpatialVectorOf<V> w = number(g, 0) * law.on_directions[0] +
                                 number(g, 1) * law.on_directions[1] +
                                 number(g, 2) * law.on_directions[2];
    subtract_outer(m.a, law.on_directions[i].linear, w.linear);
    subtract_outer(m.b, law.on_directions[i].linear, w.angular);
    subtract_outer(m.d, law.on_directions[i].angular, w.angular);
  }
  end_difference(m.a);
  end_difference(m.d);
  return m;
}

/// Returns w and t:
///
///     w = locked_force + n·σ,    t = wanted − C·w + E·σ,    σ = κ − η·Eᵀ·locked_force
///
/// `locked_force` is the force without the directions, N₀·(t_p + d) − x. `wanted` is t_p + d, and
/// `slip_at_rest` is κ.
template <class V>
inline ResponseOf<V> subspace_response(const ArticulatedNode<V>& n, const SubspaceLawOf<V>& law,
                                       const SpatialVectorOf<V>& locked_force,
                                       const SpatialVectorOf<V>& wanted, const V& slip_at_rest) {
  // σ = κ − η·z.
  const V s = slip_at_rest - law.gain * parts(law.e, locked_force);
  const SpatialVectorOf<V> force = locked_force + number(s, 0) * law.on_directions[0] +
                                   number(s, 1) * law.on_directions[1] +
                                   number(s, 2) * law.on_directions[2];
  return {force, wanted - softened(n, force) + sum(law.e, s)};
}

/// Returns the forces of the rows along V, Hᵀ·(Lᵀ·(z − φ) + W·e). `force` is φ, `targets` is e.
template <class V>
inline V forces_along(const SubspaceLawOf<V>& law, const SpatialVectorOf<V>& locked_force,
                      const V& force, const V& targets) {
  return transposed_times(law.share,
                          transposed_times(law.stiff, parts(law.e, locked_force) - force) +
                              law.stiff_inertia * targets);
}

}  // namespace servosim
