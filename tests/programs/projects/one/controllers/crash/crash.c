// SPDX-License-Identifier: Apache-2.0
// Ends by a signal in the middle of the run.
#include <stdio.h>
#include <stdlib.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  wb_robot_step(16);
  printf("last line");
  fflush(stdout);
  abort();
}
