// SPDX-License-Identifier: Apache-2.0
// The exponential of a power in lanes, for the law of a servo. Included behind lane_scalar.h and
// before servo_law.h, which finds it only then.
#pragma once

#include <initializer_list>

namespace servosim::detail {

namespace {

// 2^x for |x| < 1000, to 1e-13 of it: 2^(x − k) by its series, and k as an exponent.
[[gnu::always_inline]] inline Lanes power_of_two(const Lanes& x) {
  constexpr double kRounds = 6755399441055744.0;  // 1.5·2^52: its lowest bits are a whole number
  const Lanes shifted = x + kRounds;
  const Lanes f = (x - (shifted - kRounds)) * 0.69314718055994530942;
  Lanes sum = 1.0 / 39916800.0 * f + 1.0 / 3628800.0;
  for (const double factorial :
       {362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0}) {
    sum = sum * f + 1.0 / factorial;
  }
  return (Lanes)((LaneMask)sum + ((LaneMask)shifted << 52));
}

// The logarithm to base 2 of x from 1e-300 to 1e300, to 1e-13.
[[gnu::always_inline]] inline Lanes logarithm_to_two(const Lanes& x) {
  constexpr double kWhole = 4503599627370496.0;  // 2^52
  const LaneMask bits = (LaneMask)x;
  const Lanes whole = Lanes{} + kWhole;
  const Lanes exponent = (Lanes)((bits >> 52) | (LaneMask)whole) - (kWhole + 1023.0);
  const Lanes mantissa =
      (Lanes)((bits & 0x000f'ffff'ffff'ffff) | 0x3ff0'0000'0000'0000);  // in [1, 2)
  const LaneMask is_high = mantissa > 1.41421356237309504880;
  const Lanes m = choose(is_high, 0.5 * mantissa, mantissa);
  const Lanes e = choose(is_high, exponent + 1.0, exponent);
  const Lanes s = (m - 1.0) / (m + 1.0);
  const Lanes s2 = s * s;
  Lanes sum = Lanes{} + 1.0 / 15.0;
  for (const double odd : {13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0}) {
    sum = sum * s2 + 1.0 / odd;
  }
  return e + 2.88539008177792681472 * s * sum;  // 2/ln 2
}

// As stribeck_share() of single numbers, to 1e-12.
[[gnu::always_inline]] inline Lanes stribeck_share(const Lanes& rate, const Lanes& speed,
                                                   const Lanes& exponent) {
  const Lanes ratio = absolute(rate) / speed;
  const Lanes least = Lanes{} + 1e-30;
  const Lanes power = exponent * logarithm_to_two(choose(ratio > least, ratio, least));
  const Lanes bounded = lesser(choose(power < -900.0, Lanes{} - 900.0, power), Lanes{} + 9.0);
  return choose(ratio > least, power_of_two(-1.44269504088896340736 * power_of_two(bounded)),
                Lanes{} + 1.0);
}

}  // namespace

}  // namespace servosim::detail
