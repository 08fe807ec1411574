// SPDX-License-Identifier: Apache-2.0
#include <webots/motor.h>
#include <webots/servo.h>

#include "controller_api/client/api_call.h"

// A Servo is a motor that also measures its position. Each function does what that of wb_motor.cpp
// does.

using servosim::alias;

void wb_servo_set_position(WbDeviceTag tag, double position) {
  alias(__func__, wb_motor_set_position, tag, position);
}

void wb_servo_set_velocity(WbDeviceTag tag, double velocity) {
  alias(__func__, wb_motor_set_velocity, tag, velocity);
}

void wb_servo_set_acceleration(WbDeviceTag tag, double acceleration) {
  alias(__func__, wb_motor_set_acceleration, tag, acceleration);
}

void wb_servo_set_motor_force(WbDeviceTag tag, double motor_force) {
  alias(__func__, wb_motor_set_available_force, tag, motor_force);
}

void wb_servo_set_force(WbDeviceTag tag, double force) {
  alias(__func__, wb_motor_set_force, tag, force);
}

void wb_servo_set_control_p(WbDeviceTag tag, double p) {
  alias(__func__, wb_motor_set_control_p, tag, p);
}

double wb_servo_get_target_position(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_target_position, tag);
}

double wb_servo_get_min_position(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_min_position, tag);
}

double wb_servo_get_max_position(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_max_position, tag);
}

void wb_servo_enable_position(WbDeviceTag tag, int ms) {
  alias(__func__, wb_motor_enable_position, tag, ms);
}

void wb_servo_disable_position(WbDeviceTag tag) {
  alias(__func__, wb_motor_enable_position, tag, 0);
}

int wb_servo_get_position_sampling_period(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_position_sampling_period, tag);
}

double wb_servo_get_position(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_position, tag);
}

void wb_servo_enable_motor_force_feedback(WbDeviceTag tag, int ms) {
  alias(__func__, wb_motor_enable_force_feedback, tag, ms);
}

void wb_servo_disable_motor_force_feedback(WbDeviceTag tag) {
  alias(__func__, wb_motor_enable_force_feedback, tag, 0);
}

int wb_servo_get_motor_force_feedback_sampling_period(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_force_feedback_sampling_period, tag);
}

double wb_servo_get_motor_force_feedback(WbDeviceTag tag) {
  return alias(__func__, wb_motor_get_force_feedback, tag);
}

int wb_servo_get_type(WbDeviceTag tag) { return alias(__func__, wb_motor_get_type, tag); }
