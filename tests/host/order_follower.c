// SPDX-License-Identifier: Apache-2.0
// Says when it begins and when it is told to end.
#include <stdio.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  printf("%s begins at %.3f\n", wb_robot_get_name(), wb_robot_get_time());
  fflush(stdout);
  while (wb_robot_step(8) != -1) {
  }
  printf("%s ends at %.3f\n", wb_robot_get_name(), wb_robot_get_time());
  wb_robot_cleanup();
  return 0;
}
