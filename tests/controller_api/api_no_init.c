/* SPDX-License-Identifier: Apache-2.0 */
/* A program that has not called wb_robot_init() and leaves without wb_robot_cleanup(). With an
 * argument it does not check messages, so that its caller sees them. A second argument names the
 * device. */
#include <webots/motor.h>
#include <webots/robot.h>

#include "api.h"

int main(int argc, char *argv[]) {
  if (argc == 1) api_begin();
  EXPECT_TEXT(wb_node_get_name(WB_NODE_BRAKE), "Brake"); /* needs no simulation */
  if (argc == 1) EXPECT_SILENCE();
  const WbDeviceTag motor = wb_robot_get_device(argc > 2 ? argv[2] : "shoulder");
  if (argc == 1) EXPECT_MESSAGE("Warning: wb_robot_get_device(): wb_robot_init() was not called");
  EXPECT(motor == 1);
  wb_motor_set_position(motor, 1.5);
  EXPECT(wb_robot_step(32) == 0);
  EXPECT(wb_robot_init() == 1);
  return argc == 1 ? api_end() : failures;
}
