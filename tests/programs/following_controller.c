// SPDX-License-Identifier: Apache-2.0
// Prints when it begins and when the simulation ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webots/robot.h>

int main(int argc, char *argv[]) {
  const char *controller = getenv("WEBOTS_CONTROLLER_NAME");
  const int is_other = controller != NULL && strcmp(controller, "follower") != 0;
  wb_robot_init();
  printf("%s begins at %.3f%s%s%s%s\n", wb_robot_get_name(), wb_robot_get_time(),
         is_other ? " as " : "", is_other ? controller : "", argc > 1 ? " with " : "",
         argc > 1 ? argv[1] : "");
  fflush(stdout);
  while (wb_robot_step(8) != -1) {
  }
  printf("%s ends at %.3f\n", wb_robot_get_name(), wb_robot_get_time());
  wb_robot_cleanup();
  return 0;
}
