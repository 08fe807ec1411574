// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene/scene.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"

namespace servosim {

class Notices;
class PhysicsWorld;
class Random;

/// The objects that the devices of a simulation are bound to; must outlive the binding.
struct DeviceEnvironment {
  const Scene& scene;
  PhysicsWorld& physics;
  std::vector<Vec3>& light_colors;  ///< present ones of WorldSettings::lights
  Notices& notices;                 ///< likewise for the life of a device
  Random& random;                   ///< likewise
};

/// A device of a scene, as it is at the start. `owner` is the robot's name, for notices. Its parts
/// refer to `spec`, which it keeps alive.
Device make_device(std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                   const DeviceEnvironment& environment);

/// Binds a device to the same node of another scene: to its description, joint, Solid and physics.
/// Its parts keep their commands and measurements, within the new limits.
void rebind_device(Device& device, std::shared_ptr<const DeviceSpec> spec, const std::string& owner,
                   const DeviceEnvironment& environment);

/// Binds a device whose node is gone to nothing: it does nothing, and keeps its last readings.
void detach_device(Device& device);

/// A robot of a scene with all its devices, as it is at the start.
std::unique_ptr<Robot> make_robot(std::shared_ptr<const RobotSpec> spec, int index,
                                  const DeviceEnvironment& environment);

/// The battery that a robot has at the start; none where it is not simulated.
std::optional<Battery> make_battery(const RobotSpec& spec);

/// Binds a robot that is gone to nothing, with all that it has.
void detach_robot(Robot& robot);

/// Calls an action with each kind of part that a device may have: its pointer. All code that
/// handles every kind of a device must use it; of all devices: for_each_list().
template <typename Action, typename AnyDevice>
void for_each_part(Action action, AnyDevice& device) {
  action(device.motor);
  action(device.sensor);
  action(device.brake);
  action(device.body_sensor);
  action(device.emitter);
  action(device.receiver);
  action(device.connector);
  action(device.led);
}

/// A joint without an endpoint stands still, as in Webots, for any command of its motor.
inline bool has_endpoint(const JointSpec& joint) {
  return joint.child >= 0 || joint.reference || joint.belt;
}

struct MuscleSpec;

/// A muscle whose endpoint stands at `endpoint` in the parent Solid's frame.
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status);

}  // namespace servosim
