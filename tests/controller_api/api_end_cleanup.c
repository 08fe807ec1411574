/* SPDX-License-Identifier: Apache-2.0 */
/* A program that leaves at the end of the simulation, and asks for steps nevertheless, ends with
 * status 0. */
#include <webots/robot.h>
#include <webots/supervisor.h>

#include "api.h"

int main(void) {
  api_begin();
  wb_robot_init();
  EXPECT(wb_robot_step(32) == 0);
  wb_supervisor_simulation_quit(17);
  EXPECT(wb_robot_step(32) == -1);
  wb_robot_cleanup();
  EXPECT_SILENCE();
  if (api_end() != 0) return 2;
  wb_robot_step(32);
  return 3; /* not reached */
}
