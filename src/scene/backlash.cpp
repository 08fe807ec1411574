// SPDX-License-Identifier: Apache-2.0
#include "scene/backlash.h"

#include <fmt/format.h>

#include <vector>

namespace servosim {

namespace {

std::vector<bool> joints_with_motors(const Scene& scene) {
  std::vector<bool> driven(scene.joints.size(), false);
  const auto mark = [&driven](const std::vector<DeviceSpec>& devices) {
    for (const DeviceSpec& device : devices) {
      if (device.motor && device.joint >= 0) {
        driven[device.joint] = true;
      }
    }
  };
  mark(scene.ownerless_motors);
  for (const RobotSpec& robot : scene.robots) {
    mark(robot.devices);
  }
  return driven;
}

}  // namespace

void settle_backlash(Scene& scene, Diagnostics& diagnostics) {
  const std::vector<bool> driven = joints_with_motors(scene);
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    JointSpec& joint = scene.joints[j];
    if (joint.backlash == 0.0) {
      continue;
    }
    const char* why = nullptr;
    if (axis_count(joint.kind) > 1) {
      why = "joints of several axes have none";
    } else if (!driven[j]) {
      why = "no motor drives it";
    } else if (joint.child < 0 || !scene.solids[joint.child].physics) {
      why = "its endPoint has no Physics";
    }
    if (why != nullptr) {
      diagnostics.warning(joint.where, fmt::format("backlash of joint \"{}\" is not simulated: {}",
                                                   joint.name, why));
      joint.backlash = 0.0;
    }
  }
}

}  // namespace servosim
