/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Webots 6 together with calls of today. This file is only compiled, with
 * SERVOSIM_WEBOTS_API. */
#include <stdlib.h>
#include <webots/camera.h>
#include <webots/motor.h>
#include <webots/robot.h>
#include <webots/servo.h>
#include <webots/supervisor.h>

float old_api(WbDeviceTag tag);

float old_api(WbDeviceTag tag) {
  const float *image = wb_camera_get_range_image(tag);
  wb_supervisor_set_label(1, "label", 0.1, 0.2, 0.1, 0xff0000, 0.0);
  wb_supervisor_set_label(1, "label", 0.1, 0.2, 0.1, 0xff0000, 0.0, "Arial");
  wb_supervisor_start_movie("movie.avi", 640, 480, 0, 90);
  wb_supervisor_start_movie("movie.avi", 640, 480, 0, 90, 1, false);
  wb_supervisor_stop_movie();
  wb_supervisor_import_node("node.wbo", -1);
  wb_servo_set_position(tag, wb_servo_get_position(tag));
  wb_motor_enable_position(tag, 32);
  wb_robot_keyboard_enable(32);
  if (wb_robot_keyboard_get_key() == WB_ROBOT_KEYBOARD_UP) wb_supervisor_simulation_quit();
  wb_supervisor_simulation_quit(EXIT_SUCCESS);
  return image ? wb_camera_range_image_get_depth(image, 64, 1, 2) : 0.0f;
}
