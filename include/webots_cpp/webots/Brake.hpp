// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_BRAKE_HPP
#define WEBOTS_BRAKE_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Motor;
class PositionSensor;

class Brake : public Device {
 public:
  typedef enum { ROTATIONAL = 0, LINEAR = 1, ANGULAR = ROTATIONAL } Type;

  explicit Brake(const std::string &name) : Device(name) {}
  explicit Brake(WbDeviceTag tag) : Device(tag) {}

  virtual void setDampingConstant(double dampingConstant);
  Type getType() const;
  Motor *getMotor() const;
  PositionSensor *getPositionSensor() const;
  int getMotorTag() const;
  int getPositionSensorTag() const;
};

}  // namespace webots

#endif
