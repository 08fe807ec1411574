// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_DIFFERENTIAL_WHEELS_HPP
#define WEBOTS_DIFFERENTIAL_WHEELS_HPP

#include <webots/Robot.hpp>

namespace webots {

// The robot with two wheels of Webots before R2019. Speeds are in units of its field speedUnit,
// positive drives forwards; encoders count encoderResolution pulses per radian.
class DifferentialWheels : public Robot {
 public:
  DifferentialWheels() = default;
  ~DifferentialWheels() override = default;

  virtual void setSpeed(double left, double right);
  double getLeftSpeed() const;
  double getRightSpeed() const;
  virtual void enableEncoders(int ms);
  virtual void disableEncoders();
  int getEncodersSamplingPeriod() const;
  double getLeftEncoder() const;
  double getRightEncoder() const;
  virtual void setEncoders(double left, double right);
  double getMaxSpeed() const;
  double getSpeedUnit() const;
};

}  // namespace webots

#endif
