// SPDX-License-Identifier: Apache-2.0
// Quits without a status, as in Webots 6.
#include <stdio.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main(void) {
  wb_robot_init();
  wb_robot_keyboard_enable(10);
  wb_robot_step(50);
  printf("key %d at %.2f\n", wb_robot_keyboard_get_key(), wb_robot_get_time());
  wb_supervisor_simulation_quit();
  wb_robot_step(10);
  wb_robot_cleanup();
  return 0;
}
