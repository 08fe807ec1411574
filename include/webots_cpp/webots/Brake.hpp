// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_BRAKE_HPP
#define WEBOTS_BRAKE_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Motor;
class PositionSensor;

// A brake, which adds damping to its joint; webots/brake.h describes it.
class Brake : public Device {
 public:
  typedef enum { ROTATIONAL = 0, LINEAR = 1, ANGULAR = ROTATIONAL } Type;

  explicit Brake(const std::string &name) : Device(name) {}
  explicit Brake(WbDeviceTag tag) : Device(tag) {}

  // Sets the damping that it adds to the joint [N·m·s/rad|N·s/m]; it replaces the last value.
  virtual void setDampingConstant(double dampingConstant);
  // Brake::ROTATIONAL or Brake::LINEAR.
  Type getType() const;
  // The motor on the same joint; null without one.
  Motor *getMotor() const;
  // The position sensor on the same joint; null without one.
  PositionSensor *getPositionSensor() const;
  // The number of the motor on the same joint; 0 if there is none.
  int getMotorTag() const;
  // The number of the position sensor on the same joint; 0 if there is none.
  int getPositionSensorTag() const;
};

}  // namespace webots

#endif
