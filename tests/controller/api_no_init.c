/* SPDX-License-Identifier: Apache-2.0 */
/* A program that forgot wb_robot_init(), and leaves without wb_robot_cleanup(). */
#include <webots/motor.h>
#include <webots/robot.h>

#include "api.h"

int main(void) {
  api_begin();
  EXPECT_TEXT(wb_node_get_name(WB_NODE_BRAKE), "Brake"); /* needs no simulation */
  EXPECT_SILENCE();
  const WbDeviceTag shoulder = wb_robot_get_device("shoulder");
  EXPECT_MESSAGE("Warning: wb_robot_get_device(): wb_robot_init() was not called");
  EXPECT(shoulder == 1);
  wb_motor_set_position(shoulder, 1.5);
  EXPECT(wb_robot_step(32) == 0);
  EXPECT(wb_robot_init() == 1);
  return api_end();
}
