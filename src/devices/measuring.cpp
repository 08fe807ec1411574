// SPDX-License-Identifier: Apache-2.0
#include "devices/measuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/random.h"
#include "scene/scene.h"

namespace servosim {

void throw_invalid(const char* argument, double value, const char* allowed) {
  throw std::invalid_argument(fmt::format("{} is {}; it must be {}", argument, value, allowed));
}

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

// It rounds towards zero after adding a half, as Webots does. Negative values are therefore off by
// one resolution.
double quantized(double value, double resolution) {
  return resolution > 0.0 ? std::trunc(value / resolution + 0.5) * resolution : value;
}

double look_up(std::span<const LookupRow> table, double value, Random& random) {
  if (table.empty()) {
    return value;
  }
  const LookupRow row = row_for(table, value);
  return row.noise != 0.0 ? row.reading * (1.0 + row.noise * random.normal()) : row.reading;
}

// All components follow from the largest one, since a small one would lose digits.
std::array<double, 4> quaternion_of(const Mat3& r) {
  const std::array<double, 4> squares{
      1.0 + r(0, 0) - r(1, 1) - r(2, 2), 1.0 - r(0, 0) + r(1, 1) - r(2, 2),
      1.0 - r(0, 0) - r(1, 1) + r(2, 2), 1.0 + r(0, 0) + r(1, 1) + r(2, 2)};
  std::array<double, 4> q{};
  switch (std::max_element(squares.begin(), squares.end()) - squares.begin()) {
    case 0:
      q = {squares[0], r(0, 1) + r(1, 0), r(0, 2) + r(2, 0), r(2, 1) - r(1, 2)};
      break;
    case 1:
      q = {r(0, 1) + r(1, 0), squares[1], r(1, 2) + r(2, 1), r(0, 2) - r(2, 0)};
      break;
    case 2:
      q = {r(0, 2) + r(2, 0), r(1, 2) + r(2, 1), squares[2], r(1, 0) - r(0, 1)};
      break;
    default:
      q = {r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1), squares[3]};
  }
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  for (double& part : q) {
    part /= q[3] < 0.0 ? -length : length;
  }
  return q;
}

// What follows is the transverse Mercator map of the WGS84 ellipsoid by Krüger's series in the
// third flattening kN, which are exact to about 1 mm.

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kFlattening = 1.0 / 298.257223563;
constexpr double kN = kFlattening / (2.0 - kFlattening);
constexpr double kScale =  // metres on the map per radian of a great circle
    0.9996 * 6378137.0 / (1.0 + kN) * (1.0 + kN * kN / 4.0 + kN * kN * kN * kN / 64.0);
constexpr std::array kToMap{kN / 2.0 - kN * kN * 2.0 / 3.0 + kN * kN * kN * 5.0 / 16.0,
                            kN* kN * 13.0 / 48.0 - kN* kN* kN * 3.0 / 5.0,
                            kN* kN* kN * 61.0 / 240.0};
constexpr std::array kFromMap{kN / 2.0 - kN * kN * 2.0 / 3.0 + kN * kN * kN * 37.0 / 96.0,
                              kN* kN / 48.0 + kN* kN* kN / 15.0, kN* kN* kN * 17.0 / 480.0};
constexpr std::array kToLatitude{2.0 * kN - kN * kN * 2.0 / 3.0 - 2.0 * kN * kN * kN,
                                 kN* kN * 7.0 / 3.0 - kN* kN* kN * 8.0 / 5.0,
                                 kN* kN* kN * 56.0 / 15.0};

/// A point of the map [rad].
struct MapPoint {
  double east;
  double north;
};

// Returns a point moved by a series. `sign` is 1 for the series to the map and -1 for the one back.
MapPoint bent(const MapPoint& p, const std::array<double, 3>& series, double sign) {
  MapPoint result = p;
  for (int j = 1; j <= 3; ++j) {
    const double a = sign * series[j - 1];
    result.east += a * std::cos(2 * j * p.north) * std::sinh(2 * j * p.east);
    result.north += a * std::sin(2 * j * p.north) * std::cosh(2 * j * p.east);
  }
  return result;
}

// Returns the point of the map for a latitude and a longitude from the middle of the zone [rad].
MapPoint to_map(double latitude, double longitude) {
  const double e = 2.0 * std::sqrt(kN) / (1.0 + kN);
  const double s = std::sin(latitude);
  const double t = std::sinh(std::atanh(s) - e * std::atanh(e * s));
  return bent({std::asinh(std::sin(longitude) / std::hypot(t, std::cos(longitude))),
               std::atan2(t, std::cos(longitude))},
              kToMap, 1.0);
}

}  // namespace

Vec3 place_on_earth(const Vec3& reference, const Vec3& offset) {
  const double middle = std::floor(reference.y / 6.0) * 6.0 + 3.0;
  const double latitude = std::clamp(reference.x, -89.9, 89.9);
  MapPoint point = to_map(latitude * kDegree, (reference.y - middle) * kDegree);
  point.east += offset.x / kScale;
  point.north += offset.y / kScale;
  const MapPoint straight = bent(point, kFromMap, -1.0);
  const double chi = std::asin(std::sin(straight.north) / std::cosh(straight.east));
  double phi = chi;
  for (int j = 1; j <= 3; ++j) {
    phi += kToLatitude[j - 1] * std::sin(2 * j * chi);
  }
  const double lambda = std::atan2(std::sinh(straight.east), std::cos(straight.north));
  return {phi / kDegree, middle + lambda / kDegree, reference.z + offset.z};
}

}  // namespace servosim
