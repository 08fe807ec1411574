// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_POSITION_SENSOR_HPP
#define WEBOTS_POSITION_SENSOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Brake;
class Motor;

class PositionSensor : public Device {
 public:
  typedef enum { ROTATIONAL = 0, LINEAR = 1, ANGULAR = ROTATIONAL } Type;

  explicit PositionSensor(const std::string &name) : Device(name) {}
  explicit PositionSensor(WbDeviceTag tag) : Device(tag) {}

  virtual void enable(int samplingPeriod);
  virtual void disable();
  int getSamplingPeriod() const;
  double getValue() const;
  Type getType() const;
  Motor *getMotor() const;
  Brake *getBrake() const;
  int getMotorTag() const;
  int getBrakeTag() const;
};

}  // namespace webots

#endif
