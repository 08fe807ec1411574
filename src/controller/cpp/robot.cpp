// SPDX-License-Identifier: Apache-2.0
#include <webots/plugins/robot_window/robot_wwi.h>
#include <webots/robot.h>

#include <cstdlib>
#include <iostream>
#include <webots/Device.hpp>
#include <webots/Joystick.hpp>
#include <webots/Keyboard.hpp>
#include <webots/Mouse.hpp>
#include <webots/Robot.hpp>

#include "controller/cpp/to_string.h"

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

}  // namespace webots
