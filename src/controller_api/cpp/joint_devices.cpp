// SPDX-License-Identifier: Apache-2.0
#include <webots/brake.h>
#include <webots/differential_wheels.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/servo.h>

#include <webots/Brake.hpp>
#include <webots/DifferentialWheels.hpp>
#include <webots/Motor.hpp>
#include <webots/PositionSensor.hpp>
#include <webots/Robot.hpp>
#include <webots/Servo.hpp>

namespace webots {

// ---- Brake

void Brake::setDampingConstant(double dampingConstant) {
  wb_brake_set_damping_constant(getTag(), dampingConstant);
}

Brake::Type Brake::getType() const { return static_cast<Type>(wb_brake_get_type(getTag())); }

Motor *Brake::getMotor() const {
  return dynamic_cast<Motor *>(Robot::getDeviceFromTag(wb_brake_get_motor(getTag())));
}

PositionSensor *Brake::getPositionSensor() const {
  return dynamic_cast<PositionSensor *>(
      Robot::getDeviceFromTag(wb_brake_get_position_sensor(getTag())));
}

int Brake::getMotorTag() const { return wb_brake_get_motor(getTag()); }

int Brake::getPositionSensorTag() const { return wb_brake_get_position_sensor(getTag()); }

// ---- Motor

void Motor::setPosition(double position) { wb_motor_set_position(getTag(), position); }

void Motor::setVelocity(double velocity) { wb_motor_set_velocity(getTag(), velocity); }

void Motor::setAcceleration(double acceleration) {
  wb_motor_set_acceleration(getTag(), acceleration);
}

void Motor::setForce(double force) { wb_motor_set_force(getTag(), force); }

void Motor::setTorque(double torque) { wb_motor_set_torque(getTag(), torque); }

void Motor::setAvailableForce(double availableForce) {
  wb_motor_set_available_force(getTag(), availableForce);
}

void Motor::setAvailableTorque(double availableTorque) {
  wb_motor_set_available_torque(getTag(), availableTorque);
}

void Motor::setControlPID(double p, double i, double d) {
  wb_motor_set_control_pid(getTag(), p, i, d);
}

double Motor::getTargetPosition() const { return wb_motor_get_target_position(getTag()); }

double Motor::getMinPosition() const { return wb_motor_get_min_position(getTag()); }

double Motor::getMaxPosition() const { return wb_motor_get_max_position(getTag()); }

double Motor::getVelocity() const { return wb_motor_get_velocity(getTag()); }

double Motor::getMaxVelocity() const { return wb_motor_get_max_velocity(getTag()); }

double Motor::getAcceleration() const { return wb_motor_get_acceleration(getTag()); }

double Motor::getAvailableForce() const { return wb_motor_get_available_force(getTag()); }

double Motor::getMaxForce() const { return wb_motor_get_max_force(getTag()); }

double Motor::getAvailableTorque() const { return wb_motor_get_available_torque(getTag()); }

double Motor::getMaxTorque() const { return wb_motor_get_max_torque(getTag()); }

double Motor::getMultiplier() const { return wb_motor_get_multiplier(getTag()); }

void Motor::enableForceFeedback(int samplingPeriod) {
  wb_motor_enable_force_feedback(getTag(), samplingPeriod);
}

void Motor::disableForceFeedback() { wb_motor_disable_force_feedback(getTag()); }

int Motor::getForceFeedbackSamplingPeriod() const {
  return wb_motor_get_force_feedback_sampling_period(getTag());
}

double Motor::getForceFeedback() const { return wb_motor_get_force_feedback(getTag()); }

void Motor::enableTorqueFeedback(int samplingPeriod) {
  wb_motor_enable_torque_feedback(getTag(), samplingPeriod);
}

void Motor::disableTorqueFeedback() { wb_motor_disable_torque_feedback(getTag()); }

int Motor::getTorqueFeedbackSamplingPeriod() const {
  return wb_motor_get_torque_feedback_sampling_period(getTag());
}

double Motor::getTorqueFeedback() const { return wb_motor_get_torque_feedback(getTag()); }

Motor::Type Motor::getType() const { return static_cast<Type>(wb_motor_get_type(getTag())); }

Brake *Motor::getBrake() const {
  return dynamic_cast<Brake *>(Robot::getDeviceFromTag(wb_motor_get_brake(getTag())));
}

PositionSensor *Motor::getPositionSensor() const {
  return dynamic_cast<PositionSensor *>(
      Robot::getDeviceFromTag(wb_motor_get_position_sensor(getTag())));
}

void Motor::setControlP(double p) { wb_motor_set_control_p(getTag(), p); }

void Motor::enablePosition(int samplingPeriod) {
  wb_motor_enable_position(getTag(), samplingPeriod);
}

void Motor::disablePosition() { wb_motor_disable_position(getTag()); }

int Motor::getPositionSamplingPeriod() const {
  return wb_motor_get_position_sampling_period(getTag());
}

double Motor::getPosition() const { return wb_motor_get_position(getTag()); }

int Motor::getBrakeTag() const { return wb_motor_get_brake(getTag()); }

int Motor::getPositionSensorTag() const { return wb_motor_get_position_sensor(getTag()); }

// ---- PositionSensor

void PositionSensor::enable(int samplingPeriod) {
  wb_position_sensor_enable(getTag(), samplingPeriod);
}

void PositionSensor::disable() { wb_position_sensor_disable(getTag()); }

int PositionSensor::getSamplingPeriod() const {
  return wb_position_sensor_get_sampling_period(getTag());
}

double PositionSensor::getValue() const { return wb_position_sensor_get_value(getTag()); }

PositionSensor::Type PositionSensor::getType() const {
  return static_cast<Type>(wb_position_sensor_get_type(getTag()));
}

Motor *PositionSensor::getMotor() const {
  return dynamic_cast<Motor *>(Robot::getDeviceFromTag(wb_position_sensor_get_motor(getTag())));
}

Brake *PositionSensor::getBrake() const {
  return dynamic_cast<Brake *>(Robot::getDeviceFromTag(wb_position_sensor_get_brake(getTag())));
}

int PositionSensor::getMotorTag() const { return wb_position_sensor_get_motor(getTag()); }

int PositionSensor::getBrakeTag() const { return wb_position_sensor_get_brake(getTag()); }

// ---- Servo

void Servo::setPosition(double position) { wb_servo_set_position(getTag(), position); }

void Servo::setVelocity(double velocity) { wb_servo_set_velocity(getTag(), velocity); }

void Servo::setAcceleration(double acceleration) {
  wb_servo_set_acceleration(getTag(), acceleration);
}

void Servo::setMotorForce(double motorForce) { wb_servo_set_motor_force(getTag(), motorForce); }

void Servo::setForce(double force) { wb_servo_set_force(getTag(), force); }

void Servo::setControlP(double p) { wb_servo_set_control_p(getTag(), p); }

double Servo::getTargetPosition() const { return wb_servo_get_target_position(getTag()); }

double Servo::getMinPosition() const { return wb_servo_get_min_position(getTag()); }

double Servo::getMaxPosition() const { return wb_servo_get_max_position(getTag()); }

void Servo::enablePosition(int ms) { wb_servo_enable_position(getTag(), ms); }

void Servo::disablePosition() { wb_servo_disable_position(getTag()); }

int Servo::getPositionSamplingPeriod() const {
  return wb_servo_get_position_sampling_period(getTag());
}

double Servo::getPosition() const { return wb_servo_get_position(getTag()); }

void Servo::enableMotorForceFeedback(int ms) { wb_servo_enable_motor_force_feedback(getTag(), ms); }

void Servo::disableMotorForceFeedback() { wb_servo_disable_motor_force_feedback(getTag()); }

int Servo::getMotorForceFeedbackSamplingPeriod() const {
  return wb_servo_get_motor_force_feedback_sampling_period(getTag());
}

double Servo::getMotorForceFeedback() const { return wb_servo_get_motor_force_feedback(getTag()); }

int Servo::getType() const { return wb_servo_get_type(getTag()); }

// ---- DifferentialWheels

void DifferentialWheels::setSpeed(double left, double right) {
  wb_differential_wheels_set_speed(left, right);
}

double DifferentialWheels::getLeftSpeed() const { return wb_differential_wheels_get_left_speed(); }

double DifferentialWheels::getRightSpeed() const {
  return wb_differential_wheels_get_right_speed();
}

void DifferentialWheels::enableEncoders(int ms) { wb_differential_wheels_enable_encoders(ms); }

void DifferentialWheels::disableEncoders() { wb_differential_wheels_disable_encoders(); }

int DifferentialWheels::getEncodersSamplingPeriod() const {
  return wb_differential_wheels_get_encoders_sampling_period();
}

double DifferentialWheels::getLeftEncoder() const {
  return wb_differential_wheels_get_left_encoder();
}

double DifferentialWheels::getRightEncoder() const {
  return wb_differential_wheels_get_right_encoder();
}

void DifferentialWheels::setEncoders(double left, double right) {
  wb_differential_wheels_set_encoders(left, right);
}

double DifferentialWheels::getMaxSpeed() const { return wb_differential_wheels_get_max_speed(); }

double DifferentialWheels::getSpeedUnit() const { return wb_differential_wheels_get_speed_unit(); }

}  // namespace webots
