// SPDX-License-Identifier: Apache-2.0
// Steps until the simulation ends; says its argument, if any, once it is in.
#include <stdio.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  if (argc > 1) {
    fprintf(stderr, "%s\n", argv[1]);
  }
  while (wb_robot_step(16) != -1) {
  }
  printf("told of the end\n");
  wb_robot_cleanup();
  return 0;
}
