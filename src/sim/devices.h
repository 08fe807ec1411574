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

/// A node of a scene with its devices, as it is at the start. `owner` is the robot's name, for
/// notices. It keeps `spec` alive, to which its devices refer.
DeviceNode make_node(std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                     const DeviceEnvironment& environment);

/// Binds the devices of a node to the same node of another scene.
void rebind_node(DeviceNode& node, std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                 const DeviceEnvironment& environment);

/// Binds the devices of a node that is gone to nothing: they do nothing, and keep their last
/// readings.
void detach_node(DeviceNode& node);

/// A robot of a scene with all its devices, as it is at the start.
std::unique_ptr<Robot> make_robot(std::shared_ptr<const RobotSpec> spec, int index,
                                  const DeviceEnvironment& environment);

/// The battery that a robot has at the start; none where it is not simulated.
std::optional<Battery> make_battery(const RobotSpec& spec);

/// Binds a robot that is gone to nothing, with all that it has.
void detach_robot(Robot& robot);

struct MuscleSpec;

/// A muscle whose endpoint stands at `endpoint` in the parent Solid's frame.
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status);

}  // namespace servosim
