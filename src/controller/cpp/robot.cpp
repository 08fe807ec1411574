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

#include "controller/cpp/from_c.h"

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

template <typename Kind>
struct NodeTypes;  // lists the node types that a Kind accepts

#define SERVOSIM_NODE_TYPES(Kind, ...)                   \
  template <>                                            \
  struct NodeTypes<Kind> {                               \
    static constexpr WbNodeType kList[] = {__VA_ARGS__}; \
    static constexpr const char *kName = #Kind;          \
  };
SERVOSIM_NODE_TYPES(Accelerometer, WB_NODE_ACCELEROMETER)
SERVOSIM_NODE_TYPES(Altimeter, WB_NODE_ALTIMETER)
SERVOSIM_NODE_TYPES(Brake, WB_NODE_BRAKE)
SERVOSIM_NODE_TYPES(Camera, WB_NODE_CAMERA)
SERVOSIM_NODE_TYPES(Compass, WB_NODE_COMPASS)
SERVOSIM_NODE_TYPES(Connector, WB_NODE_CONNECTOR)
SERVOSIM_NODE_TYPES(Display, WB_NODE_DISPLAY)
SERVOSIM_NODE_TYPES(DistanceSensor, WB_NODE_DISTANCE_SENSOR)
SERVOSIM_NODE_TYPES(Emitter, WB_NODE_EMITTER)
SERVOSIM_NODE_TYPES(GPS, WB_NODE_GPS)
SERVOSIM_NODE_TYPES(Gyro, WB_NODE_GYRO)
SERVOSIM_NODE_TYPES(InertialUnit, WB_NODE_INERTIAL_UNIT)
SERVOSIM_NODE_TYPES(LED, WB_NODE_LED)
SERVOSIM_NODE_TYPES(Lidar, WB_NODE_LIDAR)
SERVOSIM_NODE_TYPES(LightSensor, WB_NODE_LIGHT_SENSOR)
SERVOSIM_NODE_TYPES(Motor, WB_NODE_ROTATIONAL_MOTOR, WB_NODE_LINEAR_MOTOR, WB_NODE_SERVO)
SERVOSIM_NODE_TYPES(Pen, WB_NODE_PEN)
SERVOSIM_NODE_TYPES(PositionSensor, WB_NODE_POSITION_SENSOR)
SERVOSIM_NODE_TYPES(Radar, WB_NODE_RADAR)
SERVOSIM_NODE_TYPES(RangeFinder, WB_NODE_RANGE_FINDER)
SERVOSIM_NODE_TYPES(Receiver, WB_NODE_RECEIVER)
SERVOSIM_NODE_TYPES(Servo, WB_NODE_ROTATIONAL_MOTOR, WB_NODE_LINEAR_MOTOR, WB_NODE_SERVO)
SERVOSIM_NODE_TYPES(Skin, WB_NODE_SKIN)
SERVOSIM_NODE_TYPES(Speaker, WB_NODE_SPEAKER)
SERVOSIM_NODE_TYPES(TouchSensor, WB_NODE_TOUCH_SENSOR)
SERVOSIM_NODE_TYPES(VacuumGripper, WB_NODE_VACUUM_GRIPPER)
#undef SERVOSIM_NODE_TYPES

template <typename Kind>
bool may_be(WbNodeType type) {
  for (const WbNodeType known : NodeTypes<Kind>::kList) {
    if (known == type) {
      return true;
    }
  }
  return false;
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
Kind *Robot::find(const std::string &name, Kind *(Robot::*create)(const std::string &) const) {
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
  if (!may_be<Kind>(type)) {
    std::cerr << "Warning: \"" << name << "\" is a " << wb_node_get_name(type) << ", not a "
              << NodeTypes<Kind>::kName << ".\n";
    return nullptr;
  }
  return keep(tag, (this->*create)(name));
}

Accelerometer *Robot::getAccelerometer(const std::string &name) {
  return find(name, &Robot::createAccelerometer);
}
Altimeter *Robot::getAltimeter(const std::string &name) {
  return find(name, &Robot::createAltimeter);
}
Brake *Robot::getBrake(const std::string &name) { return find(name, &Robot::createBrake); }
Camera *Robot::getCamera(const std::string &name) { return find(name, &Robot::createCamera); }
Compass *Robot::getCompass(const std::string &name) { return find(name, &Robot::createCompass); }
Connector *Robot::getConnector(const std::string &name) {
  return find(name, &Robot::createConnector);
}
Display *Robot::getDisplay(const std::string &name) { return find(name, &Robot::createDisplay); }
DistanceSensor *Robot::getDistanceSensor(const std::string &name) {
  return find(name, &Robot::createDistanceSensor);
}
Emitter *Robot::getEmitter(const std::string &name) { return find(name, &Robot::createEmitter); }
GPS *Robot::getGPS(const std::string &name) { return find(name, &Robot::createGPS); }
Gyro *Robot::getGyro(const std::string &name) { return find(name, &Robot::createGyro); }
InertialUnit *Robot::getInertialUnit(const std::string &name) {
  return find(name, &Robot::createInertialUnit);
}
LED *Robot::getLED(const std::string &name) { return find(name, &Robot::createLED); }
Lidar *Robot::getLidar(const std::string &name) { return find(name, &Robot::createLidar); }
LightSensor *Robot::getLightSensor(const std::string &name) {
  return find(name, &Robot::createLightSensor);
}
Motor *Robot::getMotor(const std::string &name) { return find(name, &Robot::createMotor); }
Pen *Robot::getPen(const std::string &name) { return find(name, &Robot::createPen); }
PositionSensor *Robot::getPositionSensor(const std::string &name) {
  return find(name, &Robot::createPositionSensor);
}
Radar *Robot::getRadar(const std::string &name) { return find(name, &Robot::createRadar); }
RangeFinder *Robot::getRangeFinder(const std::string &name) {
  return find(name, &Robot::createRangeFinder);
}
Receiver *Robot::getReceiver(const std::string &name) { return find(name, &Robot::createReceiver); }
Servo *Robot::getServo(const std::string &name) { return find(name, &Robot::createServo); }
Skin *Robot::getSkin(const std::string &name) { return find(name, &Robot::createSkin); }
Speaker *Robot::getSpeaker(const std::string &name) { return find(name, &Robot::createSpeaker); }
TouchSensor *Robot::getTouchSensor(const std::string &name) {
  return find(name, &Robot::createTouchSensor);
}
VacuumGripper *Robot::getVacuumGripper(const std::string &name) {
  return find(name, &Robot::createVacuumGripper);
}

Accelerometer *Robot::createAccelerometer(const std::string &name) const {
  return new Accelerometer(name);
}
Altimeter *Robot::createAltimeter(const std::string &name) const { return new Altimeter(name); }
Brake *Robot::createBrake(const std::string &name) const { return new Brake(name); }
Camera *Robot::createCamera(const std::string &name) const { return new Camera(name); }
Compass *Robot::createCompass(const std::string &name) const { return new Compass(name); }
Connector *Robot::createConnector(const std::string &name) const { return new Connector(name); }
Display *Robot::createDisplay(const std::string &name) const { return new Display(name); }
DistanceSensor *Robot::createDistanceSensor(const std::string &name) const {
  return new DistanceSensor(name);
}
Emitter *Robot::createEmitter(const std::string &name) const { return new Emitter(name); }
GPS *Robot::createGPS(const std::string &name) const { return new GPS(name); }
Gyro *Robot::createGyro(const std::string &name) const { return new Gyro(name); }
InertialUnit *Robot::createInertialUnit(const std::string &name) const {
  return new InertialUnit(name);
}
LED *Robot::createLED(const std::string &name) const { return new LED(name); }
Lidar *Robot::createLidar(const std::string &name) const { return new Lidar(name); }
LightSensor *Robot::createLightSensor(const std::string &name) const {
  return new LightSensor(name);
}
Motor *Robot::createMotor(const std::string &name) const { return new Motor(name); }
Pen *Robot::createPen(const std::string &name) const { return new Pen(name); }
PositionSensor *Robot::createPositionSensor(const std::string &name) const {
  return new PositionSensor(name);
}
Radar *Robot::createRadar(const std::string &name) const { return new Radar(name); }
RangeFinder *Robot::createRangeFinder(const std::string &name) const {
  return new RangeFinder(name);
}
Receiver *Robot::createReceiver(const std::string &name) const { return new Receiver(name); }
Servo *Robot::createServo(const std::string &name) const { return new Servo(name); }
Skin *Robot::createSkin(const std::string &name) const { return new Skin(name); }
Speaker *Robot::createSpeaker(const std::string &name) const { return new Speaker(name); }
TouchSensor *Robot::createTouchSensor(const std::string &name) const {
  return new TouchSensor(name);
}
VacuumGripper *Robot::createVacuumGripper(const std::string &name) const {
  return new VacuumGripper(name);
}

Device *Robot::made_by_type(WbDeviceTag tag) const {
  const std::string name = to_string(wb_device_get_name(tag));
  switch (wb_device_get_node_type(tag)) {
    case WB_NODE_ACCELEROMETER:
      return createAccelerometer(name);
    case WB_NODE_ALTIMETER:
      return createAltimeter(name);
    case WB_NODE_BRAKE:
      return createBrake(name);
    case WB_NODE_CAMERA:
      return createCamera(name);
    case WB_NODE_COMPASS:
      return createCompass(name);
    case WB_NODE_CONNECTOR:
      return createConnector(name);
    case WB_NODE_DISPLAY:
      return createDisplay(name);
    case WB_NODE_DISTANCE_SENSOR:
      return createDistanceSensor(name);
    case WB_NODE_EMITTER:
      return createEmitter(name);
    case WB_NODE_GPS:
      return createGPS(name);
    case WB_NODE_GYRO:
      return createGyro(name);
    case WB_NODE_INERTIAL_UNIT:
      return createInertialUnit(name);
    case WB_NODE_LED:
      return createLED(name);
    case WB_NODE_LIDAR:
      return createLidar(name);
    case WB_NODE_LIGHT_SENSOR:
      return createLightSensor(name);
    case WB_NODE_LINEAR_MOTOR:
    case WB_NODE_ROTATIONAL_MOTOR:
      return createMotor(name);
    case WB_NODE_PEN:
      return createPen(name);
    case WB_NODE_POSITION_SENSOR:
      return createPositionSensor(name);
    case WB_NODE_RADAR:
      return createRadar(name);
    case WB_NODE_RANGE_FINDER:
      return createRangeFinder(name);
    case WB_NODE_RECEIVER:
      return createReceiver(name);
    case WB_NODE_SERVO:
      return createServo(name);
    case WB_NODE_SKIN:
      return createSkin(name);
    case WB_NODE_SPEAKER:
      return createSpeaker(name);
    case WB_NODE_TOUCH_SENSOR:
      return createTouchSensor(name);
    case WB_NODE_VACUUM_GRIPPER:
      return createVacuumGripper(name);
    default:
      return nullptr;
  }
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
