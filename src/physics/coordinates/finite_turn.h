// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "physics/rows/body_frame.h"
#include "physics/rows/spatial.h"

// Finite turns. The sine and the cosine are polynomials in the square of the angle, interpolated at
// Chebyshev nodes, so that single numbers and lanes have the same bits on any machine. Their
// largest error is 2e-16. Source of the reduction: Cody and Waite, "Software Manual for the
// Elementary Functions" (1980), chapter 8.

namespace servosim {

/// Holds sin r − r, divided by r, and cos r.
template <class Real>
struct SmallTurnOf {
  Real sine_excess{};  ///< sin(r)/r − 1
  Real cosine{};
};

/// Returns the series for r with r² = square; |r| must be at most π/4, and up to π/2 it loses six
/// digits.
template <class Real>
[[gnu::always_inline]] inline SmallTurnOf<Real> small_turn(const Real& square) {
  constexpr double kSine[] = {1.591810123027412e-10, -2.5051131455427946e-08,
                              2.755731610068303e-06, -0.0001984126983675497,
                              0.008333333333330946,  -0.16666666666666666};
  constexpr double kCosine[] = {-1.1382614868556325e-11,
                                2.0876146024689747e-09,
                                -2.7557317270560326e-07,
                                2.4801587298763433e-05,
                                -0.0013888888888887395,
                                0.041666666666666664,
                                -0.5};
  Real s = Real{} + kSine[0];
  Real c = Real{} + kCosine[0];
  for (int i = 1; i < 6; ++i) {
    s = s * square + kSine[i];
  }
  for (int i = 1; i < 7; ++i) {
    c = c * square + kCosine[i];
  }
  return {s * square, c * square + 1.0};
}

/// Returns whether a bit of the number is 1. Lanes have the same function (lane_vector.h).
[[gnu::always_inline]] inline bool has_bit(double number, std::int64_t bit) {
  return (std::bit_cast<std::int64_t>(number) & bit) != 0;
}

/// Finds the sine and the cosine of an angle of at most 1e5 [rad].
template <class Real>
[[gnu::always_inline]] inline void find_sine_and_cosine(const Real& angle, Real& sine,
                                                        Real& cosine) {
  // 1.5·2^52: adding it rounds to whole numbers, whose last bits are then those of the sum.
  constexpr double kRounds = 6755399441055744.0;
  // π/2 as a number of 33 bits, so that its products with quarters are exact, and the rest.
  constexpr double kQuarter = 1.57079632673412561417;
  constexpr double kRest = 6.07710050650619224932e-11;
  const Real shifted = angle * 0.63661977236758138243 + kRounds;
  const Real quarters = shifted - kRounds;
  const Real r = (angle - quarters * kQuarter) - quarters * kRest;
  const SmallTurnOf<Real> small = small_turn(Real(r * r));
  const Real s = small.sine_excess * r + r;
  // The last two bits are the number of quarters, modulo 4.
  const auto is_odd = has_bit(shifted, 1);
  const auto is_half = has_bit(shifted, 2);
  const Real first = choose(is_odd, small.cosine, s);
  const Real second = choose(is_odd, s, small.cosine);
  sine = choose(is_half, -first, first);
  cosine = choose(is_odd != is_half, -second, second);
}

/// Returns the same for any r of a single number up to 1e5; lanes are up to π/2.
template <class Real>
[[gnu::always_inline]] inline SmallTurnOf<Real> any_turn(const Real& square) {
  if constexpr (std::is_same_v<Real, double>) {
    if (square > 0.6) {  // nearly (π/4)²
      const double r = std::sqrt(square);
      double sine = 0.0;
      double cosine = 0.0;
      find_sine_and_cosine(r, sine, cosine);
      return {sine / r - 1.0, cosine};
    }
  }
  return small_turn(square);
}

/// Returns the turn by the vector `angle` [rad] as a unit quaternion, for turns of any single body,
/// and of bodies in lanes up to π.
template <class V>
inline QuaternionOf<V> quaternion_of_turn(const V& angle) {
  using Real = RealOf<V>;
  const V half = 0.5 * angle;
  const SmallTurnOf<Real> small = any_turn(dot(half, half));
  const V v = half + small.sine_excess * half;
  return {small.cosine, v.x, v.y, v.z};
}

/// Returns a quaternion whose length is nearly one with the length one: one step of Newton.
template <class V>
inline QuaternionOf<V> with_unit_length(const QuaternionOf<V>& q) {
  const RealOf<V> scale = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {scale * q.w, scale * q.x, scale * q.y, scale * q.z};
}

}  // namespace servosim
