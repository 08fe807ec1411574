// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scene/scene.h"
#include "servosim/math.h"

namespace servosim {

class Notices;
class PhysicsWorld;
class Random;
struct JointState;
struct PropellerState;

/// The objects that the devices of a simulation are bound to; they outlive the binding.
struct DeviceEnvironment {
  const Scene& scene;
  PhysicsWorld& physics;
  std::vector<Vec3>& light_colors;  ///< present ones of WorldSettings::lights
  Notices& notices;                 ///< for the life of a device
  Random& random;                   ///< for the life of a device
};

/// What a device is made of, or bound to.
struct DeviceBinding {
  const DeviceSpec& spec;          ///< of its node; outlives the binding
  const std::string& owner;        ///< the robot's name, for notices
  const DeviceEnvironment* world;  ///< nullptr: its node is gone

  /// The joint, or shaft of a propeller, that it moves or measures; nullptr for none.
  JointState* joint() const;
  /// The propeller whose shaft that is; nullptr for none.
  const PropellerState* propeller() const;
  /// The physics of its scene; nullptr if its node is gone.
  PhysicsWorld* physics() const { return world != nullptr ? &world->physics : nullptr; }
};

/// A joint without an endpoint stands still, as in Webots, for any command of its motor.
inline bool has_endpoint(const JointSpec& joint) {
  return joint.child >= 0 || joint.reference || joint.belt;
}

}  // namespace servosim
