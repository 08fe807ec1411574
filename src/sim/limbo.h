// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "core/notices.h"
#include "core/random.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
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

}  // namespace servosim
