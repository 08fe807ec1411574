// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "servosim/math.h"

namespace servosim {

/// @throws std::invalid_argument naming the argument, the value and what is allowed.
[[noreturn]] void throw_invalid(const char* argument, double value, const char* allowed);

/// Throws it if `bad`.
inline void refuse(bool bad, const char* argument, double value, const char* allowed) {
  if (bad) {
    throw_invalid(argument, value, allowed);
  }
}

inline void refuse_nan(double value, const char* argument) {
  refuse(std::isnan(value), argument, value, "a number or an infinity");
}

/// x, y, z, w, of length one; w >= 0.
std::array<double, 4> quaternion_of(const Mat3& r);

class Random;
struct LookupRow;

/// A multiple of `resolution` as Webots finds it; the value itself where `resolution` is not
/// positive.
double quantized(double value, double resolution);

/// The reading of a sensor with this lookup table for a physical value: linear between two rows,
/// outside that of the nearest row; the value itself without a table. Draws a random number only
/// where there is noise.
double look_up(std::span<const LookupRow> table, double value, Random& random);

/// Latitude [°], longitude [°] and altitude [m] of a place `offset` (east, north, up) [m] from
/// `reference`, which is given likewise: east and north are those of the map of the UTM zone that
/// the reference lies in.
Vec3 place_on_earth(const Vec3& reference, const Vec3& offset);

}  // namespace servosim
