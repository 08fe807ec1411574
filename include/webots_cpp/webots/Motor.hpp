// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_MOTOR_HPP
#define WEBOTS_MOTOR_HPP

#include <cmath>  // INFINITY
#include <string>
#include <webots/Device.hpp>

namespace webots {

class Brake;
class PositionSensor;

// Units are rad and N·m for a RotationalMotor, m and N for a LinearMotor.
class Motor : public Device {
 public:
  typedef enum { ROTATIONAL = 0, LINEAR = 1, ANGULAR = ROTATIONAL } Type;

  explicit Motor(const std::string &name) : Device(name) {}
  explicit Motor(WbDeviceTag tag) : Device(tag) {}

  virtual void setPosition(double position);
  virtual void setVelocity(double velocity);
  virtual void setAcceleration(double acceleration);
  virtual void setForce(double force);
  virtual void setTorque(double torque);
  virtual void setAvailableForce(double availableForce);
  virtual void setAvailableTorque(double availableTorque);
  virtual void setControlPID(double p, double i, double d);
  double getTargetPosition() const;
  double getMinPosition() const;
  double getMaxPosition() const;
  double getVelocity() const;
  double getMaxVelocity() const;
  double getAcceleration() const;
  double getAvailableForce() const;
  double getMaxForce() const;
  double getAvailableTorque() const;
  double getMaxTorque() const;
  double getMultiplier() const;
  virtual void enableForceFeedback(int samplingPeriod);
  virtual void disableForceFeedback();
  int getForceFeedbackSamplingPeriod() const;
  double getForceFeedback() const;
  virtual void enableTorqueFeedback(int samplingPeriod);
  virtual void disableTorqueFeedback();
  int getTorqueFeedbackSamplingPeriod() const;
  double getTorqueFeedback() const;
  Type getType() const;
  Brake *getBrake() const;
  PositionSensor *getPositionSensor() const;

  // Of V7.2 to V7.4, when a motor measured its position itself.
  virtual void setControlP(double p);
  virtual void enablePosition(int samplingPeriod);
  virtual void disablePosition();
  int getPositionSamplingPeriod() const;
  double getPosition() const;

  int getBrakeTag() const;
  int getPositionSensorTag() const;
};

}  // namespace webots

#endif
