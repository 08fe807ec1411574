// SPDX-License-Identifier: Apache-2.0
// The solver's passes over one tree, three numbers in a register. Included by sources that are
// compiled for registers of four numbers.
#pragma once

#include "physics/tree/one_round.h"
#include "physics/tree/wide_numbers.h"

namespace servosim {

namespace {

struct WideInput {
  using Vector = WideVec3;
  static constexpr std::size_t kTrees = 1;

  static Four four(const double* from) {
    Four four;
    __builtin_memcpy(&four, from, sizeof four);
    return four;
  }

  template <class From>
  static double number(From from) {
    return *from(0);
  }
  template <class From>
  static WideVec3 vector(From from) {
    const Vec3& v = *from(0);
    return {v.x, v.y, v.z};
  }
  // Of three numbers of ODE, which has a fourth beside them.
  template <class From>
  static WideVec3 three(From from) {
    return WideVec3(four(from(0)));
  }
  template <class From>
  static WideRotation rotation(From from) {
    const double* const rows = from(0);
    const WideMat3 columns = transposed(WideMat3{{four(rows), four(rows + 4), four(rows + 8)}});
    return {{columns.r[0], columns.r[1], columns.r[2]}};
  }
  template <class From>
  static WideSymMat3 symmetric(From from) {
    const SymMat3& m = *from(0);
    const Four x = {m.xx, m.xy, m.xz, m.yy};
    const Four y = {m.xy, m.xz, m.yy, m.yz};
    const Four z = {m.xz, m.yy, m.yz, m.zz};
    return {
        {x, __builtin_shufflevector(y, y, 0, 2, 3, 3), __builtin_shufflevector(z, z, 0, 2, 3, 3)}};
  }

  static WideVec3 chosen(bool condition, const WideVec3& a, const WideVec3& b) {
    return condition ? a : b;
  }

  static void write(double from, std::size_t, double& to) { to = from; }
  static void write(const WideVec3& from, std::size_t, Vec3& to) {
    to.x = from.v[0];
    to.y = from.v[1];
    to.z = from.v[2];
  }
};

constexpr LaneKernel kThisWideKernel{1, sizeof(OneRound<WideInput>::Node),
                                     OneRound<WideInput>::solve};

}  // namespace

}  // namespace servosim
