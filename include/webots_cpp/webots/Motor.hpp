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

  // Sets the target [rad|m]; INFINITY or -INFINITY: the motor turns for ever.
  virtual void setPosition(double position);
  // Sets the velocity [rad/s|m/s], 0 or more; any sign after setPosition(INFINITY).
  virtual void setVelocity(double velocity);
  // Sets the acceleration [rad/s²|m/s²], 0 or more; -1: unlimited.
  virtual void setAcceleration(double acceleration);
  // Drives by this force [N, or N·m of a rotational motor] instead of to a position.
  virtual void setForce(double force);
  // Drives by this torque [N·m, or N of a linear motor] instead of to a position.
  virtual void setTorque(double torque);
  // Limits the force [N, or N·m], 0 to getMaxForce().
  virtual void setAvailableForce(double availableForce);
  // Limits the torque [N·m, or N], 0 to getMaxTorque().
  virtual void setAvailableTorque(double availableTorque);
  // Sets the gains of the control: `p` [1/s] > 0, `i` [1/s²] and `d` 0 or more.
  virtual void setControlPID(double p, double i, double d);
  // The target that was set last [rad|m].
  double getTargetPosition() const;
  // The field minPosition [rad|m].
  double getMinPosition() const;
  // The field maxPosition [rad|m].
  double getMaxPosition() const;
  // The velocity that was set last [rad/s|m/s]; it is not measured.
  double getVelocity() const;
  // The field maxVelocity [rad/s|m/s].
  double getMaxVelocity() const;
  // The acceleration that was set last [rad/s²|m/s²]; -1: unlimited.
  double getAcceleration() const;
  // The limit of the force that was set last [N|N·m].
  double getAvailableForce() const;
  // The field maxForce or maxTorque [N|N·m].
  double getMaxForce() const;
  // The limit of the torque that was set last [N·m|N].
  double getAvailableTorque() const;
  // The field maxTorque or maxForce [N·m|N].
  double getMaxTorque() const;
  // The field multiplier, by which the simulation multiplies position, velocity and force.
  double getMultiplier() const;
  // Measures the force on the joint every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enableForceFeedback(int samplingPeriod);
  // Stops measuring the force.
  virtual void disableForceFeedback();
  // The requested period [ms]; 0 while the force is not measured.
  int getForceFeedbackSamplingPeriod() const;
  // The force measured last [N|N·m]; NaN before the first measurement.
  double getForceFeedback() const;
  // Measures the torque on the joint every `samplingPeriod` ms, 0 or more; 0 stops.
  virtual void enableTorqueFeedback(int samplingPeriod);
  // Stops measuring the torque.
  virtual void disableTorqueFeedback();
  // The requested period [ms]; 0 while the torque is not measured.
  int getTorqueFeedbackSamplingPeriod() const;
  // The torque measured last [N·m|N]; NaN before the first measurement.
  double getTorqueFeedback() const;
  // Motor::ROTATIONAL or Motor::LINEAR.
  Type getType() const;
  // The brake on the same joint; null without one.
  Brake *getBrake() const;
  // The position sensor on the same joint; null without one.
  PositionSensor *getPositionSensor() const;

  // These functions are of V7.2 to V7.4, when a motor measured its position itself. This one sets
  // the gain p [1/s] > 0.
  virtual void setControlP(double p);
  // Measures the position every `samplingPeriod` ms, as before V7.4; 0 stops.
  virtual void enablePosition(int samplingPeriod);
  // Stops measuring the position.
  virtual void disablePosition();
  // The requested period [ms]; 0 while the position is not measured.
  int getPositionSamplingPeriod() const;
  // The position measured last [rad|m]; NaN before the first measurement.
  double getPosition() const;

  // The number of the brake on the same joint; 0 if there is none.
  int getBrakeTag() const;
  // The number of the position sensor on the same joint; 0 if there is none.
  int getPositionSensorTag() const;
};

}  // namespace webots

#endif
