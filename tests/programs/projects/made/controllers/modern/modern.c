// SPDX-License-Identifier: Apache-2.0
#include <mix.h>
#include <say.h>
#include <webots/robot.h>

int main(void) {
  wb_robot_init();
  say("modern", mix(POLITE, wb_robot_step(8)));
  wb_robot_cleanup();
  return 0;
}
