/* SPDX-License-Identifier: Apache-2.0 */
/* The controller of a world of recordings.py: it lets its robot see until the run ends. */
#include <webots/camera.h>
#include <webots/range_finder.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  wb_camera_enable(wb_robot_get_device("quick"), 32);
  wb_camera_enable(wb_robot_get_device("slow"), 640);
  wb_range_finder_enable(wb_robot_get_device("finder"), 32);
  while (wb_robot_step(32) != -1) {
  }
  wb_robot_cleanup();
  return 0;
}
