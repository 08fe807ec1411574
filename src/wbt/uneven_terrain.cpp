// SPDX-License-Identifier: Apache-2.0
#include "wbt/uneven_terrain.h"

#include <algorithm>
#include <cmath>

namespace servosim::wbt {
namespace {

constexpr double kCells = 6.0;  // of the widest hills, along a side of the terrain

std::uint64_t mixed(std::uint64_t x) {  // SplitMix64's finalizer
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A number in [0, 1) for each point of a lattice.
double at_lattice(std::uint64_t layer, int i, int j) {
  const std::uint64_t point =
      (std::uint64_t{static_cast<std::uint32_t>(i)} << 32) | static_cast<std::uint32_t>(j);
  return static_cast<double>(mixed(mixed(layer) ^ point) >> 11) * 0x1p-53;
}

double smooth(double t) { return t * t * t * (t * (6.0 * t - 15.0) + 10.0); }

// Between the points of the lattice, with continuous slope and curvature.
double noise(std::uint64_t layer, double x, double y) {
  const int i = static_cast<int>(x);
  const int j = static_cast<int>(y);
  const double u = smooth(x - i);
  const double v = smooth(y - j);
  return std::lerp(std::lerp(at_lattice(layer, i, j), at_lattice(layer, i + 1, j), u),
                   std::lerp(at_lattice(layer, i, j + 1), at_lattice(layer, i + 1, j + 1), u), v);
}

}  // namespace

std::vector<double> uneven_terrain(int columns, int rows, std::int32_t seed, int octaves) {
  std::vector<double> heights;
  heights.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      double height = 0.0;
      double finer = 1.0;
      for (int octave = 0; octave < octaves; ++octave, finer *= 2.0) {
        const std::uint64_t layer =
            (std::uint64_t{static_cast<std::uint32_t>(seed)} << 8) + static_cast<unsigned>(octave);
        height +=
            noise(layer, finer * kCells * i / (columns - 1), finer * kCells * j / (rows - 1)) /
            finer;
      }
      heights.push_back(height);
    }
  }
  const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
  const double low = *least;
  const double range = *most - low;
  for (double& height : heights) {
    height = range > 0.0 ? (height - low) / range : 0.0;
  }
  return heights;
}

}  // namespace servosim::wbt
