// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "devices/device_binding.h"
#include "scene/body_sensors.h"
#include "servosim/device.h"

namespace servosim {

/// The devices that a node consists of, as they are at the start; none for a type of node that is
/// not simulated.
std::vector<std::unique_ptr<Device>> make_devices(const DeviceBinding& binding);

template <typename T>
std::unique_ptr<Device> make_device(const DeviceBinding& binding) {
  return std::make_unique<T>(binding);
}

#define SERVOSIM_DECLARE_BODY_SENSOR(NODE) \
  class NODE;                              \
  template <>                              \
  std::unique_ptr<Device> make_device<NODE>(const DeviceBinding& binding);
SERVOSIM_BODY_SENSORS(SERVOSIM_DECLARE_BODY_SENSOR)
#undef SERVOSIM_DECLARE_BODY_SENSOR

}  // namespace servosim

/// Defines how a sensor of SERVOSIM_BODY_SENSORS is made: at the end of the file of its class.
#define SERVOSIM_MAKE_BODY_SENSOR(NODE)                                     \
  template <>                                                               \
  std::unique_ptr<Device> make_device<NODE>(const DeviceBinding& binding) { \
    return std::make_unique<NODE>(binding);                                 \
  }
