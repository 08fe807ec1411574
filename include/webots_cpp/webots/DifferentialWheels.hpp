// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_DIFFERENTIAL_WHEELS_HPP
#define WEBOTS_DIFFERENTIAL_WHEELS_HPP

// Programs of its time include no other header for the devices of the robot.
#include <webots/Accelerometer.hpp>
#include <webots/Altimeter.hpp>
#include <webots/Brake.hpp>
#include <webots/Camera.hpp>
#include <webots/Compass.hpp>
#include <webots/Connector.hpp>
#include <webots/Device.hpp>
#include <webots/Display.hpp>
#include <webots/DistanceSensor.hpp>
#include <webots/Emitter.hpp>
#include <webots/GPS.hpp>
#include <webots/Gyro.hpp>
#include <webots/ImageRef.hpp>
#include <webots/InertialUnit.hpp>
#include <webots/Joystick.hpp>
#include <webots/Keyboard.hpp>
#include <webots/LED.hpp>
#include <webots/Lidar.hpp>
#include <webots/LightSensor.hpp>
#include <webots/Motor.hpp>
#include <webots/Mouse.hpp>
#include <webots/Pen.hpp>
#include <webots/PositionSensor.hpp>
#include <webots/Radar.hpp>
#include <webots/RangeFinder.hpp>
#include <webots/Receiver.hpp>
#include <webots/Robot.hpp>
#include <webots/Servo.hpp>
#include <webots/Skin.hpp>
#include <webots/Speaker.hpp>
#include <webots/TouchSensor.hpp>
#include <webots/VacuumGripper.hpp>

namespace webots {

// The robot with two wheels of Webots before R2019. Speeds are in units of its field speedUnit,
// positive drives forwards; encoders count encoderResolution pulses per radian.
class DifferentialWheels : public Robot {
 public:
  DifferentialWheels() = default;
  ~DifferentialWheels() override = default;

  // Sets the speeds of the wheels [speedUnit], up to maxSpeed; positive is forwards.
  virtual void setSpeed(double left, double right);
  // The speed of the left wheel that was set last [speedUnit].
  double getLeftSpeed() const;
  // The speed of the right wheel that was set last [speedUnit].
  double getRightSpeed() const;
  // Counts the turns of the wheels every `ms` milliseconds, 0 or more; 0 stops.
  virtual void enableEncoders(int ms);
  // Stops counting.
  virtual void disableEncoders();
  // The requested period [ms]; 0 while disabled.
  int getEncodersSamplingPeriod() const;
  // The count of the left wheel [pulses]; NaN before the first sample.
  double getLeftEncoder() const;
  // The count of the right wheel [pulses]; NaN before the first sample.
  double getRightEncoder() const;
  // Counts on from these numbers [pulses].
  virtual void setEncoders(double left, double right);
  // The field maxSpeed [rad/s].
  double getMaxSpeed() const;
  // The field speedUnit [rad/s].
  double getSpeedUnit() const;
};

}  // namespace webots

#endif
