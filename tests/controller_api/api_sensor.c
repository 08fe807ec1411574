/* SPDX-License-Identifier: Apache-2.0 */
/* Position sensors, brakes, and which devices share a joint. */
#include <webots/brake.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>
#include <webots/servo.h>

#include "api.h"

static WbDeviceTag shoulder, sensor, brake, lift_sensor, lift, roll;

static void sampling(void) {
  EXPECT_NAN(wb_position_sensor_get_value(sensor));
  EXPECT_MESSAGE("called for a disabled device");
  EXPECT(wb_position_sensor_get_sampling_period(sensor) == 0);
  wb_position_sensor_enable(sensor, 40);
  EXPECT(wb_position_sensor_get_sampling_period(sensor) == 40);
  wb_robot_step(32);
  EXPECT_NAN(wb_position_sensor_get_value(sensor));
  wb_robot_step(16);
  /* Without forces the motor holds its start position to rounding errors. */
  EXPECT_NEAR(wb_position_sensor_get_value(sensor), 0.3, 1e-12);
  wb_motor_set_position(shoulder, 1.5);
  wb_robot_step(32);
  EXPECT_NEAR(wb_position_sensor_get_value(sensor), 0.3, 1e-12); /* not yet due again */
  wb_robot_step(16);
  EXPECT(wb_position_sensor_get_value(sensor) > 0.3001);
  EXPECT_SILENCE();
  const double last = wb_position_sensor_get_value(sensor);
  wb_position_sensor_disable(sensor);
  wb_robot_step(160);
  EXPECT_IS(wb_position_sensor_get_value(sensor), last);
  EXPECT_MESSAGE("Error: wb_position_sensor_get_value() called for a disabled device");
  wb_position_sensor_enable(sensor, -40);
  EXPECT_MESSAGE("Error: wb_position_sensor_enable() called");
}

static void types(void) {
  EXPECT(wb_position_sensor_get_type(sensor) == WB_ROTATIONAL);
  EXPECT(wb_position_sensor_get_type(lift_sensor) == WB_LINEAR);
  EXPECT(wb_brake_get_type(brake) == WB_ANGULAR);
  EXPECT_SILENCE();
}

static void siblings(void) {
  EXPECT(wb_position_sensor_get_motor(sensor) == shoulder);
  EXPECT(wb_position_sensor_get_brake(sensor) == brake);
  EXPECT(wb_brake_get_motor(brake) == shoulder);
  EXPECT(wb_brake_get_position_sensor(brake) == sensor);
  EXPECT(wb_motor_get_brake(shoulder) == brake);
  EXPECT(wb_motor_get_position_sensor(shoulder) == sensor);
  EXPECT(wb_position_sensor_get_motor(lift_sensor) == lift);
  EXPECT(wb_position_sensor_get_brake(lift_sensor) == 0);
  EXPECT(wb_motor_get_position_sensor(roll) == 0);
  EXPECT(wb_motor_get_brake(roll) == 0);
  EXPECT_SILENCE();
}

/* A motor is no PositionSensor, but by the functions of V6 and V7 it measures its joint. */
static void motor_position(void) {
  EXPECT_NAN(wb_position_sensor_get_value(roll));
  EXPECT_MESSAGE("invalid device tag");
  EXPECT_NAN(wb_motor_get_position(roll));
  EXPECT_MESSAGE("Error: wb_motor_get_position() called for a disabled device");
  wb_servo_enable_position(shoulder, 32);
  EXPECT(wb_motor_get_position_sampling_period(shoulder) == 32);
  wb_position_sensor_enable(sensor, 32);
  wb_robot_step(64);
  EXPECT(isfinite(wb_servo_get_position(shoulder)));
  EXPECT_IS(wb_motor_get_position(shoulder), wb_position_sensor_get_value(sensor));
  wb_motor_disable_position(shoulder);
  EXPECT(wb_servo_get_position_sampling_period(shoulder) == 0);
  EXPECT_SILENCE();
}

/* 2.5 N·m act against a damping of 50 (brake) + 0.0625 (joint). The speed ends at 2.5/50.0625
 * rad/s with a time constant of I/d ~ 10 ms, so after 3 s all digits are exact. */
static void braking(void) {
  wb_brake_set_damping_constant(brake, NAN);
  EXPECT_MESSAGE("Error: wb_brake_set_damping_constant(): ");
  wb_brake_set_damping_constant(brake, 50.0);
  wb_motor_set_torque(shoulder, 2.5);
  wb_position_sensor_enable(sensor, 16);
  wb_robot_step(3008);
  const double before = wb_position_sensor_get_value(sensor);
  wb_robot_step(160);
  const double speed = (wb_position_sensor_get_value(sensor) - before) / 0.16;
  /* The world's CFM of 1e-5 adds a compliance of that order to every constraint. */
  EXPECT_NEAR(speed, 2.5 / 50.0625, 1e-6);
  EXPECT_SILENCE();
  wb_brake_set_damping_constant(shoulder, 1.5);
  EXPECT_MESSAGE("invalid device tag");
}

int main(void) {
  api_begin();
  wb_robot_init();
  shoulder = wb_robot_get_device("shoulder");
  sensor = wb_robot_get_device("shoulder sensor");
  brake = wb_robot_get_device("shoulder brake");
  lift_sensor = wb_robot_get_device("lift sensor");
  lift = wb_robot_get_device("lift");
  roll = wb_robot_get_device("roll");
  sampling();
  types();
  siblings();
  motor_position();
  braking();
  wb_robot_cleanup();
  return api_end();
}
