// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace servosim::wbt {

/// A Webots version as in the first line of a file. V6.0 is {6, 0, 0}, R2021b is {2021, 1, 0},
/// R2020b-rev2 is {2020, 1, 2}: every V compares below every R.
struct Version {
  int major = 0;
  int minor = 0;
  int revision = 0;

  friend auto operator<=>(const Version&, const Version&) = default;
};

inline constexpr Version kNewestVersion{2025, 0, 0};  // R2025a
/// From this version on the z axis is up for geometry and devices: see geometry_axis_is_z().
inline constexpr Version kR2022a{2022, 0, 0};
inline constexpr Version kR2020b{2020, 1, 0};
inline constexpr Version kR2025a{2025, 0, 0};

/// Reads `V6.0`, `V7.4.3`, `R2021b`, `R2021b revision 1`, `R2021b-rev1`.
std::optional<Version> parse_version(std::string_view text);
std::string to_string(const Version& version);

/// Returns whether Cylinder, Capsule, Cone, Plane and ElevationGrid have their axis along local z
/// in files of this version; before R2021c it is along local y.
bool geometry_axis_is_z(const Version& version);

}  // namespace servosim::wbt
