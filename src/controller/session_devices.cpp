// SPDX-License-Identifier: Apache-2.0
// Commands for devices that are neither motors nor sensors.
#include <stdexcept>

#include "controller/session.h"

namespace servosim {

void Session::apply_to_wheels(const Command& command) {
  DifferentialWheels* wheels = robot_.wheels();
  if (command.tag != 0 || wheels == nullptr) {
    throw std::invalid_argument("a command of a DifferentialWheels for something else");
  }
  switch (command.kind) {
    case CommandKind::WheelSpeeds:
      return wheels->set_speed(command.numbers[0], command.numbers[1]);
    case CommandKind::SetEncoders:
      return wheels->set_encoders(command.numbers[0], command.numbers[1]);
    default:
      return wheels->enable_encoders(command.integer, now_ms());
  }
}

void Session::apply_to_connector(const Command& command) {
  const Device& found = device(command);
  if (found.connector == nullptr) {
    throw std::invalid_argument("a connector command for a device that is no connector");
  }
  command.integer != 0 ? found.connector->lock() : found.connector->unlock();
  tell_again(command, found.node_type == "VacuumGripper" ? "isOn" : "isLocked");
}

void Session::apply_to_led(const Command& command) {
  const Device& found = device(command);
  if (found.led == nullptr) {
    throw std::invalid_argument("an LED command for a device that is no LED");
  }
  found.led->set(command.integer);
  tell_again(command, kLedValue);  // a reset after the step may take it back
}

}  // namespace servosim
