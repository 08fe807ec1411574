// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/device_binding.h"
#include "scene/scene.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"

namespace servosim {

/// Makes a node of a scene with its devices, in the state of the start. It keeps `spec` alive, to
/// which its devices refer.
/// @param spec  its description
/// @param owner  the robot's name, for notices
/// @param environment  what its devices are bound to
DeviceNode make_node(std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                     const DeviceEnvironment& environment);

/// Binds the devices of a node to the same node of another scene: to its description, joint, Solid
/// and physics. They keep their commands and measurements, within the new limits.
/// @param spec  must be of the same type of node
void rebind_node(DeviceNode& node, std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                 const DeviceEnvironment& environment);

/// Binds the devices of a node that is gone to nothing: they do nothing, and keep their last
/// readings.
void detach_node(DeviceNode& node);

/// Makes a robot of a scene with all its devices, in the state of the start.
/// @param spec  its description
/// @param index  its number in Scene::robots
/// @param environment  what its devices are bound to
std::unique_ptr<Robot> make_robot(std::shared_ptr<const RobotSpec> spec, int index,
                                  const DeviceEnvironment& environment);

/// Makes the battery that a robot has at the start; none where the node has no battery.
std::optional<Battery> make_battery(const RobotSpec& spec);

/// Binds a robot that is gone to nothing, with all that it has.
void detach_robot(Robot& robot);

struct MuscleSpec;

/// Returns the reading of a muscle.
/// @param muscle  its description
/// @param endpoint  the pose of the endpoint of its joint in the frame of the Solid above [m]
/// @param status  see MuscleReading::status
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status);

}  // namespace servosim
