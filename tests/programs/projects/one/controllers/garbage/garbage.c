// SPDX-License-Identifier: Apache-2.0
// Sends bytes that are no message on the link, after the Welcome.
#include <stdlib.h>
#include <unistd.h>
#include <webots/robot.h>

int main(void) {
  const int link = atoi(getenv("SERVOSIM_CONTROLLER_FD"));
  wb_robot_init();
  wb_robot_step(16);
  if (write(link, "\x05\0\0\0\xfe\xed\xfa\xce\x99", 9) != 9) return 1;
  while (1) pause();
}
