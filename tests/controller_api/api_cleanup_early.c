/* SPDX-License-Identifier: Apache-2.0 */
/* A program leaves before the end of the simulation. Its next step returns -1, and the step
 * after that ends it with status 0. */
#include <webots/robot.h>

#include "api.h"

int main(void) {
  api_begin();
  wb_robot_init();
  EXPECT(wb_robot_step(32) == 0);
  wb_robot_cleanup();
  EXPECT(wb_robot_step(32) == -1);
  EXPECT_NEAR(wb_robot_get_time(), 0.032, 1e-12);
  EXPECT_SILENCE();
  if (api_end() != 0) return 2;
  wb_robot_step_begin(32);
  return 3; /* not reached */
}
