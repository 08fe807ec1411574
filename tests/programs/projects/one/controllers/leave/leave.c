// SPDX-License-Identifier: Apache-2.0
// Exits in the middle of the run without a message, with the status in its first argument or 0.
#include <stdlib.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  wb_robot_step(16);
  exit(argc > 1 ? atoi(argv[1]) : 0);
}
