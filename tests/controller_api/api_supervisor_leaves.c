/* SPDX-License-Identifier: Apache-2.0 */
/* A supervisor removes another robot, and then itself. */
#include <webots/robot.h>
#include <webots/supervisor.h>

#include "api.h"

enum { kStep = 16 };

int main(void) {
  api_begin();
  wb_robot_init();
  const WbNodeRef arm = wb_supervisor_node_get_from_def("ARM");
  const WbNodeRef hand = wb_supervisor_node_get_from_def("ARM.HAND");
  const WbFieldRef translation = wb_supervisor_node_get_field(hand, "translation");
  EXPECT(wb_robot_step(kStep) == 0);
  wb_supervisor_node_remove(arm);
  EXPECT(wb_robot_step(kStep) == 0);
  EXPECT_SILENCE();
  EXPECT(wb_supervisor_field_get_sf_vec3f(translation) == NULL);
  EXPECT_MESSAGE("it was removed");
  wb_supervisor_node_set_velocity(hand, (const double[]){0, 0, 0, 0, 0, 0});
  EXPECT_MESSAGE("it was removed");
  EXPECT(wb_supervisor_node_get_from_id(1 << 20) == NULL);

  const WbNodeRef ball = wb_supervisor_node_get_from_def("BALL");
  const double before = wb_supervisor_node_get_velocity(ball)[2];
  wb_supervisor_node_remove(wb_supervisor_node_get_self());
  EXPECT(before < 0.0);
  EXPECT(wb_robot_step(kStep) == -1);
  wb_robot_cleanup();
  return api_end();
}
