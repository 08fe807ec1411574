// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_SERVO_HPP
#define WEBOTS_SERVO_HPP

#include <cmath>  // INFINITY
#include <string>
#include <webots/Device.hpp>

namespace webots {

// The Servo of Webots 6 and 7: joint, motor and position sensor in one. Of a newer world it takes
// a motor.
class Servo : public Device {
 public:
  typedef enum { ROTATIONAL = 0, LINEAR = 1 } Type;

  explicit Servo(const std::string &name) : Device(name) {}
  explicit Servo(WbDeviceTag tag) : Device(tag) {}

  virtual void setPosition(double position);
  virtual void setVelocity(double velocity);
  virtual void setAcceleration(double acceleration);
  virtual void setMotorForce(double motorForce);
  virtual void setForce(double force);
  virtual void setControlP(double p);
  double getTargetPosition() const;
  double getMinPosition() const;
  double getMaxPosition() const;
  virtual void enablePosition(int ms);
  virtual void disablePosition();
  int getPositionSamplingPeriod() const;
  double getPosition() const;
  virtual void enableMotorForceFeedback(int ms);
  virtual void disableMotorForceFeedback();
  int getMotorForceFeedbackSamplingPeriod() const;
  double getMotorForceFeedback() const;
  int getType() const;
};

}  // namespace webots

#endif
