// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace servosim {

class Random;
struct LookupRow;

/// A multiple of `grain` as Webots finds it; the value itself where `grain` is not positive.
double in_grains(double value, double grain);

/// What a sensor with this lookup table says of a physical value: in between two rows on the line
/// that joins them, outside as the nearest row; the value itself without a table. Draws a random
/// number only where there is noise.
double look_up(std::span<const LookupRow> table, double value, Random& random);

}  // namespace servosim
