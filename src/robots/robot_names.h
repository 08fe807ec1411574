// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "robots/robot_model.h"

namespace servosim::robots {

/// Returns `name`, with as many '#' behind it as make it one that is not in `used`.
std::string unused_name(std::string name, const std::set<std::string>& used);

/// Returns a list such as `'a', 'b' and 4 more`.
std::string listed_names(const std::vector<std::string>& names);

/// Sets RobotJoint::motor_name, and sensor_name unless the file gives one, and changes the names of
/// sensors that a reader has made up, so that no made name is that of another device. A motor has
/// the name of its actuator, or of its joint. A sensor that the file calls as it calls a motor gets
/// another name, which is a loss.
/// @param model  no link has more than one joint
void name_devices(RobotModel& model, std::vector<Loss>& losses);

}  // namespace servosim::robots
