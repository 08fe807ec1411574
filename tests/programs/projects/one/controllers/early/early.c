// SPDX-License-Identifier: Apache-2.0
// Fails before its first step.
#include <stdio.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  wb_robot_get_time();
  fprintf(stderr, "no model to load\n");
  return 4;
}
