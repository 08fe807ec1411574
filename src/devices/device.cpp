// SPDX-License-Identifier: Apache-2.0
#include "servosim/device.h"

#include "base/device_command.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "physics/physics_world.h"

namespace servosim {

JointState* DeviceBinding::joint() const {
  if (world == nullptr || (spec.propeller < 0 && spec.joint < 0)) {
    return nullptr;
  }
  if (spec.propeller >= 0) {
    return &world->physics.joints().propellers()[spec.propeller].shaft;
  }
  return has_endpoint(world->scene.joints[spec.joint]) ? &world->physics.joints()[spec.joint]
                                                       : nullptr;
}

const PropellerState* DeviceBinding::propeller() const {
  return world != nullptr && spec.propeller >= 0
             ? &world->physics.joints().propellers()[spec.propeller]
             : nullptr;
}

void Device::enable(int period_ms, double now_ms) {
  refuse(period_ms < 0, "sampling period", period_ms, "a number >= 0");
  sampler_.enable(period_ms, now_ms);
}

void Device::before_step(double /*h*/) {}

void Device::follow() {}

void Device::measure(double /*now_ms*/) {}

CommandEffect Device::command(const DeviceCommand& command, double now_ms) {
  if (command.kind != CommandKind::Sampling) {
    return {};
  }
  enable(command.integer, now_ms);
  return {true};
}

void Device::list_settings(std::vector<DeviceSetting>& /*settings*/) const {}

void Device::set_field(std::string_view /*field*/, std::span<const double> /*numbers*/) {}

std::function<void()> Device::keep_settings() {
  return [this, period = sampler_.period_ms()] { enable(period, Sampler::kLongAgo); };
}

void Device::archive(DeviceArchive& archive) {
  archive_state(archive);
  archive.unhashed(sampler_);
  archive.unhashed(powered_);
}

void Device::archive_state(DeviceArchive& /*archive*/) {}

}  // namespace servosim
