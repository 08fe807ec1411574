// SPDX-License-Identifier: Apache-2.0
#include "devices/device_types.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "servosim/display.h"
#include "servosim/pen.h"
#include "servosim/robot.h"

namespace servosim {

namespace {

struct DeviceType {
  std::string_view node;
  std::array<std::unique_ptr<Device> (*)(const DeviceBinding&), 3> devices;  // null: no device
};

// The parts of a Camera; null if it does not have one. Up to V8.3 a Camera could measure distances,
// alone or with its picture.
std::unique_ptr<Device> make_recognition(const DeviceBinding& binding) {
  return binding.spec.camera->recognition ? make_device<Recognition>(binding) : nullptr;
}
bool is_camera_of_type(const DeviceSpec& spec, std::string_view type) {
  return spec.ranging &&
         std::any_of(spec.fields.begin(), spec.fields.end(), [type](const DeviceField& field) {
           return field.name == "type" && field.text == type;
         });
}
std::unique_ptr<Device> make_colors(const DeviceBinding& binding) {
  return is_camera_of_type(binding.spec, "range-finder") ? nullptr : make_device<Camera>(binding);
}
std::unique_ptr<Device> make_distances(const DeviceBinding& binding) {
  return is_camera_of_type(binding.spec, "range-finder") || is_camera_of_type(binding.spec, "both")
             ? make_device<RangeFinder>(binding)
             : nullptr;
}

#define SERVOSIM_BODY_SENSOR_ROW(NODE) {#NODE, {make_device<NODE>}},
constexpr DeviceType kDeviceTypes[] = {
    // wb_motor_get_position() of Webots 7 reads the joint through its motor.
    {"RotationalMotor", {make_device<PositionSensor>, make_device<Motor>}},
    {"LinearMotor", {make_device<PositionSensor>, make_device<Motor>}},
    {"Servo", {make_device<PositionSensor>, make_device<Motor>}},
    {"PositionSensor", {make_device<PositionSensor>}},
    {"Brake", {make_device<Brake>}},
    {"DifferentialWheels", {make_device<DifferentialWheels>}},
    SERVOSIM_BODY_SENSORS(SERVOSIM_BODY_SENSOR_ROW)  //
    {"RangeFinder", {make_device<RangeFinder>}},
    {"Lidar", {make_device<Lidar>}},
    {"Camera", {make_colors, make_distances, make_recognition}},
    {"Radar", {make_device<Radar>}},
    {"Emitter", {make_device<Emitter>}},
    {"Receiver", {make_device<Receiver>}},
    {"Radio", {make_device<Emitter>, make_device<Receiver>}},
    {"Connector", {make_device<Connector>}},
    {"VacuumGripper", {make_device<Connector>}},
    {"LED", {make_device<Led>}},
    {"Display", {make_device<Display>}},
    {"Pen", {make_device<Pen>}},
};
#undef SERVOSIM_BODY_SENSOR_ROW

// A motor, a sensor or a brake that is a child of a Solid instead of a device of a joint does
// nothing.
bool is_simulated(const DeviceSpec& spec) {
  return spec.motor || spec.sensor || spec.brake || spec.body_sensor || spec.ranging ||
         spec.camera || spec.radar || spec.emitter || spec.receiver || spec.connector || spec.led ||
         spec.display || spec.pen || spec.wheels;
}

}  // namespace

std::vector<std::unique_ptr<Device>> make_devices(const DeviceBinding& binding) {
  std::vector<std::unique_ptr<Device>> devices;
  if (!is_simulated(binding.spec)) {
    return devices;
  }
  const auto* const type = std::find_if(
      std::begin(kDeviceTypes), std::end(kDeviceTypes),
      [&binding](const DeviceType& row) { return row.node == binding.spec.node_type; });
  if (type != std::end(kDeviceTypes)) {
    for (const auto& make : type->devices) {
      if (std::unique_ptr<Device> made = make != nullptr ? make(binding) : nullptr) {
        devices.push_back(std::move(made));
      }
    }
  }
  return devices;
}

}  // namespace servosim
