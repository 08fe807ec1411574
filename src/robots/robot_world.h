// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "robots/robot_model.h"
#include "servosim/diagnostics.h"
#include "servosim/robot_file.h"

namespace servosim::robots {

/// The effort of a motor without a limit [N|N·m].
inline constexpr double kAnyEffort = 1e9;
/// The speed of a motor without a limit, until a controller sets a lower one [rad/s|m/s].
inline constexpr double kAnyVelocity = 100.0;
/// The same for a motor with the law of an actuator, which has no limit.
inline constexpr double kAnyVelocityOfLaw = 1e6;

/// The text of a world file of R2025a, and from which places of the robot's file it comes.
struct RobotWorld {
  std::string text;
  std::vector<SourceSpan> spans;
};

/// Writes a world with the robot. The Robot is the root link; each other link is a Solid of its
/// name. A joint has a motor of its name and a PositionSensor NAME_sensor. What is fixed to a link
/// that moves belongs to its body. Meshes are named from `folder`, where that is possible. What the
/// world lacks is added to `losses`.
RobotWorld world_of_robot(RobotModel model, const std::string& folder,
                          const RobotFileOptions& options, std::vector<Loss>& losses);

}  // namespace servosim::robots
