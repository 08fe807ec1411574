// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "base/random.h"
#include "base/report_once.h"
#include "physics/physics_world.h"
#include "scene/device_spec.h"
#include "scene/scene.h"
#include "servosim/robot.h"
#include "sim/devices.h"

namespace servosim {

/// Where the devices of nodes are that left the tree: a world of one Solid in which no time passes.
/// They can still be told things and asked.
struct Limbo {
  explicit Limbo(Notices the_notices) : notices(std::move(the_notices)) {}

  DeviceSurroundings surroundings() { return {scene, physics, notices, random, light_colors}; }

  Notices notices;
  Random random{0};
  Scene scene = [] {
    Scene one;
    one.solids.emplace_back();
    return one;
  }();
  Diagnostics diagnostics;
  PhysicsWorld physics{scene, diagnostics};
  std::vector<Vec3> light_colors;      // none
  std::vector<Connector*> connectors;  // none: they find nobody there
  std::deque<DeviceSpec> devices;      // addresses are kept
  std::deque<RobotSpec> robots;
};

// How parts of devices go on whose nodes may have other fields than before.

template <typename Part>
void go_on(Part& part, const typename Part::State& was, const DeviceSpec&, const DeviceSpec&) {
  part.set_state(was);
}

/// What stood at its maximum stays there; all else is kept, within the new limits.
void go_on(Motor& motor, const Motor::State& was, const DeviceSpec& before, const DeviceSpec& now);
/// A channel or range that the tree changes counts more than the one that was set. A range that was
/// set stays when another maxRange gives the field another value, as far as it may.
void go_on(Emitter& emitter, const Emitter::State& was, const DeviceSpec& before,
           const DeviceSpec& now);
void go_on(Receiver& receiver, const Receiver::State& was, const DeviceSpec& before,
           const DeviceSpec& now);

}  // namespace servosim
