// SPDX-License-Identifier: Apache-2.0
// Prints its name at each step until the time in its argument [s].
#include <stdio.h>
#include <stdlib.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  const double end = atof(argv[argc - 1]);
  while (wb_robot_step(10) != -1 && wb_robot_get_time() < end - 0.001)
    printf("%s at %.2f\n", wb_robot_get_name(), wb_robot_get_time());
  fprintf(stderr, "%s leaves", wb_robot_get_name());  // no line break
  wb_robot_cleanup();
  return 0;
}
