// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  printf("middle %d\n", wb_robot_step(8));
  wb_robot_cleanup();
  return 0;
}
