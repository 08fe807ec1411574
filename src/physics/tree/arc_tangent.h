// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "physics/rows/spatial.h"

// The angle of a unit vector, for lanes of numbers, with the bits of glibc's atan2. With x and y,
// the smaller and the larger of sine and |cosine|,
//
//     atan(x/y) = atan(t) + atan(q),    t = k/16,    q = (x − t·y)/(y + t·x)
//
// k is the integer nearest to 16·x/y, so |q| ≤ 1/32. atan(t) comes from a table. atan(q) − q is the
// series −q³/3 + q⁵/5 − … + q¹³/13. Everything else is computed with pairs of numbers (a rounded
// value and the rest), by Dekker's method. The angle is positive, from (1, 0) towards (0, 1).
// Source of the addition theorem: Abramowitz and Stegun, 4.4.34.

namespace servosim {

/// The arc tangent of k/16 for 0 <= k <= 16: the nearest number, and the rest.
extern const double kArcTangents[17][2];

/// Returns the first half of the digits of a number, rounded (Veltkamp's splitting). The product of
/// two such parts is exact; so is that of such a part and the rest of another number.
template <class Real>
[[gnu::always_inline]] inline Real leading_part(const Real& x) {
  const Real scaled = 134217729.0 * x;
  return scaled - (scaled - x);
}

/// An angle [rad], or the statement that its last bit is in doubt.
template <class V>
struct FoundAngle {
  RealOf<V> angle{};
  decltype(RealOf<V>{} < RealOf<V>{}) is_doubtful{};  ///< the angle may not have the bits of atan2
};

/// Returns the angle in [0, π] [rad] from (1, 0) to (cosine, sine). This vector must have length
/// one, but for rounding, and sine >= 0.
///
/// An angle that is not in doubt has the bits of glibc's atan2. The error before rounding is below
/// 2⁻⁶² of the angle, but atan2 itself may be off by 0.524 of the distance between two numbers. So
/// one angle in 14 is in doubt, since it is nearly in the middle between two numbers. Angles of
/// numbers that are not finite, or smaller than 1e-270 and not 0, are in doubt, too. For a single
/// number, atan2 costs less.
template <class V>
inline FoundAngle<V> arc_tangent(const RealOf<V>& sine, const RealOf<V>& cosine) {
  using Real = RealOf<V>;
  const Real c = absolute(cosine);
  const auto is_steep = sine > c;
  const Real x = choose(is_steep, c, sine);
  const Real y = choose(is_steep, sine, c);
  constexpr double kToWhole = 0x1.8p52;  // adding and subtracting it rounds
  const Real rounded = (16.0 * (x / y) + kToWhole) - kToWhole;
  const Real k = choose(rounded <= 16.0, rounded, Real{});  // 0 for NaN
  const Real t = k * 0.0625;
  // q = (x − t·y)/(y + t·x), with numerator and denominator as pairs. The product of a leading
  // part with t, or with another leading part, is exact.
  const Real y_first = leading_part(y);
  const Real x_first = leading_part(x);
  const Real above = x - t * y_first;
  const Real above_rest = -t * (y - y_first);
  const Real below = y + t * x_first;
  const Real below_rest = (t * x_first - (below - y)) + t * (x - x_first);
  const Real per_below = 1.0 / (below + below_rest);
  // The quotient is rounded first. Its remainder then gives the rest of the quotient.
  const Real q_first = leading_part(above * per_below);
  const Real below_first = leading_part(below);
  const Real remains = ((above - q_first * below_first) - q_first * (below - below_first)) +
                       (above_rest - q_first * below_rest);
  const Real q_rest = remains * per_below;
  const Real q = q_first + q_rest;
  const Real s = q * q;
  const Real s2 = s * s;
  // (atan(q) − q)/q. |q| ≤ 1/32, so the next term is below 2⁻⁶² of the angle.
  const Real series = s * ((-1.0 / 3 + s * (1.0 / 5)) +
                           s2 * ((-1.0 / 7 + s * (1.0 / 9)) + s2 * (-1.0 / 11 + s * (1.0 / 13))));
  // The angle is base ± (atan t + atan q), where base is the angle of the nearest axis. π/2 is a
  // pair of numbers.
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
  // Sums of decreasing numbers; what each sum loses is found exactly and added at the end.
  const Real sum = base + step;
  const Real sum_rest = step - (sum - base);
  const Real last_step = sign * q_first;
  const Real first = sum + last_step;
  const Real first_rest = last_step - (first - sum);
  const Real rest =
      (sum_rest + first_rest) + (base_rest + sign * (of_t_rest + (q_rest + q * series)));
  // If the rest ± doubt rounds to different angles, the last bit is not certain.
  const Real doubt = 0x1.cp-58 * first;
  FoundAngle<V> found;
  found.angle = first + (rest - doubt);
  found.is_doubtful = (found.angle != first + (rest + doubt)) | ((x < 1e-270) & (x != 0.0));
  return found;
}

}  // namespace servosim
