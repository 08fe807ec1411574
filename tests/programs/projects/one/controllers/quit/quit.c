// SPDX-License-Identifier: Apache-2.0
// Ends the simulation with the status in its first argument.
#include <stdio.h>
#include <stdlib.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main(int argc, char **argv) {
  wb_robot_init();
  wb_robot_step(16);
  wb_supervisor_simulation_quit(argc > 1 ? atoi(argv[1]) : 0);
  if (wb_robot_step(16) == -1) printf("told of the end\n");
  wb_robot_cleanup();
  return 0;
}
