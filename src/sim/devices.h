// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scene/scene.h"
#include "servosim/robot.h"
#include "servosim/simulation.h"

namespace servosim {

class Notices;
class PhysicsWorld;
class Random;

/// What the devices of a simulation work with; must outlive them.
struct DeviceSurroundings {
  const Scene& scene;
  PhysicsWorld& physics;
  Notices& notices;
  Random& random;
  std::vector<Vec3>& light_colors;  ///< present ones of WorldSettings::lights
};

/// A device of a scene, as it is at the start. `owner` is for notices. `spec` must outlive it.
Device make_device(const DeviceSpec& spec, const std::string& owner,
                   const DeviceSurroundings& around);

/// Makes that of a spec which belongs to no joint and no Solid of its own: with a device made of it
/// nothing moves and nothing is measured. Its Solid is the first of a scene.
DeviceSpec without_surroundings(DeviceSpec spec);

/// Calls an action with each kind of part that a device may have: its pointer, or those of several
/// devices side by side. Whatever is to be done with all kinds is done through this.
template <typename Action, typename... Devices>
void for_each_part(Action action, Devices&... devices) {
  action(devices.motor...);
  action(devices.sensor...);
  action(devices.brake...);
  action(devices.solid_sensor...);
  action(devices.emitter...);
  action(devices.receiver...);
  action(devices.connector...);
  action(devices.led...);
}

struct MuscleSpec;

/// A muscle whose endpoint stands at `endpoint` in the parent Solid's frame.
MuscleReading read_muscle(const MuscleSpec& muscle, const Pose& endpoint, double status);

}  // namespace servosim
