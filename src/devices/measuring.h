// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "servosim/math.h"

namespace servosim {

/// @param argument  the name of the argument
/// @param value  its value
/// @param allowed  what it may be
/// @throws std::invalid_argument always; the message has the three
[[noreturn]] void throw_invalid(const char* argument, double value, const char* allowed);

/// Calls throw_invalid() if `bad`.
inline void refuse(bool bad, const char* argument, double value, const char* allowed) {
  if (bad) {
    throw_invalid(argument, value, allowed);
  }
}

/// Throws std::invalid_argument for NaN. An infinity is allowed.
inline void refuse_nan(double value, const char* argument) {
  refuse(std::isnan(value), argument, value, "a number or an infinity");
}

/// Returns the quaternion x, y, z, w of a rotation. It has length one, and w >= 0.
std::array<double, 4> quaternion_of(const Mat3& r);

class Random;
struct LookupRow;

/// Returns the multiple of `resolution` to which Webots rounds a value; the value itself where
/// `resolution` is not positive. Both have the same unit.
double quantized(double value, double resolution);

/// Returns the reading of a sensor for a physical value, with the noise of the lookup table. The
/// reading is linear between two rows, and outside of the table that of the nearest row. Without a
/// table it is the value itself. A random number is drawn only where there is noise.
double look_up(std::span<const LookupRow> table, double value, Random& random);

/// Returns latitude [°], longitude [°] and altitude [m] of a place.
/// @param reference  latitude [°], longitude [°] and altitude [m]; latitudes beyond ±89.9° become
///   ±89.9°
/// @param offset  from the reference to the place: east, north, up [m]. East and north are those of
///   the map of the UTM zone that contains the reference.
Vec3 place_on_earth(const Vec3& reference, const Vec3& offset);

}  // namespace servosim
