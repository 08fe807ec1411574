// SPDX-License-Identifier: Apache-2.0
// Steps until the simulation ends.
#include <stdio.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  fprintf(stderr, "is in\n");
  while (wb_robot_step(16) != -1) {
  }
  printf("told of the end\n");
  wb_robot_cleanup();
  return 0;
}
