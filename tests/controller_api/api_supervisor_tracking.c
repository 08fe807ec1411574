/* SPDX-License-Identifier: Apache-2.0 */
/* Tracked values are always those of the present; changes between the halves of a step; devices
 * that are added. */
#include <math.h>
#include <webots/device.h>
#include <webots/distance_sensor.h>
#include <webots/motor.h>
#include <webots/position_sensor.h>
#include <webots/robot.h>

#include "api_supervisor.h"

static void place(const char *def, double x, double y, double z) {
  wb_supervisor_field_set_sf_vec3f(field(def, "translation"), (const double[]){x, y, z});
}

static double height(const char *def) { return wb_supervisor_node_get_position(find(def))[2]; }

/* The period is one step or several. The test also tracks the same node relative to another one. */
static void poses_are_of_now(int period) {
  const WbNodeRef ball = find("BALL"), stand = find("STAND");
  place("BALL", 1.0, 2.0, 10.0);
  wb_supervisor_node_reset_physics(ball);
  wb_supervisor_node_enable_pose_tracking(ball, period, NULL);
  wb_supervisor_node_enable_pose_tracking(ball, period, stand);
  wb_supervisor_node_enable_pose_tracking(ball, period, stand);
  wb_supervisor_field_enable_sf_tracking(field("BALL", "translation"), period);
  double z = 10.0, v = 0.0;
  for (int i = 0; i < 6; ++i) {
    EXPECT(wb_robot_step(kStep) == 0);
    v -= 9.81 * h;
    z += v * h;
    EXPECT_NEAR(wb_supervisor_node_get_pose(ball, NULL)[11], z, 1e-9);
    EXPECT_NEAR(wb_supervisor_node_get_pose(ball, stand)[11], z - 1.0, 1e-9);
    EXPECT_NEAR(wb_supervisor_node_get_position(ball)[2], z, 1e-9);
    EXPECT_NEAR(wb_supervisor_field_get_sf_vec3f(field("BALL", "translation"))[2], z, 1e-9);
  }
  place("STAND", 7.0, 0.0, 4.0); /* what it changes itself, too */
  place("BALL", 1.0, 2.0, 30.0);
  EXPECT_NEAR(wb_supervisor_node_get_pose(ball, stand)[11], 26.0, 1e-9);
  EXPECT_NEAR(wb_supervisor_field_get_sf_vec3f(field("BALL", "translation"))[2], 30.0, 1e-9);
  wb_supervisor_node_disable_pose_tracking(ball, stand);
  EXPECT(wb_robot_step(kStep) == 0);
  EXPECT(wb_supervisor_node_get_pose(ball, NULL)[11] < 30.0);
  wb_supervisor_node_disable_pose_tracking(ball, NULL);
  wb_supervisor_field_disable_sf_tracking(field("BALL", "translation"));
  place("STAND", 7.0, 0.0, 1.0);
  EXPECT(wb_robot_step(kStep) == 0);
  EXPECT(wb_supervisor_node_get_pose(ball, NULL)[11] < 30.0 - 9.81 * h * h);
}

static int contacts_of(const char *def, bool descendants) {
  int size = -1;
  wb_supervisor_node_get_contact_points(find(def), descendants, &size);
  return size;
}

static void contacts_are_of_now(void) {
  wb_supervisor_node_enable_contact_points_tracking(find("BALL"), kStep, false);
  wb_supervisor_node_enable_contact_points_tracking(find("BALL"), kStep, true);
  wb_robot_step(kStep);
  EXPECT(contacts_of("BALL", true) == 0);
  EXPECT(contacts_of("BALL", false) == 0);
  place("BALL", 8.0, 0.0, 0.199); /* on GONE */
  wb_supervisor_node_reset_physics(find("BALL"));
  EXPECT(contacts_of("BALL", true) == 1);
  wb_robot_step(kStep);
  EXPECT(contacts_of("BALL", true) == 1);
  EXPECT(contacts_of("BALL", false) == 1);
  wb_supervisor_node_disable_contact_points_tracking(find("BALL"));
  wb_robot_step(kStep);
  EXPECT(contacts_of("BALL", true) == 1);
  EXPECT_SILENCE();
}

static void what_leaves_is_tracked_no_more(void) {
  const WbNodeRef gone = find("GONE");
  wb_supervisor_node_enable_pose_tracking(gone, kStep, NULL);
  wb_supervisor_node_enable_pose_tracking(find("BALL"), kStep, gone);
  wb_robot_step(kStep);
  wb_supervisor_node_remove(gone);
  wb_robot_step(kStep);
  EXPECT_SILENCE();
  EXPECT_NAN(wb_supervisor_node_get_pose(gone, NULL)[0]);
  EXPECT_MESSAGE("it was removed");
  wb_supervisor_node_enable_pose_tracking(gone, kStep, NULL);
  EXPECT_MESSAGE("Error: wb_supervisor_node_enable_pose_tracking() called");
  wb_supervisor_node_enable_pose_tracking(find("BALL"), kStep, gone);
  EXPECT_MESSAGE("it was removed");
  wb_supervisor_node_enable_pose_tracking(find("BALL"), 0, NULL);
  EXPECT_MESSAGE("called with an invalid sampling period");
  wb_supervisor_node_disable_pose_tracking(gone, NULL);
  wb_supervisor_node_disable_pose_tracking(find("BALL"), gone);
  EXPECT_SILENCE();
}

/* These changes take effect when the step is over. */
static void changes_between_the_halves_of_a_step(void) {
  const WbNodeRef ball = find("BALL");
  const WbFieldRef translation = field("BALL", "translation"), mass = field("PHYSICS", "mass");
  const WbFieldRef nodes = top();
  place("BALL", 0.0, 0.0, 50.0);
  EXPECT(wb_robot_step_begin(kStep) == 0);
  wb_supervisor_field_set_sf_vec3f(translation, (const double[]){0.0, 0.0, 60.0});
  wb_supervisor_node_set_velocity(ball, (const double[]){0.0, 3.0, 0.0, 0.0, 0.0, 0.0});
  wb_supervisor_field_set_sf_float(mass, -3.0);
  wb_supervisor_field_import_mf_node_from_string(nodes, -1, "DEF BETWEEN Pose { }");
  wb_supervisor_field_import_mf_node_from_string(nodes, -1, "Nowhere { }");
  wb_supervisor_node_set_visibility(ball, ball, false);
  wb_supervisor_node_move_viewpoint(ball);
  EXPECT_SILENCE();
  wb_supervisor_field_get_sf_vec3f(translation);
  EXPECT_MESSAGE("not between wb_robot_step_begin() and wb_robot_step_end()");
  EXPECT(wb_robot_step_end() == 0);
  EXPECT_MESSAGE("Error: wb_supervisor_field_import_mf_node_from_string(): imported node:");
  EXPECT(wb_supervisor_field_get_sf_vec3f(translation)[2] == 60.0);
  EXPECT_NEAR(wb_supervisor_node_get_velocity(ball)[1], 3.0, 1e-12);
  EXPECT(exists("BETWEEN"));
  wb_robot_step(kStep);
  EXPECT_NEAR(height("BALL"), 60.0 - 9.81 * h * h, 1e-9);
  EXPECT_IS(wb_supervisor_field_get_sf_float(mass), -1.0);
  take_messages(); /* of the replaced mass, where the simulation is in this process */
}

/* A message has the name of the function that was called, and no control characters. */
static void refusals_of_changes_within_a_step_are_readable(void) {
  const WbNodeRef ball = find("BALL");
  EXPECT(wb_robot_step_begin(kStep) == 0);
  wb_supervisor_node_load_state(ball, "\033[31mnone");
  EXPECT_SILENCE();
  EXPECT(wb_robot_step_end() == 0);
  EXPECT_MESSAGE(
      "Error: wb_supervisor_node_load_state(): the node has no state called '\\x1b[31mnone'.");
}

static void devices_that_come_are_known(void) {
  const int before = wb_robot_get_number_of_devices();
  const char *name = wb_device_get_name(wb_robot_get_device("motor"));
  EXPECT(wb_robot_get_device("new angle") == 0);
  EXPECT_MESSAGE("device not found");
  wb_supervisor_field_import_mf_node_from_string(
      field("BOSS", "children"), 0,
      "HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } device [ RotationalMotor { "
      "name \"new motor\" maxVelocity 2.5 } PositionSensor { name \"new angle\" } ] endPoint Solid "
      "{ "
      "name \"new\" } } DEF EYE DistanceSensor { name \"new eye\" aperture 0.25 }");
  EXPECT(wb_robot_get_number_of_devices() == before);
  wb_robot_step(kStep);
  EXPECT(wb_robot_get_number_of_devices() == before + 3);
  EXPECT_TEXT(name, "motor");
  const WbDeviceTag motor = wb_robot_get_device("new motor");
  const WbDeviceTag angle = wb_robot_get_device("new angle");
  EXPECT(wb_device_get_node_type(angle) == WB_NODE_POSITION_SENSOR);
  EXPECT(wb_motor_get_position_sensor(motor) == angle);
  EXPECT_IS(wb_motor_get_max_velocity(motor), 2.5);
  EXPECT_IS(wb_distance_sensor_get_aperture(wb_robot_get_device("new eye")), 0.25);
  wb_position_sensor_enable(angle, kStep);
  wb_motor_set_position(motor, 0.5);
  for (int i = 0; i < 30; ++i) wb_robot_step(kStep);
  EXPECT_NEAR(wb_position_sensor_get_value(angle), 0.5, 1e-3);
  wb_supervisor_field_set_sf_float(field("EYE", "aperture"), 0.5);
  wb_robot_step(kStep);
  EXPECT_IS(wb_distance_sensor_get_aperture(wb_robot_get_device("new eye")), 0.5);
  EXPECT(wb_supervisor_node_get_from_device(wb_robot_get_device("new eye")) == find("EYE"));
}

int main(void) {
  api_begin();
  wb_robot_init();
  wb_robot_step(kStep);
  poses_are_of_now(kStep);
  poses_are_of_now(3 * kStep);
  contacts_are_of_now();
  what_leaves_is_tracked_no_more();
  changes_between_the_halves_of_a_step();
  refusals_of_changes_within_a_step_are_readable();
  devices_that_come_are_known();
  wb_robot_cleanup();
  return api_end();
}
