// SPDX-License-Identifier: Apache-2.0
#include "scene/scene_checks.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

namespace servosim {

namespace {

void check_device_names(const RobotSpec& robot, Diagnostics& diagnostics) {
  std::map<std::string_view, const DeviceSpec*> first;
  std::set<std::string_view> reported;
  for (const DeviceSpec& device : robot.devices) {
    if (device.name.empty()) {
      continue;
    }
    const auto [known, is_new] = first.try_emplace(device.name, &device);
    if (!is_new && reported.insert(device.name).second) {
      diagnostics.warning(
          device.where,
          fmt::format("robot \"{}\" has a {} \"{}\" and a {} \"{}\"; a controller finds the first",
                      robot.name, known->second->node_type, device.name, device.node_type,
                      device.name));
    }
  }
}

void check_collisions(const Scene& scene, const SolidSpec& solid, Diagnostics& diagnostics) {
  if (solid.physics || solid.shapes.empty() || solid.parent < 0) {
    return;
  }
  const SolidSpec& parent = scene.solids[solid.parent];
  if (parent.physics) {
    diagnostics.warning(solid.where,
                        fmt::format("Solid \"{}\" has a boundingObject but no Physics: its "
                                    "collisions have no effect on Solid \"{}\" above it",
                                    solid.name, parent.name));
  }
}

bool has_velocity(const SolidSpec& solid) {
  return solid.linear_velocity != Vec3{} || solid.angular_velocity != Vec3{};
}

// The nearest Solid above that a joint, or its velocity, moves without forces, if nothing with
// Physics is between.
int kinematic_mover(const Scene& scene, const SolidSpec& solid) {
  int s = solid.parent;
  while (s >= 0 && !scene.solids[s].physics && scene.solids[s].joint < 0 &&
         !has_velocity(scene.solids[s])) {
    s = scene.solids[s].parent;
  }
  return s >= 0 && !scene.solids[s].physics ? s : -1;
}

void check_solids(const Scene& scene, const std::set<int>& blades, Diagnostics& diagnostics) {
  std::set<int> reported;
  int index = 0;
  for (const SolidSpec& solid : scene.solids) {
    if (blades.count(index++) == 0) {
      check_collisions(scene, solid, diagnostics);
    }
    const int mover = solid.physics ? kinematic_mover(scene, solid) : -1;
    if (mover < 0 || !reported.insert(mover).second) {
      continue;
    }
    const SolidSpec& moved = scene.solids[mover];
    diagnostics.warning(
        moved.where, fmt::format("Solid \"{}\" is moved by its {} but has no Physics: Solid "
                                 "\"{}\" below it has Physics and is not carried along",
                                 moved.name, moved.joint >= 0 ? "joint" : "velocity", solid.name));
  }
}

}  // namespace

void check_scene(const Scene& scene, const std::set<int>& blades, Diagnostics& diagnostics) {
  for (const RobotSpec& robot : scene.robots) {
    check_device_names(robot, diagnostics);
  }
  check_solids(scene, blades, diagnostics);
}

}  // namespace servosim
