// SPDX-License-Identifier: Apache-2.0
#include "device/measuring.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "scene/scene.h"

namespace servosim {

namespace {

LookupRow row_for(std::span<const LookupRow> table, double value) {
  const auto above =
      std::upper_bound(table.begin(), table.end(), value,
                       [](double number, const LookupRow& row) { return number < row.value; });
  if (above == table.begin() || above == table.end()) {
    return above == table.begin() ? table.front() : table.back();
  }
  const LookupRow& a = *(above - 1);
  const double share = (value - a.value) / (above->value - a.value);
  return {value, std::lerp(a.reading, above->reading, share),
          std::lerp(a.noise, above->noise, share)};
}

}  // namespace

// Towards zero after adding a half, as Webots: negative values are off by one grain.
double in_grains(double value, double grain) {
  return grain > 0.0 ? std::trunc(value / grain + 0.5) * grain : value;
}

double look_up(std::span<const LookupRow> table, double value, Random& random) {
  if (table.empty()) {
    return value;
  }
  const LookupRow row = row_for(table, value);
  return row.noise != 0.0 ? row.reading * (1.0 + row.noise * random.normal()) : row.reading;
}

}  // namespace servosim
