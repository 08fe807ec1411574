// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/world_view.h"
#include "scene/scene.h"

// Parts of a scene in words, for people. Spaces of what belongs together are no-break spaces.

namespace servosim {

/// Rounding of poses near 1 m; what is smaller is shown as 0.
inline constexpr double kPoseNoise = 1e-12;

std::string number(double value, double noise = kPoseNoise, int digits = 6);
std::string vector(const Vec3& v, double noise = kPoseNoise, int digits = 6);
/// Digits of numbers in tables: every digit is in the JSON document.
inline constexpr int kTableDigits = 4;
/// `1 body`, `2 bodies`
std::string counted(std::size_t count, std::string_view one, std::string_view many);

const char* name_of(JointKind kind);
const char* name_of(BodyHold hold);
std::string joint_text(const JointSpec& joint);
std::string device_text(const DeviceSpec& device);
std::string battery_text(const RobotSpec& robot);
/// Moments, and in a second line products unless they are 0 [kg·m²].
std::string inertia_text(const Mat3& inertia);

/// A world for people: settings, and for each Robot its devices, joint tree and bodies. `path` is
/// the world as the user calls it.
std::string info_text(const WorldView& view, const std::string& path);

}  // namespace servosim
