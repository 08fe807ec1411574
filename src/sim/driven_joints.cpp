// SPDX-License-Identifier: Apache-2.0
#include "sim/driven_joints.h"

#include "base/assert.h"
#include "scene/scene.h"

namespace servosim {

bool drives_joint(const DeviceNode& device) {
  return device.spec->motor && device.joint >= 0 && !device.detached;
}

std::vector<const DeviceNode*> driven_joints(const Robot& robot) {
  std::vector<const DeviceNode*> devices;
  for (const DeviceNode& device : robot.devices()) {
    if (drives_joint(device)) {
      devices.push_back(&device);
    }
  }
  return devices;
}

bool is_endless_belt(const Scene& scene, const DeviceNode& device) {
  SERVOSIM_ASSERT(drives_joint(device), "device \"{}\" drives no joint", device.name);
  return scene.joints[device.spec->joint].belt &&
         device.spec->motor->min_position == device.spec->motor->max_position;
}

}  // namespace servosim
