// SPDX-License-Identifier: Apache-2.0
// After the end it takes the time in its first argument [s] to save its work.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  while (wb_robot_step(16) != -1) {
  }
  usleep((useconds_t)(1e6 * (argc > 1 ? atof(argv[1]) : 0.0)));
  printf("saved\n");
  wb_robot_cleanup();
  return 0;
}
