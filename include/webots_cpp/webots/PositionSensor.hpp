// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_POSITION_SENSOR_HPP
#define WEBOTS_POSITION_SENSOR_HPP

#include <string>
#include <webots/Device.hpp>

namespace webots {

class Brake;
class Motor;

// A sensor of the position of a joint; webots/position_sensor.h describes it.
class PositionSensor : public Device {
 public:
  typedef enum { ROTATIONAL = 0, LINEAR = 1, ANGULAR = ROTATIONAL } Type;

  explicit PositionSensor(const std::string &name) : Device(name) {}
  explicit PositionSensor(WbDeviceTag tag) : Device(tag) {}

  // Measures every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enable(int samplingPeriod);
  // Stops measuring.
  virtual void disable();
  // The requested period [ms]; 0 while disabled.
  int getSamplingPeriod() const;
  // The last measurement [rad|m]; NaN before the first.
  double getValue() const;
  // PositionSensor::ROTATIONAL or PositionSensor::LINEAR.
  Type getType() const;
  // The motor on the same joint; null without one.
  Motor *getMotor() const;
  // The brake on the same joint; null without one.
  Brake *getBrake() const;
  // The number of the motor on the same joint; 0 if there is none.
  int getMotorTag() const;
  // The number of the brake on the same joint; 0 if there is none.
  int getBrakeTag() const;
};

}  // namespace webots

#endif
