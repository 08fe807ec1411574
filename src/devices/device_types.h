// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "devices/device_binding.h"
#include "scene/body_sensors.h"
#include "servosim/device.h"

namespace servosim {

/// Makes the devices that a node consists of, in the state of the start; none for a type of node
/// that is not simulated. DeviceBinding::world must not be null.
std::vector<std::unique_ptr<Device>> make_devices(const DeviceBinding& binding);

/// Makes a device of class T. Sensors that are Solids have a specialization in the file of their
/// class, so that the class needs no header.
template <typename T>
std::unique_ptr<Device> make_device(const DeviceBinding& binding) {
  return std::make_unique<T>(binding);
}

#define SERVOSIM_DECLARE_SENSOR(NODE) \
  class NODE;                         \
  template <>                         \
  std::unique_ptr<Device> make_device<NODE>(const DeviceBinding& binding);
SERVOSIM_BODY_SENSORS(SERVOSIM_DECLARE_SENSOR)
SERVOSIM_DECLARE_SENSOR(RangeFinder)
SERVOSIM_DECLARE_SENSOR(Lidar)
SERVOSIM_DECLARE_SENSOR(Camera)
SERVOSIM_DECLARE_SENSOR(Recognition)
SERVOSIM_DECLARE_SENSOR(Radar)
#undef SERVOSIM_DECLARE_SENSOR

}  // namespace servosim

/// Defines make_device() of a sensor that is a Solid. It is at the end of the file of the class.
#define SERVOSIM_MAKE_SENSOR(NODE)                                          \
  template <>                                                               \
  std::unique_ptr<Device> make_device<NODE>(const DeviceBinding& binding) { \
    return std::make_unique<NODE>(binding);                                 \
  }
