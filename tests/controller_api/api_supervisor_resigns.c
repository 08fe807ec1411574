/* SPDX-License-Identifier: Apache-2.0 */
/* A supervisor is a PROTO instance: some of its nodes are hidden, and it may resign. */
#include <webots/robot.h>

#include "api_supervisor.h"

int main(void) {
  api_begin();
  wb_robot_init();
  const WbNodeRef self = wb_supervisor_node_get_self();
  EXPECT(wb_supervisor_node_get_id(self) > 0);
  EXPECT(wb_supervisor_node_get_from_device(0) == self);
  EXPECT(wb_supervisor_node_get_from_device(wb_robot_get_device("shown")) != NULL);
  EXPECT(wb_supervisor_node_get_from_device(wb_robot_get_device("hidden")) == NULL);
  EXPECT(wb_robot_step(kStep) == 0);
  EXPECT(wb_robot_get_supervisor());
  EXPECT_SILENCE();
  wb_supervisor_field_set_sf_bool(wb_supervisor_node_get_field(self, "supervisor"), false);
  EXPECT(wb_robot_step(kStep) == 0);
  EXPECT(!wb_robot_get_supervisor());
  EXPECT_SILENCE();
  EXPECT(wb_supervisor_node_get_id(self) == -1);
  EXPECT_MESSAGE("this robot is no supervisor");
  EXPECT(wb_supervisor_node_get_self() == NULL);
  take_messages();
  EXPECT(wb_robot_step(kStep) == 0);
  wb_robot_cleanup();
  return api_end();
}
