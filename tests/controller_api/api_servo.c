/* SPDX-License-Identifier: Apache-2.0 */
/* The Servo of V6: one tag is a motor and a position sensor. The basic time step is 8 ms. There
 * is no Physics, so motors move kinematically, as in Webots. */
#include <webots/camera.h>
#include <webots/device.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>
#include <webots/servo.h>

#include "api.h"

int main(void) {
  api_begin();
  wb_robot_init();
  const WbDeviceTag finger = wb_robot_get_device("finger");
  const WbDeviceTag rail = wb_robot_get_device("rail");
  EXPECT(wb_device_get_type(finger) == WB_NODE_SERVO);
  EXPECT_TEXT(wb_node_get_name(wb_device_get_node_type(rail)), "Servo");
  EXPECT(wb_servo_get_type(finger) == WB_SERVO_ROTATIONAL);
  EXPECT(wb_servo_get_type(rail) == WB_SERVO_LINEAR);
  EXPECT(wb_motor_get_type(rail) == WB_LINEAR);
  EXPECT(wb_position_sensor_get_type(rail) == WB_LINEAR);
  EXPECT_IS(wb_servo_get_min_position(finger), -1.5);
  EXPECT_IS(wb_servo_get_max_position(finger), 1.25);
  EXPECT_IS(wb_servo_get_target_position(finger), 0.2);
  EXPECT_TEXT(wb_robot_get_controller_arguments(), "slow 3");

  const WbDeviceTag camera = wb_robot_get_device("camera");
  EXPECT(wb_camera_get_type(camera) == WB_CAMERA_RANGE_FINDER);
  EXPECT_IS(wb_camera_get_max_range(camera), 2.5);

  wb_servo_enable_position(finger, 8);
  EXPECT(wb_position_sensor_get_sampling_period(finger) == 8);
  EXPECT_NAN(wb_servo_get_position(finger));
  wb_servo_set_velocity(finger, 2.0);
  wb_servo_set_position(finger, 0.9);
  wb_servo_set_motor_force(finger, 4.5);
  EXPECT_IS(wb_motor_get_available_force(finger), 4.5);
  EXPECT_IS(wb_motor_get_target_position(finger), 0.9);
  wb_robot_step(3200);
  EXPECT_NEAR(wb_servo_get_position(finger), 0.9, 1e-6); /* where the kinematic law stops */
  EXPECT_IS(wb_position_sensor_get_value(finger), wb_motor_get_position(finger));
  EXPECT(wb_position_sensor_get_motor(finger) == finger);

  wb_servo_set_control_p(finger, 5.0);
  wb_servo_set_acceleration(finger, 6.0);
  EXPECT_IS(wb_motor_get_acceleration(finger), 6.0);
  wb_servo_set_force(finger, 0.25);
  wb_servo_enable_motor_force_feedback(finger, 16);
  EXPECT(wb_servo_get_motor_force_feedback_sampling_period(finger) == 16);
  EXPECT_SILENCE();
  wb_robot_step(16);
  take_messages(); /* no Physics, no feedback */
  EXPECT_NAN(wb_servo_get_motor_force_feedback(finger));
  wb_servo_disable_motor_force_feedback(finger);
  wb_servo_disable_position(finger);
  EXPECT(wb_servo_get_position_sampling_period(finger) == 0);
  wb_servo_set_position(finger, WB_SERVO_INFINITY);
  EXPECT_SILENCE();
  wb_servo_set_position(rail + 5, 0.5);
  EXPECT_MESSAGE("Error: wb_servo_set_position(): device with tag=7 not found");
  wb_servo_set_velocity(rail, -0.5);
  EXPECT_MESSAGE("Error: wb_servo_set_velocity(): ");
  wb_robot_cleanup();
  return api_end();
}
