/* SPDX-License-Identifier: Apache-2.0 */
/* A supervisor ends the simulation. The next step returns -1, and the step after that ends the
 * process with status 0. */
#include <webots/robot.h>
#include <webots/supervisor.h>

#include "api.h"

int main(void) {
  api_begin();
  wb_robot_init();
  EXPECT(wb_robot_step(32) == 0);
  const WbNodeRef self = wb_supervisor_node_get_self();
  const WbFieldRef place = wb_supervisor_node_get_field(self, "translation");
  const WbFieldRef name = wb_supervisor_node_get_field(self, "name");
  EXPECT(wb_supervisor_field_get_sf_vec3f(place) != NULL);
  EXPECT_TEXT(wb_supervisor_field_get_sf_string(name), "arm");
  wb_supervisor_simulation_quit(17);
  EXPECT(wb_robot_step(32) == -1);
  EXPECT_NEAR(wb_robot_get_time(), 0.032, 1e-12);
  EXPECT_SILENCE();
  EXPECT(wb_supervisor_node_get_from_id(1) == NULL);
  EXPECT_MESSAGE("the simulation is over for this robot, as wb_robot_step() said by -1");
  EXPECT(wb_supervisor_node_get_from_def("X") == NULL);
  /* What was found and read last is still there. */
  EXPECT(wb_supervisor_node_get_self() == self);
  EXPECT(wb_supervisor_node_get_field(self, "translation") == place);
  EXPECT(wb_supervisor_field_get_sf_vec3f(place) != NULL);
  EXPECT_TEXT(wb_supervisor_field_get_sf_string(name), "arm");
  EXPECT_SILENCE();
  if (api_end() != 0) return 2;
  wb_robot_step(32);
  return 3; /* not reached */
}
