// SPDX-License-Identifier: Apache-2.0
// Prints when its steps end.
#include <stdio.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  while (wb_robot_step(10) != -1) {
  }
  printf("%s ends at %.2f\n", wb_robot_get_name(), wb_robot_get_time());
  wb_robot_cleanup();
  return 0;
}
