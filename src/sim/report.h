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

/// Calls an action for each value of a JSON object in the order of the text. An object or array
/// comes before its contents, as an empty one; items of arrays do not come. The text is not stored.
/// @param text  the JSON text
/// @param visit  the action; gets the keys and the value
/// @returns false at the first fault: the text is not JSON or no object, or it is nested
///   more than 32 deep
bool visit_json_object(std::string_view text,
                       const std::function<void(const JsonKeys&, const nlohmann::json&)>& visit);

class Motor;
class Robot;
class Simulation;
struct JointSpec;
struct Scene;

/// The joints, propellers and bodies of a simulation that a report includes, in its order.
struct ReportedParts {
  std::vector<int> joints;
  std::vector<int> propellers;
  std::vector<int> robots;  ///< the robots whose poses it includes
  std::vector<int> bodies;  ///< the Solids that are no robot and whose poses it includes
};

/// Returns the name of each Solid of the scene by its index: `robot/Solid`, or the name of the
/// robot that it is. The second Solid of a name has ` #2` behind it.
std::vector<std::string> body_names(const Scene& scene);

/// Returns the joints and propellers whose name matches one of `globs`, as defined at
/// matching_names(), and the robots, Solids with Physics and endpoints of joints whose `NAME.pose`
/// matches a glob that ends in ".pose". Without globs it returns all joints and propellers.
/// @throws std::invalid_argument for a glob that matches nothing
ReportedParts watch(const Simulation& simulation, const std::vector<std::string>& globs);

/// Where the root of a robot is, and how it moves.
struct RobotPose {
  Vec3 position;       ///< in the world [m]
  double tilt = 0.0;   ///< angle between the upward direction of the world and its own, which is
                       ///< the one that was upward at the start [rad]; 0 to π
  double speed = 0.0;  ///< speed of the centre of mass of its body, or of its origin if it has no
                       ///< body [m/s]
};

/// What the motor of a joint commands in this step; NaN where it commands nothing, or there is no
/// motor.
struct JointCommand {
  double position;  ///< [rad|m]; NaN or infinite outside of position control
  double velocity;  ///< [rad/s|m/s]; NaN in force control
};
/// Returns the command of a motor, which may be null, to a joint with this reading.
JointCommand command_of(const Motor* motor, const JointReading& reading);

/// The range of a joint [rad|m].
struct JointRange {
  double lower;
  double upper;
};
/// Returns minPosition and maxPosition of the motor, which may be null, else the stops of the
/// joint; nothing if it has neither.
std::optional<JointRange> range_of(const JointSpec& spec, const Motor* motor);

/// Gives a notice of each part that sensors with pictures have found missing since the last call,
/// such as a texture that is not found. Parts of Simulation::diagnostics() are known already.
void report_missing_pictures(Simulation& simulation);

/// Returns the number of basic steps that a run takes.
/// @param duration  [s]; >= 0
/// @param basic_time_step_ms  [ms]; > 0
/// @throws std::invalid_argument if they are too many to count
std::int64_t steps_for(double duration, double basic_time_step_ms);

/// Returns the present pose of a robot.
/// @param simulation  the simulation that contains the robot
/// @param robot  a robot in the tree
/// @param start  the rotation of its root when the run began
RobotPose robot_pose(const Simulation& simulation, const Robot& robot, const Mat3& start);

}  // namespace servosim
