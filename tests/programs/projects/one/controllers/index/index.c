// SPDX-License-Identifier: Apache-2.0
// Prints the number of its copy of the world.
#include <stdio.h>
#include <stdlib.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  const char *index = getenv("SERVOSIM_INDEX");
  printf("index %s\n", index != NULL ? index : "none");
  while (wb_robot_step(16) != -1) {
  }
  wb_robot_cleanup();
  return 0;
}
