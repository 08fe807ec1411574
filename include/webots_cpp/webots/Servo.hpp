// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_SERVO_HPP
#define WEBOTS_SERVO_HPP

#include <cmath>  // INFINITY
#include <string>
#include <webots/Device.hpp>

namespace webots {

// The Servo of Webots 6 and 7: joint, motor and position sensor in one. In a newer world it
// controls a motor.
class Servo : public Device {
 public:
  typedef enum { ROTATIONAL = 0, LINEAR = 1 } Type;

  explicit Servo(const std::string &name) : Device(name) {}
  explicit Servo(WbDeviceTag tag) : Device(tag) {}

  // Sets the target [rad|m]; INFINITY or -INFINITY: the servo turns for ever.
  virtual void setPosition(double position);
  // Sets the velocity [rad/s|m/s], 0 or more; any sign after setPosition(INFINITY).
  virtual void setVelocity(double velocity);
  // Sets the acceleration [rad/s²|m/s²], 0 or more; -1: unlimited.
  virtual void setAcceleration(double acceleration);
  // Limits the force of the motor [N|N·m], 0 to the field maxForce.
  virtual void setMotorForce(double motorForce);
  // Drives by this force [N|N·m] instead of to a position.
  virtual void setForce(double force);
  // Sets the gain p of the control [1/s] > 0.
  virtual void setControlP(double p);
  // The target that was set last [rad|m].
  double getTargetPosition() const;
  // The field minPosition [rad|m].
  double getMinPosition() const;
  // The field maxPosition [rad|m].
  double getMaxPosition() const;
  // Measures the position every `ms` milliseconds, 0 or more; 0 stops.
  virtual void enablePosition(int ms);
  // Stops measuring the position.
  virtual void disablePosition();
  // The requested period [ms]; 0 while the position is not measured.
  int getPositionSamplingPeriod() const;
  // The position measured last [rad|m]; NaN before the first measurement.
  double getPosition() const;
  // Measures the force on the joint every `ms` milliseconds; 0 stops.
  virtual void enableMotorForceFeedback(int ms);
  // Stops measuring the force.
  virtual void disableMotorForceFeedback();
  // The requested period [ms]; 0 while the force is not measured.
  int getMotorForceFeedbackSamplingPeriod() const;
  // The force measured last [N|N·m]; NaN before the first measurement.
  double getMotorForceFeedback() const;
  // Servo::ROTATIONAL or Servo::LINEAR.
  int getType() const;
};

}  // namespace webots

#endif
