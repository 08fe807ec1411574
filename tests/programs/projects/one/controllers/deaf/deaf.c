// SPDX-License-Identifier: Apache-2.0
// Prints when the simulation ends, then continues as before.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <webots/robot.h>

static void at_term(int number) {
  (void)number;
  static const char text[] = "got SIGTERM\n";
  if (write(1, text, sizeof text - 1) > 0) _exit(5);
}

int main(void) {
  signal(SIGTERM, at_term);
  wb_robot_init();
  while (wb_robot_step(16) != -1) {
  }
  while (1) pause();
}
