/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of joints, states, pictures and connectors that a Supervisor changes. */
#include <math.h>
#include <webots/robot.h>

#include "api_supervisor.h"

static void expect_joint_at(double angle) {
  EXPECT_NEAR(wb_supervisor_field_get_sf_float(field("P", "position")), angle, 1e-6);
  const double *place = wb_supervisor_field_get_sf_vec3f(field("E", "translation"));
  expect_vector(place, 0.3 * cos(angle), 0.3 * sin(angle), 0.0, 1e-6);
}

static void parameters_are_exchanged(void) {
  wb_supervisor_field_set_sf_float(field("P", "position"), 0.2);
  wb_robot_step(kStep);
  expect_joint_at(0.2);
  wb_supervisor_field_remove_sf(field("J", "jointParameters"));
  wb_supervisor_field_import_sf_node_from_string(
      field("J", "jointParameters"), "DEF P HingeJointParameters { axis 0 0 1 position 0.7 }");
  expect_joint_at(0.7);
  wb_robot_step(kStep);
  expect_joint_at(0.7);
  wb_supervisor_node_remove(find("P"));
  wb_robot_step(kStep);
  wb_supervisor_field_import_sf_node_from_string(field("J", "jointParameters"),
                                                 "DEF P HingeJointParameters { axis 0 0 1 }");
  expect_joint_at(0.0);
  EXPECT_SILENCE();
}

static void an_endpoint_is_put_elsewhere(void) {
  const double place[] = {0.3 * cos(1.5), 0.3 * sin(1.5), 0.0};
  const double turned[] = {0.0, 0.0, 1.0, 1.5};
  wb_supervisor_field_set_sf_vec3f(field("E", "translation"), place);
  wb_supervisor_field_set_sf_rotation(field("E", "rotation"), turned);
  expect_joint_at(1.5);
  wb_robot_step(kStep);
  expect_joint_at(1.5);
}

static void a_state_is_that_of_the_load(void) {
  wb_supervisor_node_save_state(find("J"), "turned");
  wb_supervisor_node_load_state(find("J"), "__init__");
  expect_joint_at(0.0);
  wb_supervisor_node_load_state(find("J"), "turned");
  expect_joint_at(1.5);
  EXPECT_SILENCE();
}

static void a_picture_is_moved(void) {
  for (int i = 1; i <= 3; ++i) {
    const double place[] = {i, 2.0, 3.0};
    wb_supervisor_field_set_sf_vec3f(field("MARK", "translation"), place);
    wb_robot_step(kStep);
    expect_vector(wb_supervisor_node_get_position(find("MARK")), i, 2.0, 3.0, 1e-12);
  }
}

static void a_locked_connector_comes(void) {
  wb_supervisor_field_import_mf_node_from_string(
      top(), -1,
      "DEF BOX Solid { translation 0.1 0 2 rotation 0 0 1 3.141592653589793 name \"box\" children "
      "Connector { translation 0.1 0 0 isLocked TRUE } boundingObject Box { size 0.1 0.1 0.1 } "
      "physics Physics { } }");
  const double speed[] = {0.0, 3.0, 0.0, 0.0, 0.0, 0.0};
  wb_supervisor_node_set_velocity(find("BOX"), speed);
  for (int i = 0; i < 20; ++i) wb_robot_step(kStep);
  expect_vector(wb_supervisor_node_get_position(find("BOX")), 0.1, 0.0, 2.0, 0.01);
}

static void what_is_too_far_is_refused(void) {
  EXPECT_SILENCE();
  wb_supervisor_field_import_mf_node_from_string(
      top(), -1,
      "DEF FAR Solid { translation 1e12 0 0 name \"far\" boundingObject Sphere { } physics Physics "
      "{ } }");
  wb_supervisor_node_get_velocity(find("BALL"));
  EXPECT_MESSAGE("Solid \"far\" is too far away");
  EXPECT(wb_supervisor_node_get_from_def("FAR") == NULL);
  EXPECT(wb_robot_step(kStep) == 0);
  expect_vector(wb_supervisor_node_get_position(find("BALL")), 5.0, 0.0, 0.0, 1e-9);
}

int main(void) {
  api_begin();
  wb_robot_init();
  wb_robot_step(kStep);
  parameters_are_exchanged();
  an_endpoint_is_put_elsewhere();
  a_state_is_that_of_the_load();
  a_picture_is_moved();
  a_locked_connector_comes();
  what_is_too_far_is_refused();
  wb_robot_cleanup();
  return api_end();
}
