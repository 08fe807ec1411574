// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "base/shortage.h"
#include "scene/device_builders.h"
#include "servo_models/catalogue.h"
#include "servo_models/servo_fields.h"

namespace servosim {
namespace {

// Returns why the motor of a device cannot be a servo; nullptr if it can.
const char* why_no_servo(const Scene& scene, const DeviceSpec& device, bool has_robot) {
  if (!has_robot) {
    return "it is not in a Robot";
  }
  if (device.propeller >= 0) {
    return "it turns a Propeller, which has no joint";
  }
  if (device.joint < 0) {
    return "it moves no joint";
  }
  const JointSpec& joint = scene.joints[device.joint];
  return joint.child < 0 || !scene.solids[joint.child].physics
             ? "the endPoint of its joint has no Physics"
             : nullptr;
}

class ServoFinder {
 public:
  ServoFinder(const Scene& scene, const ServoCatalogue& catalogue, Findings& findings)
      : scene_(scene), catalogue_(catalogue), findings_(findings) {}

  void find(DeviceSpec& device, bool has_robot) {
    if (!device.motor || device.motor->servo_choice.empty()) {
      return;
    }
    MotorSpec& motor = *device.motor;
    if (const char* why = why_no_servo(scene_, device, has_robot)) {
      findings_.replacement(
          motor.servo_where,
          fmt::format("servo of motor \"{}\" is not simulated: {}", device.name, why));
      return;
    }
    try {
      const auto servo = motor.type == JointType::Linear ? slider(motor) : shaft(motor);
      check_supply(servo->supply, device.name);
      warn_of_voltage(*servo, motor, device.name);
      warn_of_idle_gains(*servo, motor, device.name);
      motor.servo = servo;
    } catch (const std::exception& error) {
      rethrow_if_short(error);
      findings_.error(motor.servo_where,
                      fmt::format("servo of motor \"{}\": {}", device.name, error.what()));
    }
  }

  // Supplies have a name within a robot.
  void start_robot() { supplies_.clear(); }

 private:
  void warn_of_voltage(const ServoModel& servo, const MotorSpec& motor, const std::string& name) {
    const double volts = servo.supply.voltage;
    const auto& [least, most] =
        std::pair(servo.protection.min_voltage, servo.protection.max_voltage);
    if (volts < least || volts > most) {
      findings_.warning(
          motor.servo_where,
          fmt::format("servo of motor \"{}\" gives no torque: its supply.voltage {:g} is {} than "
                      "its protection.{} {:g}; give one of them another value",
                      name, volts, volts < least ? "less" : "more",
                      volts < least ? "min_voltage" : "max_voltage", volts < least ? least : most));
    }
  }

  // A gain that the file of the servo has by itself asks for nothing.
  void warn_of_idle_gains(const ServoModel& servo, const MotorSpec& motor,
                          const std::string& name) {
    for (const auto& [key, value] : read_servo_choice(motor.servo_choice).values) {
      const ServoField& field = servo_field(key);
      const bool is_gain = key == "firmware.p" || key == "firmware.i" || key == "firmware.d";
      const std::string_view why = is_gain ? why_idle(servo.firmware, field.name()) : "";
      if (!why.empty() && std::get<double>(value_of(servo, field)) > 0.0) {
        findings_.warning(motor.servo_where,
                          fmt::format("servo of motor \"{}\": {}={} has no effect, since {}", name,
                                      key, value, why));
      }
    }
  }

  void check_supply(const ServoSupply& supply, const std::string& motor) {
    if (supply.name.empty()) {
      return;
    }
    const auto& [first, of] = *supplies_.try_emplace(supply.name, supply, motor).first;
    const ServoSupply& shared = of.first;
    if (shared.voltage != supply.voltage || shared.resistance != supply.resistance ||
        shared.min_voltage != supply.min_voltage) {
      throw std::invalid_argument(fmt::format(
          "its supply \"{}\" has {} V, {} Ω and min_voltage {} V, and that of motor \"{}\", which "
          "has the same name, has {} V, {} Ω and {} V; give both the same or other names",
          first, supply.voltage, supply.resistance, supply.min_voltage, of.second, shared.voltage,
          shared.resistance, shared.min_voltage));
    }
  }

  std::shared_ptr<const ServoModel> shaft(const MotorSpec& motor) const {
    auto servo = catalogue_.model(motor.servo_choice);
    if (servo->drive.travel != 0.0) {
      throw std::invalid_argument("drive.travel is for a motor of a slider; this one turns");
    }
    return servo;
  }

  std::shared_ptr<const ServoModel> slider(const MotorSpec& motor) {
    const auto servo = catalogue_.model(motor.servo_choice);
    if (servo->drive.travel == 0.0) {
      throw std::invalid_argument(
          fmt::format("a servo turns, and this motor moves a slider; say how far it moves per "
                      "radian of the shaft, such as servo \"{} drive.travel=0.01\" for a pinion "
                      "with a radius of 10 mm",
                      motor.servo_choice));
    }
    auto& known = sliders_[servo.get()];
    if (known == nullptr) {
      known = std::make_shared<const ServoModel>(as_slider(*servo));
    }
    return known;
  }

  const Scene& scene_;
  const ServoCatalogue& catalogue_;
  Findings& findings_;
  std::map<const ServoModel*, std::shared_ptr<const ServoModel>> sliders_;
  // The supplies of a robot by name, each with the motor that has it first.
  std::map<std::string, std::pair<ServoSupply, std::string>> supplies_;
};

}  // namespace

void find_servos(Scene& scene, const wbt::WorldFile& file, Findings& findings) {
  const ServoCatalogue library;
  ServoFinder finder(scene, file.servos != nullptr ? *file.servos : library, findings);
  for (RobotSpec& robot : scene.robots) {
    finder.start_robot();
    for (DeviceSpec& device : robot.devices) {
      finder.find(device, true);
    }
  }
  for (DeviceSpec& device : scene.ownerless_motors) {
    finder.find(device, false);
  }
}

}  // namespace servosim
