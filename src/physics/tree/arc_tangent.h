// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "physics/rows/spatial.h"

namespace servosim {

/// k/16, 0 <= k <= 16: its arc tangent, as the nearest number and what that leaves.
extern const double kArcTangents[17][2];

/// The first half of the digits of a number, rounded: the product of two such parts, or of one and
/// what another leaves, is exact.
template <class Real>
[[gnu::always_inline]] inline Real leading_part(const Real& x) {
  const Real scaled = 134217729.0 * x;
  return scaled - (scaled - x);
}

/// An angle, or that it is in doubt.
template <class V>
struct FoundAngle {
  RealOf<V> angle{};
  decltype(RealOf<V>{} < RealOf<V>{}) is_doubtful{};
};

/// The angle from (1, 0) to (cosine, sine), of length one but for rounding, sine >= 0: 0 to π
/// [rad]. What is not in doubt has the bits of glibc's atan2, which may be off by 0.524 of the
/// distance of two numbers: one of 14 is, nearly in the middle between two; so are angles of
/// numbers that are not finite, or smaller than 1e-270 and not 0. For lanes; of one number atan2
/// costs less.
///
/// The smaller of sine and |cosine| over the larger is k/16 + rest. With atan(q) − q as a series of
/// q² < 1/1000 and all else in pairs of numbers, the error is below 2⁻⁶² of the angle.
template <class V>
inline FoundAngle<V> arc_tangent(const RealOf<V>& sine, const RealOf<V>& cosine) {
  using Real = RealOf<V>;
  const Real c = absolute(cosine);
  const auto is_steep = sine > c;
  const Real x = choose(is_steep, c, sine);
  const Real y = choose(is_steep, sine, c);
  constexpr double kToWhole = 0x1.8p52;  // added and taken away it rounds
  const Real rounded = (16.0 * (x / y) + kToWhole) - kToWhole;
  const Real k = choose(rounded <= 16.0, rounded, Real{});  // of NaN, too
  const Real t = k * 0.0625;
  // q = (x − t·y) / (y + t·x). A leading part times another, or times t, is exact.
  const Real y_first = leading_part(y);
  const Real x_first = leading_part(x);
  const Real above = x - t * y_first;
  const Real above_rest = -t * (y - y_first);
  const Real below = y + t * x_first;
  const Real below_rest = (t * x_first - (below - y)) + t * (x - x_first);
  const Real per_below = 1.0 / (below + below_rest);
  const Real q_first = leading_part(above * per_below);
  const Real below_first = leading_part(below);
  const Real remains = ((above - q_first * below_first) - q_first * (below - below_first)) +
                       (above_rest - q_first * below_rest);
  const Real q_rest = remains * per_below;
  const Real q = q_first + q_rest;
  const Real s = q * q;
  const Real s2 = s * s;
  const Real series = s * ((-1.0 / 3 + s * (1.0 / 5)) +
                           s2 * ((-1.0 / 7 + s * (1.0 / 9)) + s2 * (-1.0 / 11 + s * (1.0 / 13))));
  // From the nearest axis, which is base, on towards the diagonal or back: ± (atan t + atan q).
  constexpr double kQuarter[2] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  const Real zero{};
  const auto is_back = cosine < 0.0;
  const Real base =
      choose(is_steep, zero + kQuarter[0], choose(is_back, zero + 2.0 * kQuarter[0], zero));
  const Real base_rest =
      choose(is_steep, zero + kQuarter[1], choose(is_back, zero + 2.0 * kQuarter[1], zero));
  const Real sign = choose(is_steep ^ is_back, zero - 1.0, zero + 1.0);
  Real of_t;
  Real of_t_rest;
  read_entries(kArcTangents, k, of_t, of_t_rest);
  const Real step = sign * of_t;
  const Real sum = base + step;
  const Real sum_rest = step - (sum - base);
  const Real last_step = sign * q_first;
  const Real first = sum + last_step;
  const Real first_rest = last_step - (first - sum);
  const Real rest =
      (sum_rest + first_rest) + (base_rest + sign * (of_t_rest + (q_rest + q * series)));
  const Real doubt = 0x1.cp-58 * first;
  FoundAngle<V> found;
  found.angle = first + (rest - doubt);
  found.is_doubtful = (found.angle != first + (rest + doubt)) | ((x < 1e-270) & (x != 0.0));
  return found;
}

}  // namespace servosim
