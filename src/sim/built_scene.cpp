// SPDX-License-Identifier: Apache-2.0
#include "sim/built_scene.h"

#include <fmt/format.h>

#include <utility>

#include "servosim/diagnostics.h"

namespace servosim {

BuiltScene::BuiltScene(std::shared_ptr<const Scene> the_scene, WorldTree& tree,
                       Diagnostics& diagnostics, const PhysicsOptions& options,
                       const BuiltScene* like, const BuiltScene* before)
    : scene(std::move(the_scene)),
      physics(*scene, diagnostics, options, like != nullptr ? &like->physics : nullptr),
      surfaces(*scene, before != nullptr ? &before->surfaces : nullptr),
      sight(tree, *scene, physics, colors, surfaces, *options.notices,
            like != nullptr ? &like->sight : nullptr,
            before != nullptr ? &before->sight : nullptr) {
  for (const LightSpec& light : scene->world.lights) {
    colors.lights.push_back(light.color);
  }
  for (const RobotSpec& robot : scene->robots) {
    for (const DeviceSpec& device : robot.devices) {
      colors.leds.resize(colors.leds.size() + (device.led ? 1 : 0));
      const bool has_spot = device.body_sensor && device.body_sensor->laser >= 0;
      colors.spots.resize(colors.spots.size() + (has_spot ? 1 : 0));
    }
  }
}

void BuiltScene::refuse_out_of_range() const {
  const int solid = physics.out_of_range();
  if (solid < 0) {
    return;
  }
  const SolidSpec& spec = scene->solids[solid];
  Diagnostics diagnostics;
  diagnostics.error(spec.where,
                    fmt::format("Solid \"{}\" is too far away or too fast to be simulated: beyond "
                                "1e9 m, m/s or rad/s; put it nearer",
                                spec.name));
  throw LoadError(diagnostics.list());
}

SolidVelocity velocity_of(const PhysicsWorld& physics, int solid) {
  const PointMotion motion =
      physics.bodies().motion(solid).value_or(physics.kinematic_motion().velocity(solid));
  return {motion.velocity, motion.spin};
}

}  // namespace servosim
