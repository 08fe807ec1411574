/* SPDX-License-Identifier: Apache-2.0 */
/* Motors are coupled: a command to one is visible in the others at once and moves them. Then the
 * battery ends. */
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

#include "api.h"

static WbDeviceTag left, right, wrist, left_sensor, right_sensor;

static void siblings_show_the_multiplied_value(void) {
  wb_motor_set_position(left, 0.25);
  EXPECT_IS(wb_motor_get_target_position(left), 0.25); /* raw */
  EXPECT_IS(wb_motor_get_target_position(right), 0.125);
  EXPECT_IS(wb_motor_get_target_position(wrist), 0.0);
  wb_motor_set_velocity(right, 0.75);
  EXPECT_IS(wb_motor_get_velocity(right), 0.75);
  EXPECT_IS(wb_motor_get_velocity(left), -1.5);
  wb_motor_set_position(right, -INFINITY);
  EXPECT_IS(isinf(wb_motor_get_target_position(left)), -1);
  wb_motor_set_velocity(left, -0.5); /* allowed: no motor of them is in position control */
  EXPECT_IS(wb_motor_get_velocity(right), -0.25);
  EXPECT_SILENCE();
}

static void the_rest_is_not_shared(void) {
  wb_motor_set_acceleration(left, 3.5);
  wb_motor_set_available_force(left, 1.25);
  wb_motor_set_control_pid(left, 4.0, 0.5, 0.25);
  EXPECT_IS(wb_motor_get_acceleration(right), -1.0);
  EXPECT_IS(wb_motor_get_available_force(right), 3.0);
  wb_motor_set_acceleration(left, -1.0);
  wb_motor_set_available_force(left, 5.0);
  wb_motor_set_control_pid(left, 10.0, 0.0, 0.0);
  EXPECT_SILENCE();
}

static void they_move_together(void) {
  wb_motor_set_velocity(right, 1.5);
  wb_motor_set_position(right, 0.0);
  wb_robot_step(160);
  wb_motor_set_position(left, -0.125);
  wb_robot_step(640);
  /* P control leaves 0.84^40 of the distance, which is 1e-3. */
  EXPECT_NEAR(wb_position_sensor_get_value(left_sensor), 0.25, 1e-3);
  EXPECT_NEAR(wb_position_sensor_get_value(right_sensor), -0.0625, 1e-3);
  EXPECT_SILENCE();
}

/* 3 J at 2 W last 1.5 s, and 0.8 s are over. */
static void the_battery_ends(void) {
  wb_robot_battery_sensor_enable(16);
  wb_robot_step(320);
  EXPECT_NEAR(wb_robot_battery_sensor_get_value(), 3.0 - 2.0 * 1.12, 1e-12);
  wb_robot_step(480);
  EXPECT_IS(wb_robot_battery_sensor_get_value(), 0.0);
  const double last = wb_position_sensor_get_value(left_sensor);
  wb_motor_set_position(left, 0.5);
  wb_robot_step(320);
  EXPECT_IS(wb_position_sensor_get_value(left_sensor), last);
  /* The simulation reports it: here if it is embedded, else in the program that hosts it. */
  const char *said = take_messages();
  EXPECT(said[0] == '\0' || strstr(said, "its battery is empty at 1.5") != NULL);
}

int main(void) {
  api_begin();
  wb_robot_init();
  left = wb_robot_get_device("finger::left");
  right = wb_robot_get_device("finger::right");
  wrist = wb_robot_get_device("wrist");
  left_sensor = wb_robot_get_device("left sensor");
  right_sensor = wb_robot_get_device("right sensor");
  wb_position_sensor_enable(left_sensor, 16);
  wb_position_sensor_enable(right_sensor, 16);
  siblings_show_the_multiplied_value();
  the_rest_is_not_shared();
  they_move_together();
  the_battery_ends();
  wb_robot_cleanup();
  return api_end();
}
