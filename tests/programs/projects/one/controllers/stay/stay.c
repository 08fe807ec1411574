// SPDX-License-Identifier: Apache-2.0
// Steps until the simulation ends. With the argument "aloud" it prints when it has connected.
#include <stdio.h>
#include <string.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  if (argc > 1 && strcmp(argv[1], "aloud") == 0) {
    fprintf(stderr, "is in\n");
  }
  while (wb_robot_step(16) != -1) {
  }
  printf("told of the end\n");
  wb_robot_cleanup();
  return 0;
}
