// SPDX-License-Identifier: Apache-2.0
// Blocks of spatial algebra of one tree, with three numbers in a register: what spatial.h has for
// single numbers, with the same operations on each number in the same order. Included by sources
// that are compiled for registers of four numbers; all names are the source's own, as in
// lane_kernel.h.
#pragma once

#include <immintrin.h>

#include "physics/rows/spatial.h"
#include "physics/tree/elimination.h"
#include "physics/tree/joint_place.h"
#include "physics/tree/tree_node.h"

// GCC warns of the ABI of vectors as arguments; it does not matter, as all such functions are
// inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

#define SERVOSIM_INLINE [[gnu::always_inline]] inline

// A product of matrices is a sum of whole rows, row i of A·B = Σ_k A_ik·(row k of B), and a cross
// product is
//
//     a × b = turned(a·turned(b) − turned(a)·b),    turned(x, y, z) = (y, z, x)
//
// No sum is within a register except in dot(), which adds in the order of single numbers.

namespace servosim {

namespace {

// A register of four numbers.
using Four = double __attribute__((vector_size(4 * sizeof(double))));

/// Three numbers, and a fourth that means nothing.
struct WideVec3 {
  WideVec3() = default;
  WideVec3(double x, double y, double z) : v{x, y, z, z} {}
  explicit WideVec3(const Four& numbers) : v(numbers) {}
  // Copies the register as a whole: the default copies bytes, in halves of a register.
  WideVec3(const WideVec3& from) : v(from.v) {}
  WideVec3& operator=(const WideVec3& from) {
    v = from.v;
    return *this;
  }

  Four v{};
};

SERVOSIM_INLINE WideVec3 operator+(const WideVec3& a, const WideVec3& b) {
  return WideVec3(a.v + b.v);
}
SERVOSIM_INLINE WideVec3 operator-(const WideVec3& a, const WideVec3& b) {
  return WideVec3(a.v - b.v);
}
SERVOSIM_INLINE WideVec3 operator-(const WideVec3& a) { return WideVec3(-a.v); }
SERVOSIM_INLINE WideVec3 operator*(double s, const WideVec3& a) { return WideVec3(s * a.v); }
// The sum has the order of dot() for Vec3.
SERVOSIM_INLINE double dot(const WideVec3& a, const WideVec3& b) {
  const Four p = a.v * b.v;
  return p[0] + p[1] + p[2];
}
// Returns (y, z, x) for (x, y, z).
SERVOSIM_INLINE Four turned_on(const Four& v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }
// The head of this file has the equation.
SERVOSIM_INLINE WideVec3 cross(const WideVec3& a, const WideVec3& b) {
  return WideVec3(turned_on(a.v * turned_on(b.v) - turned_on(a.v) * b.v));
}

// Reads three numbers and nothing behind them.
SERVOSIM_INLINE WideVec3 wide(const Vec3& v) {
  return WideVec3(_mm256_maskload_pd(&v.x, __m256i{-1, -1, -1, 0}));
}

/// A matrix as its rows.
struct WideMat3 {
  Four r[3]{};
};

// Exchanges rows and columns by shuffles; the fourth numbers stay meaningless.
SERVOSIM_INLINE WideMat3 transposed(const WideMat3& a) {
  const Four even = __builtin_shufflevector(a.r[0], a.r[1], 0, 4, 2, 6);
  const Four odd = __builtin_shufflevector(a.r[0], a.r[1], 1, 5, 3, 7);
  const Four shifted = __builtin_shufflevector(a.r[2], a.r[2], 1, 1, 3, 3);
  return {{__builtin_shufflevector(even, a.r[2], 0, 1, 4, 5),
           __builtin_shufflevector(odd, shifted, 0, 1, 4, 5),
           __builtin_shufflevector(even, a.r[2], 2, 3, 6, 7)}};
}

// Returns the sum of the rows, each times a number of `v`.
SERVOSIM_INLINE Four combined(const Four& v, const Four (&rows)[3]) {
  return v[0] * rows[0] + v[1] * rows[1] + v[2] * rows[2];
}

// A sum of columns has no sums within a register.
SERVOSIM_INLINE WideVec3 operator*(const WideMat3& a, const WideVec3& v) {
  return WideVec3(combined(v.v, transposed(a).r));
}

/// A rotation as its columns, since rotations are multiplied with vectors.
struct WideRotation {
  Four columns[3]{};
};
SERVOSIM_INLINE WideVec3 operator*(const WideRotation& a, const WideVec3& v) {
  return WideVec3(combined(v.v, a.columns));
}

}  // namespace

template <>
struct SpatialTraits<WideVec3> {
  using Real = double;
  using Matrix = WideMat3;
  using Rotation = WideRotation;
};

/// A symmetric matrix as its three full rows.
template <>
struct SymMat3Of<WideVec3> {
  Four r[3]{};
};

namespace {

using WideSymMat3 = SymMat3Of<WideVec3>;
using WideSpatialMatrix = SpatialMatrixOf<WideVec3>;

// Copies the upper half to the lower one. So both halves have the bits of single numbers, which
// compute the upper half only.
SERVOSIM_INLINE WideSymMat3 symmetrized(const Four& a, const Four& b, const Four& c) {
  const Four third = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  return {{a, __builtin_shufflevector(b, a, 5, 1, 2, 3),
           __builtin_shufflevector(third, c, 2, 3, 6, 7)}};
}
SERVOSIM_INLINE WideSymMat3 symmetrized(const WideMat3& m) {
  return symmetrized(m.r[0], m.r[1], m.r[2]);
}

// Returns a·b: each row of `a` combines the rows of `b`.
SERVOSIM_INLINE WideMat3 product(const Four (&a)[3], const Four (&b)[3]) {
  return {{combined(a[0], b), combined(a[1], b), combined(a[2], b)}};
}
// Returns aᵀ·b.
SERVOSIM_INLINE WideMat3 product_of_transposed(const Four (&a)[3], const Four (&b)[3]) {
  return {{a[0][0] * b[0] + a[1][0] * b[1] + a[2][0] * b[2],
           a[0][1] * b[0] + a[1][1] * b[1] + a[2][1] * b[2],
           a[0][2] * b[0] + a[1][2] * b[1] + a[2][2] * b[2]}};
}

SERVOSIM_INLINE WideSymMat3 operator+(const WideSymMat3& a, const WideSymMat3& b) {
  return {{a.r[0] + b.r[0], a.r[1] + b.r[1], a.r[2] + b.r[2]}};
}
SERVOSIM_INLINE WideSymMat3 operator-(const WideSymMat3& a, const WideSymMat3& b) {
  return {{a.r[0] - b.r[0], a.r[1] - b.r[1], a.r[2] - b.r[2]}};
}
SERVOSIM_INLINE WideSymMat3 operator*(double s, const WideSymMat3& a) {
  return {{s * a.r[0], s * a.r[1], s * a.r[2]}};
}
SERVOSIM_INLINE WideVec3 operator*(const WideSymMat3& a, const WideVec3& v) {
  return WideVec3(combined(v.v, a.r));
}
// Takes the elements on the diagonal from 1 + s·a, and the others from s·a.
SERVOSIM_INLINE WideSymMat3 one_plus(double s, const WideSymMat3& a) {
  const WideSymMat3 m = s * a;
  return {{__builtin_shufflevector(m.r[0], 1.0 + m.r[0], 4, 1, 2, 3),
           __builtin_shufflevector(m.r[1], 1.0 + m.r[1], 0, 5, 2, 3),
           __builtin_shufflevector(m.r[2], 1.0 + m.r[2], 0, 1, 6, 3)}};
}
// Both halves are computed: v·vᵀ is symmetric bit by bit.
SERVOSIM_INLINE WideSymMat3 outer(const WideVec3& v) {
  return {{v.v[0] * v.v, v.v[1] * v.v, v.v[2] * v.v}};
}
// Cofactors are cross products of rows, as for single numbers.
SERVOSIM_INLINE WideSymMat3 inverse(const WideSymMat3& a) {
  const WideVec3 x(a.r[0]);
  const WideVec3 y(a.r[1]);
  const WideVec3 z(a.r[2]);
  const WideVec3 of_x = cross(y, z);
  const double s = 1.0 / dot(x, of_x);
  return {{s * of_x.v, s * cross(z, x).v, s * cross(x, y).v}};
}
SERVOSIM_INLINE WideMat3 operator*(const WideSymMat3& a, const WideMat3& b) {
  return product(a.r, b.r);
}
SERVOSIM_INLINE WideMat3 operator*(const WideMat3& a, const WideSymMat3& b) {
  return product(a.r, b.r);
}
// Returns aᵀ·v as a sum of the rows of a, which needs no transposition.
SERVOSIM_INLINE WideVec3 transposed_times(const WideMat3& a, const WideVec3& v) {
  return WideVec3(combined(v.v, a.r));
}
// Returns a·b where the product is symmetric.
SERVOSIM_INLINE WideSymMat3 symmetric_product(const WideSymMat3& a, const WideSymMat3& b) {
  return symmetrized(product(a.r, b.r));
}
}  // namespace

template <>
SERVOSIM_INLINE WideSymMat3 symmetric_product_of_transposed<WideVec3>(const WideMat3& a,
                                                                      const WideMat3& b) {
  return symmetrized(product_of_transposed(a.r, b.r));
}
template <>
SERVOSIM_INLINE WideSymMat3 symmetric_product_with_transposed<WideVec3>(const WideMat3& a,
                                                                        const WideMat3& b) {
  return symmetrized(product(a.r, transposed(b).r));
}

namespace {

// Returns r·a·rᵀ.
SERVOSIM_INLINE WideSymMat3 rotated(const WideRotation& r, const WideSymMat3& a) {
  return symmetrized(product(product_of_transposed(r.columns, a.r).r, r.columns));
}

SERVOSIM_INLINE WideSpatialMatrix choose(bool condition, const WideSpatialMatrix& a,
                                         const WideSpatialMatrix& b) {
  return condition ? a : b;
}

// Adds row by row, which keeps the matrix in registers.
SERVOSIM_INLINE void add(WideSpatialMatrix& to, const WideSpatialMatrix& m) {
  for (int i = 0; i < 3; ++i) {
    to.a.r[i] += m.a.r[i];
    to.b.r[i] += m.b.r[i];
    to.d.r[i] += m.d.r[i];
  }
}

// Copies register by register; the default copies bytes in a loop.
SERVOSIM_INLINE void copy(const WideSpatialMatrix& from, WideSpatialMatrix& to) {
  for (int i = 0; i < 3; ++i) {
    to.a.r[i] = from.a.r[i];
    to.b.r[i] = from.b.r[i];
    to.d.r[i] = from.d.r[i];
  }
}

// Returns m − s·v·vᵀ.
SERVOSIM_INLINE WideSpatialMatrix minus_outer(const WideSpatialMatrix& m, double s,
                                              const SpatialVectorOf<WideVec3>& v) {
  const Four l = s * v.linear.v;
  const Four& w = v.angular.v;
  return {m.a - s * outer(v.linear),
          {{m.b.r[0] - l[0] * w, m.b.r[1] - l[1] * w, m.b.r[2] - l[2] * w}},
          m.d - s * outer(v.angular)};
}

// Replaces m by m − s·v·vᵀ.
SERVOSIM_INLINE void subtract_outer(WideSpatialMatrix& m, double s,
                                    const SpatialVectorOf<WideVec3>& v) {
  const Four l = s * v.linear.v;
  for (int i = 0; i < 3; ++i) {
    m.a.r[i] -= s * (v.linear.v[i] * v.linear.v);
    m.b.r[i] -= l[i] * v.angular.v;
    m.d.r[i] -= s * (v.angular.v[i] * v.angular.v);
  }
}

// Returns [v]·b.
SERVOSIM_INLINE WideMat3 crossed(const Four& v, const WideMat3& b) {
  return {{v[1] * b.r[2] - v[2] * b.r[1], v[2] * b.r[0] - v[0] * b.r[2],
           v[0] * b.r[1] - v[1] * b.r[0]}};
}

// The equations are those of seen_from() in spatial.h.
SERVOSIM_INLINE WideSpatialMatrix seen_from(const WideSpatialMatrix& m, const WideVec3& arm) {
  WideSpatialMatrix out;
  out.a = m.a;
  for (int i = 0; i < 3; ++i) {
    out.b.r[i] = m.b.r[i] - cross(WideVec3(m.a.r[i]), arm).v;
  }
  const WideMat3 x = crossed(arm.v, out.b);
  const WideMat3 y = transposed(crossed(arm.v, m.b));
  out.d = symmetrized(m.d.r[0] + x.r[0] + y.r[0], m.d.r[1] + x.r[1] + y.r[1],
                      m.d.r[2] + x.r[2] + y.r[2]);
  return out;
}

// Returns i − [l].
SERVOSIM_INLINE WideMat3 minus_crossed(const WideSymMat3& i, const WideVec3& l) {
  const Four p = __builtin_shufflevector(l.v, Four{}, 0, 1, 2, 7);
  const Four n = -p;
  return {{i.r[0] + __builtin_shufflevector(p, n, 3, 2, 5, 3),
           i.r[1] + __builtin_shufflevector(p, n, 6, 3, 0, 3),
           i.r[2] + __builtin_shufflevector(p, n, 1, 4, 3, 3)}};
}

// Does what gyroscopic_torque() in body_step.h does, by Cramer's rule.
SERVOSIM_INLINE WideVec3 gyroscopic_torque(const WideSymMat3& i, const WideVec3& momentum,
                                           double h) {
  const WideMat3 rows = minus_crossed(i, h * momentum);
  const WideVec3 a(rows.r[0]);
  const WideVec3 b(rows.r[1]);
  const WideVec3 c(rows.r[2]);
  const WideVec3 of_a = cross(b, c);
  const double scale = 1.0 / dot(a, of_a);
  const Four cofactors[3] = {of_a.v, cross(c, a).v, cross(a, b).v};
  return cross(momentum, WideVec3(scale * combined(momentum.v, cofactors)));
}

// Does what set_own() in elimination.h does: A = m·1, B = m·[a], D = I − m·[a]·[a].
SERVOSIM_INLINE void set_own(const NodeInputOf<WideVec3>& n, WideSpatialMatrix& inertia,
                             SpatialVectorOf<WideVec3>& load) {
  const Four& a = n.arm.v;
  const Four ma = n.mass * a;
  const Four square = ma * a;
  const Four mass = {n.mass, n.mass, n.mass, n.mass};
  const Four zero{};
  inertia.a = {{__builtin_shufflevector(mass, zero, 0, 5, 6, 7),
                __builtin_shufflevector(mass, zero, 4, 1, 6, 7),
                __builtin_shufflevector(mass, zero, 4, 5, 2, 7)}};
  const Four p = __builtin_shufflevector(ma, zero, 0, 1, 2, 7);
  const Four m = -p;
  inertia.b = {{__builtin_shufflevector(p, m, 3, 6, 1, 3),
                __builtin_shufflevector(p, m, 2, 3, 4, 3),
                __builtin_shufflevector(p, m, 5, 0, 3, 3)}};
  const auto& i = n.inertia.r;
  const Four first = __builtin_shufflevector(square, square, 1, 0, 0, 3);
  const Four second = __builtin_shufflevector(square, square, 2, 2, 1, 3);
  inertia.d =
      symmetrized(__builtin_shufflevector(i[0] - ma[0] * a, i[0] + first + second, 4, 1, 2, 3),
                  __builtin_shufflevector(i[1] - ma[1] * a, i[1] + first + second, 0, 5, 2, 3),
                  __builtin_shufflevector(i[2], i[2] + first + second, 0, 1, 6, 3));
  load = {n.load.linear, n.load.angular - cross(n.arm, n.load.linear)};
}

}  // namespace

}  // namespace servosim

#undef SERVOSIM_INLINE
