// SPDX-License-Identifier: Apache-2.0
// Stops asking for steps and ignores SIGTERM.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <webots/robot.h>

int main(void) {
  signal(SIGTERM, SIG_IGN);
  wb_robot_init();
  wb_robot_step(16);
  printf("hangs\n");
  fflush(stdout);
  while (1) pause();
}
