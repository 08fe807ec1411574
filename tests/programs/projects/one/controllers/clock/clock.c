// SPDX-License-Identifier: Apache-2.0
// Prints the time after each of five steps, whose duration [ms] is its argument.
#include <stdio.h>
#include <stdlib.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  for (int i = 0; i < 5 && wb_robot_step(atoi(argv[argc - 1])) != -1; ++i)
    printf("%.3f ", wb_robot_get_time());
  wb_robot_cleanup();
  return 0;
}
