// SPDX-License-Identifier: Apache-2.0
// Prints without end and never requests a step again.
#include <stdio.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  wb_robot_step(16);
  while (1) puts("and another thing, and another thing, and another thing, and another thing");
}
