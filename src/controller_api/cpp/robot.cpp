// SPDX-License-Identifier: Apache-2.0
#include <webots/device.h>
#include <webots/nodes.h>
#include <webots/plugins/robot_window/robot_wwi.h>
#include <webots/robot.h>

#include <cstdlib>
#include <iostream>
#include <webots/Accelerometer.hpp>
#include <webots/Altimeter.hpp>
#include <webots/Brake.hpp>
#include <webots/Camera.hpp>
#include <webots/Compass.hpp>
#include <webots/Connector.hpp>
#include <webots/Device.hpp>
#include <webots/Display.hpp>
#include <webots/DistanceSensor.hpp>
#include <webots/Emitter.hpp>
#include <webots/GPS.hpp>
#include <webots/Gyro.hpp>
#include <webots/InertialUnit.hpp>
#include <webots/Joystick.hpp>
#include <webots/Keyboard.hpp>
#include <webots/LED.hpp>
#include <webots/Lidar.hpp>
#include <webots/LightSensor.hpp>
#include <webots/Motor.hpp>
#include <webots/Mouse.hpp>
#include <webots/Pen.hpp>
#include <webots/PositionSensor.hpp>
#include <webots/Radar.hpp>
#include <webots/RangeFinder.hpp>
#include <webots/Receiver.hpp>
#include <webots/Robot.hpp>
#include <webots/Servo.hpp>
#include <webots/Skin.hpp>
#include <webots/Speaker.hpp>
#include <webots/TouchSensor.hpp>
#include <webots/VacuumGripper.hpp>

#include "controller_api/cpp/from_c.h"

namespace webots {

namespace {

Robot *the_robot = nullptr;

}  // namespace

Robot::Robot()
    : keyboard_(std::make_unique<Keyboard>()),
      mouse_(std::make_unique<Mouse>()),
      joystick_(std::make_unique<Joystick>()) {
  if (the_robot != nullptr) {
    std::cerr << "Error: a controller can have one Robot object only.\n";
    std::exit(EXIT_FAILURE);
  }
  the_robot = this;
  wb_robot_init();
}

Robot::~Robot() {
  devices_.clear();
  wb_robot_cleanup();
  the_robot = nullptr;
}

Robot *Robot::getInstance() { return the_robot; }

int Robot::step(int duration) { return wb_robot_step(duration); }

int Robot::stepBegin(int duration) { return wb_robot_step_begin(duration); }

int Robot::stepEnd() { return wb_robot_step_end(); }

Robot::UserInputEvent Robot::waitForUserInputEvent(UserInputEvent eventType, int timeout) {
  return static_cast<UserInputEvent>(
      wb_robot_wait_for_user_input_event(static_cast<WbUserInputEvent>(eventType), timeout));
}

std::string Robot::getName() const { return to_string(wb_robot_get_name()); }

std::string Robot::getUrdf(const std::string &prefix) const {
  return to_string(wb_robot_get_urdf(prefix.c_str()));
}

double Robot::getTime() const { return wb_robot_get_time(); }

std::string Robot::getModel() const { return to_string(wb_robot_get_model()); }

std::string Robot::getCustomData() const { return to_string(wb_robot_get_custom_data()); }

void Robot::setCustomData(const std::string &data) { wb_robot_set_custom_data(data.c_str()); }

Robot::Mode Robot::getMode() const { return static_cast<Mode>(wb_robot_get_mode()); }

void Robot::setMode(Mode mode, const char *arg) {
  wb_robot_set_mode(static_cast<WbRobotMode>(mode), arg);
}

bool Robot::getSupervisor() const { return wb_robot_get_supervisor(); }

bool Robot::getSynchronization() const { return wb_robot_get_synchronization(); }

std::string Robot::getProjectPath() const { return to_string(wb_robot_get_project_path()); }

std::string Robot::getWorldPath() const { return to_string(wb_robot_get_world_path()); }

double Robot::getBasicTimeStep() const { return wb_robot_get_basic_time_step(); }

void Robot::batterySensorEnable(int samplingPeriod) {
  wb_robot_battery_sensor_enable(samplingPeriod);
}

void Robot::batterySensorDisable() { wb_robot_battery_sensor_disable(); }

int Robot::batterySensorGetSamplingPeriod() const {
  return wb_robot_battery_sensor_get_sampling_period();
}

double Robot::batterySensorGetValue() const { return wb_robot_battery_sensor_get_value(); }

void Robot::pinToStaticEnvironment(bool pin) { wb_robot_pin_to_static_environment(pin); }

void Robot::wwiSendText(const std::string &text) {
  wb_robot_wwi_send(text.c_str(), static_cast<int>(text.size() + 1));
}

std::string Robot::wwiReceiveText() { return to_string(wb_robot_wwi_receive_text()); }

void Robot::wwiSend(const char *data, int size) { wb_robot_wwi_send(data, size); }

const char *Robot::wwiReceive(int *size) { return wb_robot_wwi_receive(size); }

void Robot::keyboardEnable(int ms) { wb_robot_keyboard_enable(ms); }

void Robot::keyboardDisable() { wb_robot_keyboard_disable(); }

int Robot::keyboardGetKey() const { return wb_robot_keyboard_get_key(); }

std::string Robot::getControllerName() const { return to_string(wb_robot_get_controller_name()); }

std::string Robot::getControllerArguments() const {
  return to_string(wb_robot_get_controller_arguments());
}

int Robot::getType() const { return wb_robot_get_type(); }

// ---- devices, by name and by type

Device::Device(const std::string &name) : name_(name), tag_(wb_robot_get_device(name.c_str())) {}

Device::Device(WbDeviceTag tag) : name_(to_string(wb_device_get_name(tag))), tag_(tag) {}

std::string Device::getModel() const { return to_string(wb_device_get_model(tag_)); }

int Device::getNodeType() const { return wb_device_get_node_type(tag_); }

namespace {

// Returns whether an object of a class may stand for a device of that type of node.
bool may_be(const std::string &kind, WbNodeType type) {
  const bool is_motor =
      type == WB_NODE_ROTATIONAL_MOTOR || type == WB_NODE_LINEAR_MOTOR || type == WB_NODE_SERVO;
  return is_motor ? kind == "Motor" || kind == "Servo" : kind == wb_node_get_name(type);
}

}  // namespace

template <typename Kind>
Kind *Robot::keep(WbDeviceTag tag, Kind *device) {
  if (device != nullptr) {
    devices_[tag].emplace_back(device);
  }
  return device;
}

template <typename Kind>
Kind *Robot::find(const std::string &name, const char *kind,
                  Kind *(Robot::*create)(const std::string &) const) {
  const WbDeviceTag tag = wb_robot_get_device(name.c_str());
  if (tag == 0) {
    return nullptr;
  }
  for (const std::unique_ptr<Device> &device : devices_[tag]) {
    if (Kind *found = dynamic_cast<Kind *>(device.get())) {
      return found;
    }
  }
  const WbNodeType type = wb_device_get_node_type(tag);
  if (!may_be(kind, type)) {
    std::cerr << "Warning: \"" << name << "\" is a " << wb_node_get_name(type) << ", not a " << kind
              << ".\n";
    return nullptr;
  }
  return keep(tag, (this->*create)(name));
}

#define SERVOSIM_DEVICE(Kind)                       \
  Kind *Robot::get##Kind(const std::string &name) { \
    return find(name, #Kind, &Robot::create##Kind); \
  }                                                 \
  Kind *Robot::create##Kind(const std::string &name) const { return new Kind(name); }
WEBOTS_DEVICES(SERVOSIM_DEVICE)
#undef SERVOSIM_DEVICE

Device *Robot::made_by_type(WbDeviceTag tag) const {
  const std::string name = to_string(wb_device_get_name(tag));
  const WbNodeType type = wb_device_get_node_type(tag);
  if (type == WB_NODE_SERVO) {
    return createServo(name);
  }
#define SERVOSIM_MAKE(Kind)    \
  if (may_be(#Kind, type)) {   \
    return create##Kind(name); \
  }
  WEBOTS_DEVICES(SERVOSIM_MAKE)
#undef SERVOSIM_MAKE
  return nullptr;
}

Device *Robot::device_of(WbDeviceTag tag) {
  if (tag == 0) {
    return nullptr;
  }
  const auto &made = devices_[tag];
  return made.empty() ? keep(tag, made_by_type(tag)) : made.front().get();
}

Device *Robot::getDeviceByIndex(int index) {
  return device_of(wb_robot_get_device_by_index(index));
}

Device *Robot::getDevice(const std::string &name) {
  return device_of(wb_robot_get_device(name.c_str()));
}

int Robot::getNumberOfDevices() const { return wb_robot_get_number_of_devices(); }

int Robot::getDeviceTagFromName(const std::string &name) {
  return wb_robot_get_device(name.c_str());
}

Device *Robot::getDeviceFromTag(int tag) {
  Robot *robot = getInstance();
  return robot != nullptr ? robot->device_of(static_cast<WbDeviceTag>(tag)) : nullptr;
}

}  // namespace webots
