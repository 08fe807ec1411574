/* SPDX-License-Identifier: Apache-2.0 */
/* A robot without Physics from before 2018 drives 4 m away from a wall. */
#include <webots/differential_wheels.h>
#include <webots/distance_sensor.h>
#include <webots/gps.h>
#include <webots/robot.h>

#include "api.h"

enum { kStep = 16 };

static void settings(void) {
  EXPECT(wb_robot_get_number_of_devices() == 2);
  EXPECT_IS(wb_differential_wheels_get_max_speed(), 20.0);
  EXPECT_IS(wb_differential_wheels_get_speed_unit(), 0.5);
  EXPECT_IS(wb_differential_wheels_get_left_speed(), 0.0);
  EXPECT(wb_differential_wheels_get_encoders_sampling_period() == 0);
  EXPECT_NAN(wb_differential_wheels_get_left_encoder());
  EXPECT_MESSAGE("Error: wb_differential_wheels_get_left_encoder() called for disabled encoders");
  wb_differential_wheels_set_speed(1.0, NAN);
  EXPECT_MESSAGE("Error: wb_differential_wheels_set_speed(): ");
  wb_differential_wheels_set_encoders(INFINITY, 0.0);
  EXPECT_MESSAGE("Error: wb_differential_wheels_set_encoders(): ");
  wb_differential_wheels_enable_encoders(-1);
  EXPECT_MESSAGE("Error: wb_differential_wheels_enable_encoders() called");
}

int main(void) {
  api_begin();
  wb_robot_init();
  const WbDeviceTag gps = wb_robot_get_device("gps");
  const WbDeviceTag front = wb_robot_get_device("front");
  settings();
  wb_differential_wheels_enable_encoders(kStep);
  wb_gps_enable(gps, kStep);
  wb_distance_sensor_enable(front, kStep);
  wb_differential_wheels_set_encoders(1000.0, -1000.0);
  wb_differential_wheels_set_speed(20.0, 20.0); /* 10 rad/s, that is 0.5 m/s */
  EXPECT_IS(wb_differential_wheels_get_right_speed(), 20.0);
  wb_robot_step(100 * kStep);
  EXPECT_NEAR(wb_distance_sensor_get_value(front), 4.0 - 0.8, 1e-6);
  EXPECT_NEAR(wb_gps_get_values(gps)[2], -0.8 - 0.1, 1e-9);
  EXPECT_NEAR(wb_differential_wheels_get_left_encoder(), 1000.0 + 1600.0, 1.0);
  EXPECT_NEAR(wb_differential_wheels_get_right_encoder(), -1000.0 + 1600.0, 1.0);
  /* The robot turns on the spot: opposite wheel speeds of 10 rad/s turn it by 2·0.05·10/0.4
   * rad/s. */
  wb_differential_wheels_set_speed(-20.0, 20.0);
  wb_robot_step(20 * kStep);
  const double turn = 2.0 * 0.05 * 10.0 / 0.4 * 20 * kStep / 1000.0;
  EXPECT_NEAR(wb_distance_sensor_get_value(front), 3.2 / cos(turn), 1e-6);
  EXPECT_NEAR(wb_gps_get_values(gps)[0], -0.1 * sin(turn), 1e-9);
  wb_differential_wheels_disable_encoders();
  EXPECT(wb_differential_wheels_get_encoders_sampling_period() == 0);
  EXPECT_SILENCE();
  wb_robot_cleanup();
  return api_end();
}
