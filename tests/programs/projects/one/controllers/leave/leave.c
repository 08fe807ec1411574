// SPDX-License-Identifier: Apache-2.0
// Exits in the middle with the status of its first argument, or 0, and without a word.
#include <stdlib.h>
#include <webots/robot.h>

int main(int argc, char **argv) {
  wb_robot_init();
  wb_robot_step(16);
  exit(argc > 1 ? atoi(argv[1]) : 0);
}
