// SPDX-License-Identifier: Apache-2.0
// Requests steps of no duration for ever, so that time does not pass.
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  wb_robot_step(16);
  while (wb_robot_step(0) != -1) {
  }
  return 0;
}
