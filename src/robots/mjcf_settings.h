// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "robots/mjcf_defaults.h"
#include "servosim/math.h"

namespace servosim::robots {

/// When masses come from geoms: where there is no `inertial`, always, or never.
enum class InertiaFromGeom : std::uint8_t { Auto, Always, Never };

/// What the sections `compiler` and `option` of an MJCF file say.
struct MjcfSettings {
  double radian = 0.0;  ///< what one unit of an angle is [rad]
  std::string euler_sequence = "xyz";
  bool auto_limits = true;
  InertiaFromGeom inertia_from_geom = InertiaFromGeom::Auto;
  std::array<int, 2> inertia_groups{0, 5};  ///< first and last group that counts
  double least_mass = 0.0;                  ///< [kg]
  double least_moment = 0.0;                ///< [kg·m²]
  double total_mass = -1.0;  ///< to which all masses are scaled if it is positive [kg]
  bool balance_inertia = false;
  bool strip_path = false;
  std::string mesh_folder;
  std::string texture_folder;
  Vec3 gravity{0.0, 0.0, -9.81};  ///< [m/s²]
  bool has_gravity = true;
  double time_step = 0.002;  ///< [s]
};

/// Reads the sections. What cannot be read is an error.
MjcfSettings read_mjcf_settings(const MjcfDocument& document, MjcfAttributes& attributes,
                                XmlFields& xml);

/// Returns the orientation that an element gives as quat, axisangle, euler, xyaxes or zaxis. Two of
/// them, and null vectors, are errors.
Mat3 orientation_of(const MjcfElement& element, const MjcfSettings& settings);
/// Returns `pos` and the orientation.
Pose pose_of(const MjcfElement& element, const MjcfSettings& settings);
/// Returns the shortest rotation that takes +z to a direction, which is not null.
Mat3 rotation_to(const Vec3& direction);

/// Returns the range if it limits: the flag says so or, if it is `auto`, the range is not empty and
/// the settings allow it. A range that limits and is empty is an error.
std::optional<Range> limiting_range(const MjcfElement& element, const char* range,
                                    const char* limited, const MjcfSettings& settings);

}  // namespace servosim::robots
