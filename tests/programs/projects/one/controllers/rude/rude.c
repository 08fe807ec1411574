// SPDX-License-Identifier: Apache-2.0
// Never calls wb_robot_cleanup() and returns a status of its own after the end.
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  while (wb_robot_step(16) != -1) {
  }
  return 9;
}
