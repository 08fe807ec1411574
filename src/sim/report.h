// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "servosim/joint.h"
#include "servosim/math.h"

namespace servosim {

/// The keys that lead to a value from the outermost object.
using JsonKeys = std::vector<std::string>;

/// Calls an action for each value of a JSON object in the order of the text: for an object or an
/// array before its contents, as an empty one; not for items of arrays. Does not store the text.
/// @returns false at the first fault: not JSON, no object, or nested too deeply.
bool visit_json_object(std::string_view text,
                       const std::function<void(const JsonKeys&, const nlohmann::json&)>& visit);

class Motor;
class Robot;
class Simulation;
struct JointSpec;
struct Scene;

/// The joints, propellers and bodies of a simulation that a report includes, in its order.
struct Watch {
  std::vector<int> joints;
  std::vector<int> propellers;
  std::vector<int> robots;  ///< their poses
  std::vector<int> bodies;  ///< likewise: Solids that are no robot
};

/// By Solid of the scene `robot/Solid`, or the name of the robot that it is; a second one of a name
/// has ` #2` behind it.
std::vector<std::string> body_names(const Scene& scene);

/// Joints and propellers whose name matches one of `globs`, as matching_names() says, and robots,
/// Solids with Physics and endpoints of joints whose `NAME.pose` matches one that ends in ".pose";
/// all joints and propellers when there are no globs.
/// @throws std::invalid_argument for a glob that matches none
Watch watch(const Simulation& simulation, const std::vector<std::string>& globs);

/// Where the root of a robot is, and how it moves.
struct RobotPose {
  Vec3 position;       ///< in the world [m]
  double tilt = 0.0;   ///< between its upward direction of the start and the world's [rad]
  double speed = 0.0;  ///< of the centre of mass of its body, or of its origin without one [m/s]
};

/// What a joint's motor wants in this step; NaN where it wants nothing, or there is no motor.
struct JointCommand {
  double position;  ///< [rad|m]; in position control
  double velocity;  ///< [rad/s|m/s]; not in force control
};
/// `motor` may be null.
JointCommand command_of(const Motor* motor, const JointReading& reading);

/// The range of a joint [rad|m]: the motor's minPosition and maxPosition, else the joint's stops.
struct JointRange {
  double lower;
  double upper;
};
/// `motor` may be null. Nothing without limits.
std::optional<JointRange> range_of(const JointSpec& spec, const Motor* motor);

/// The basic steps that a run of `duration` >= 0 [s] takes. @throws std::invalid_argument for too
/// many
std::int64_t steps_for(double duration, double basic_time_step_ms);

/// @param start  the rotation of its root when the run began
RobotPose robot_pose(const Simulation& simulation, const Robot& robot, const Mat3& start);

}  // namespace servosim
