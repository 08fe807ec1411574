// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scene/scene.h"

namespace servosim {

class Notices;
class PaintedSurfaces;
class PhysicsWorld;
class Random;
class Sight;
struct JointState;
struct PropellerState;
struct SwitchedColors;

/// The objects of a simulation that its devices are bound to. They outlive the binding.
///
/// Threads: one at a time, with the whole Simulation.
struct DeviceEnvironment {
  const Scene& scene;
  PhysicsWorld& physics;
  SwitchedColors& colors;     ///< outlives the devices
  Notices& notices;           ///< where messages go; outlives the devices
  Random& random;             ///< gives the noise; outlives the devices
  Sight& sight;               ///< what sensors of pictures see
  PaintedSurfaces& surfaces;  ///< what controllers draw on
};

/// What a device is made from, or bound to.
///
/// Threads: one at a time, with the whole Simulation.
struct DeviceBinding {
  const DeviceSpec& spec;          ///< the description of its node; outlives the binding
  const std::string& owner;        ///< the robot's name, for notices
  const DeviceEnvironment* world;  ///< nullptr: its node is gone

  /// The joint, or shaft of a propeller, that the device moves or measures; nullptr for none, for a
  /// joint without an endpoint, and for a node that is gone.
  JointState* joint() const;
  /// The propeller whose shaft joint() is; nullptr for none.
  const PropellerState* propeller() const;
  /// The physics of its scene; nullptr if its node is gone.
  PhysicsWorld* physics() const { return world != nullptr ? &world->physics : nullptr; }
};

/// Returns a value that a controller may set, after an edit of the tree: that of the field if the
/// edit has changed it, else the one that was set. In rebind() the former description still exists.
template <typename T>
T setting_after(const T& set, const T& before, const T& now) {
  return before == now ? set : now;
}

/// Whether something can move at the joint. A joint without an endpoint remains at rest for any
/// command of its motor, as in Webots.
inline bool has_endpoint(const JointSpec& joint) {
  return joint.child >= 0 || joint.reference || joint.belt;
}

}  // namespace servosim
