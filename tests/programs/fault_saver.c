// SPDX-License-Identifier: Apache-2.0
// A supervisor that saves its world where FAULT_SAVED says. It exits with 0, or with 9 if it
// failed.
#include <stdlib.h>
#include <webots/robot.h>
#include <webots/supervisor.h>

int main(void) {
  wb_robot_init();
  int saved = 0;
  if (wb_robot_step(8) != -1) saved = wb_supervisor_world_save(getenv("FAULT_SAVED"));
  wb_robot_cleanup();
  return saved ? 0 : 9;
}
