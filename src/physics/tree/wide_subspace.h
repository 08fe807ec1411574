// SPDX-License-Identifier: Apache-2.0
// What subspace_law.h needs of vectors and matrices with three numbers in a register.
#pragma once

#include "physics/tree/subspace_law.h"
#include "physics/tree/wide_vector.h"

#define SERVOSIM_INLINE [[gnu::always_inline]] inline

// The functions of this file have the names, the order of operations and so the bits of those in
// subspace_law.h, which has the equations.

namespace servosim {

/// Holds E, with what products with it need.
template <>
struct SubspaceAxesOf<WideVec3> {
  WideVec3 axes[3];
  bool turns[3];
  bool all_turn;
  Four columns[3];  // of the matrix whose rows are the axes
};

namespace {

SERVOSIM_INLINE double number(const WideVec3& v, int i) { return v.v[i]; }
// Replaces the third number.
SERVOSIM_INLINE void set_last(WideVec3& v, double to) {
  v.v = __builtin_shufflevector(v.v, Four{to, to, to, to}, 0, 1, 6, 3);
}
// Rows are cheaper to make than columns, so columns are transposed rows.
SERVOSIM_INLINE WideMat3 with_columns(const WideVec3& x, const WideVec3& y, const WideVec3& z) {
  return transposed(WideMat3{{x.v, y.v, z.v}});
}
SERVOSIM_INLINE WideVec3 column(const WideMat3& a, int i) { return WideVec3(transposed(a).r[i]); }
SERVOSIM_INLINE WideVec3 row(const WideSymMat3& a, int i) { return WideVec3(a.r[i]); }
// The lower half is a copy of the upper one.
SERVOSIM_INLINE WideSymMat3 with_rows(const WideVec3& x, const WideVec3& y, const WideVec3& z) {
  return symmetrized(x.v, y.v, z.v);
}
SERVOSIM_INLINE WideSymMat3 upper_part(const WideMat3& m) { return symmetrized(m); }
// Takes the elements on the diagonal from 1 + m, and the others from m.
SERVOSIM_INLINE WideMat3 one_plus(const WideMat3& m) {
  return {{__builtin_shufflevector(m.r[0], 1.0 + m.r[0], 4, 1, 2, 3),
           __builtin_shufflevector(m.r[1], 1.0 + m.r[1], 0, 5, 2, 3),
           __builtin_shufflevector(m.r[2], 1.0 + m.r[2], 0, 1, 6, 3)}};
}
// The rows of symmetric matrices are complete, so this is a product of matrices.
SERVOSIM_INLINE WideMat3 product(const WideSymMat3& a, const WideSymMat3& b) {
  return product(a.r, b.r);
}
// This is Cramer's rule.
SERVOSIM_INLINE WideMat3 inverse(const WideMat3& a) {
  const WideVec3 x(a.r[0]);
  const WideVec3 y(a.r[1]);
  const WideVec3 z(a.r[2]);
  const WideVec3 of_x = cross(y, z);
  const double s = 1.0 / dot(x, of_x);
  return with_columns(s * of_x, s * cross(z, x), s * cross(x, y));
}
// Computes r·s·rᵀ as the rows of r times the columns s·r_i.
SERVOSIM_INLINE WideSymMat3 in_basis(const WideVec3 (&r)[3], const WideSymMat3& s) {
  const WideMat3 m = with_columns(s * r[0], s * r[1], s * r[2]);
  return symmetrized(combined(r[0].v, m.r), combined(r[1].v, m.r), combined(r[2].v, m.r));
}
// A matrix by its columns is what WideRotation is.
SERVOSIM_INLINE WideSymMat3 in_columns(const WideMat3& r, const WideSymMat3& s) {
  const WideMat3 columns = transposed(r);
  return rotated(WideRotation{{columns.r[0], columns.r[1], columns.r[2]}}, s);
}
// Row i is a_i·b + c_i·d.
SERVOSIM_INLINE WideSymMat3 outer_sum(const WideVec3& a, const WideVec3& b, const WideVec3& c,
                                      const WideVec3& d) {
  return symmetrized(a.v[0] * b.v + c.v[0] * d.v, a.v[1] * b.v + c.v[1] * d.v,
                     a.v[2] * b.v + c.v[2] * d.v);
}
// Both halves change, but only the upper half has the bits of single numbers until
// end_difference().
SERVOSIM_INLINE void subtract_outer(WideSymMat3& s, const WideVec3& v, const WideVec3& w) {
  for (int i = 0; i < 3; ++i) {
    s.r[i] -= v.v[i] * w.v;
  }
}
SERVOSIM_INLINE void subtract_outer(WideMat3& m, const WideVec3& v, const WideVec3& w) {
  for (int i = 0; i < 3; ++i) {
    m.r[i] -= v.v[i] * w.v;
  }
}
// Copies the upper half to the lower one.
SERVOSIM_INLINE void end_difference(WideSymMat3& s) { s = symmetrized(s.r[0], s.r[1], s.r[2]); }

// A ball, and a Hinge2 without suspension, only turn, which spares half of the products.
SERVOSIM_INLINE void set_axes(const Direction* directions, SubspaceAxesOf<WideVec3>& to) {
  to.all_turn = true;
  for (int i = 0; i < 3; ++i) {
    to.axes[i] = wide(directions[i].axis);
    to.turns[i] = directions[i].turns;
    to.all_turn = to.all_turn && to.turns[i];
  }
  const WideMat3 columns = with_columns(to.axes[0], to.axes[1], to.axes[2]);
  for (int i = 0; i < 3; ++i) {
    to.columns[i] = columns.r[i];
  }
}
// Returns Eᵀ·v.
SERVOSIM_INLINE WideVec3 parts(const SubspaceAxesOf<WideVec3>& e,
                               const SpatialVectorOf<WideVec3>& v) {
  Four turned = combined(v.angular.v, e.columns);
  if (!e.all_turn) {
    const Four slid = combined(v.linear.v, e.columns);
    for (int i = 0; i < 3; ++i) {
      turned[i] = e.turns[i] ? turned[i] : slid[i];
    }
  }
  return WideVec3(turned);
}

}  // namespace

template <>
SERVOSIM_INLINE SpatialVectorOf<WideVec3> sum<WideVec3>(const SubspaceAxesOf<WideVec3>& e,
                                                        const WideVec3& s) {
  const WideVec3 x = s.v[0] * e.axes[0];
  const WideVec3 y = s.v[1] * e.axes[1];
  const WideVec3 z = s.v[2] * e.axes[2];
  const WideVec3 none;
  if (e.all_turn) {
    return {none, x + y + z};
  }
  return {(e.turns[0] ? none : x) + (e.turns[1] ? none : y) + (e.turns[2] ? none : z),
          (e.turns[0] ? x : none) + (e.turns[1] ? y : none) + (e.turns[2] ? z : none)};
}

}  // namespace servosim

#undef SERVOSIM_INLINE
