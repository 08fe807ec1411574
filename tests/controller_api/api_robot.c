/* SPDX-License-Identifier: Apache-2.0 */
/* The robot and its devices. */
#include <webots/device.h>
#include <webots/robot.h>

#include "api.h"

static void identity(void) {
  EXPECT_TEXT(wb_robot_get_name(), "arm");
  EXPECT_TEXT(wb_robot_get_model(), "test arm");
  EXPECT_TEXT(wb_robot_get_controller_name(), "<none>");
  EXPECT_TEXT(wb_robot_get_controller_arguments(), "left right hand");
  EXPECT(wb_robot_get_supervisor());
  EXPECT(wb_robot_get_synchronization());
  EXPECT(wb_robot_get_type() == WB_NODE_ROBOT);
  EXPECT(wb_robot_get_mode() == WB_MODE_SIMULATION);
  const char *world = wb_robot_get_world_path();
  EXPECT(world[0] == '/' && strstr(world, "/api_arm.wbt") != NULL);
  EXPECT(strncmp(wb_robot_get_project_path(), world, strlen(wb_robot_get_project_path())) == 0);
  EXPECT_SILENCE();
  wb_robot_set_mode(WB_MODE_REMOTE_CONTROL, NULL);
  EXPECT_MESSAGE("Error: wb_robot_set_mode(): ");
}

static void devices(void) {
  const char *names[] = {
      "arm",  "shoulder", "shoulder sensor", "shoulder brake", "lift sensor", "lift",
      "roll", "skin"};
  const WbNodeType types[] = {WB_NODE_ROBOT,
                              WB_NODE_ROTATIONAL_MOTOR,
                              WB_NODE_POSITION_SENSOR,
                              WB_NODE_BRAKE,
                              WB_NODE_POSITION_SENSOR,
                              WB_NODE_LINEAR_MOTOR,
                              WB_NODE_ROTATIONAL_MOTOR,
                              WB_NODE_TOUCH_SENSOR};
  EXPECT(wb_robot_get_number_of_devices() == 7);
  for (WbDeviceTag tag = 0; tag <= 7; ++tag) {
    EXPECT_TEXT(wb_device_get_name(tag), names[tag]);
    EXPECT(wb_device_get_node_type(tag) == types[tag]);
    EXPECT(tag == 0 || wb_robot_get_device(names[tag]) == tag);
    EXPECT(tag == 0 || wb_robot_get_device_by_index(tag - 1) == tag);
  }
  EXPECT_TEXT(wb_device_get_model(7), "patch");
  EXPECT_TEXT(wb_device_get_model(0), "test arm");
  EXPECT_SILENCE();
}

static void wrong_devices(void) {
  EXPECT(wb_robot_get_device("Shoulder") == 0);
  EXPECT_MESSAGE("Warning: \"Shoulder\" device not found.");
  EXPECT(wb_robot_get_device("arm") == 0); /* the robot is no device of its own */
  EXPECT_MESSAGE("Warning: \"arm\" device not found.");
  EXPECT(wb_robot_get_device(NULL) == 0);
  EXPECT_MESSAGE("Error: wb_robot_get_device(): ");
  EXPECT(wb_robot_get_device("") == 0);
  EXPECT_MESSAGE("Error: wb_robot_get_device(): ");
  EXPECT(wb_robot_get_device_by_index(7) == 0);
  EXPECT_MESSAGE("Error: wb_robot_get_device_by_index(): ");
  EXPECT(wb_robot_get_device_by_index(-1) == 0);
  EXPECT_MESSAGE("Error: wb_robot_get_device_by_index(): ");
  EXPECT(wb_device_get_name(8) == NULL);
  EXPECT(wb_device_get_model(65535) == NULL);
  EXPECT(wb_device_get_type(8) == WB_NODE_NO_NODE);
  EXPECT_MESSAGE("device with tag=8 not found");
  EXPECT_TEXT(wb_node_get_name(WB_NODE_HINGE_2_JOINT), "Hinge2Joint");
  EXPECT_TEXT(wb_node_get_name((WbNodeType)777), "");
}

/* The battery has 7000 J, less 25 W of the robot's computer. The basic time step is 16 ms. The
 * tolerance covers sums of a few such doubles. */
static void battery(void) {
  EXPECT_NAN(wb_robot_battery_sensor_get_value());
  EXPECT_MESSAGE("called for a disabled device");
  wb_robot_battery_sensor_enable(32);
  EXPECT(wb_robot_get_battery_sampling_period() == 32);
  EXPECT_IS(wb_robot_battery_sensor_get_value(), -1.0);
  wb_robot_step(16);
  EXPECT_IS(wb_robot_battery_sensor_get_value(), 0.0);
  wb_robot_step(16);
  EXPECT_NEAR(wb_robot_battery_sensor_get_value(), 7000.0 - 25.0 * 0.032, 1e-11);
  wb_robot_step(64);
  EXPECT_NEAR(wb_robot_battery_sensor_get_value(), 7000.0 - 25.0 * 0.096, 1e-11);
  EXPECT_SILENCE();
  wb_robot_battery_sensor_enable(-1);
  EXPECT_MESSAGE("Error: wb_robot_battery_sensor_enable() called");
  wb_robot_battery_sensor_disable();
  EXPECT(wb_robot_battery_sensor_get_sampling_period() == 0);
}

static void custom_data(void) {
  EXPECT_TEXT(wb_robot_get_custom_data(), "first words");
  wb_robot_set_custom_data("zweite W\xc3\xb6rter");
  EXPECT_TEXT(wb_robot_get_data(), "zweite W\xc3\xb6rter");
  wb_robot_set_data("third");
  wb_robot_step(16);
  EXPECT_TEXT(wb_robot_get_custom_data(), "third");
  wb_robot_set_custom_data(NULL);
  EXPECT_TEXT(wb_robot_get_custom_data(), "");
  wb_robot_pin_to_static_environment(1);
  wb_robot_step(16);
  EXPECT_SILENCE();
}

static void urdf(void) {
  const char *text = wb_robot_get_urdf("left_");
  EXPECT(strstr(text, "<robot name=\"left_arm\">") != NULL);
  EXPECT(strstr(text, "<joint name=\"left_shoulder\" type=\"revolute\">") != NULL);
  EXPECT(strstr(text, "<joint name=\"left_lift\" type=\"prismatic\">") != NULL);
  EXPECT(strstr(text, "lower=\"-2.75\" upper=\"3\" effort=\"30\" velocity=\"4\"") != NULL);
  EXPECT(strstr(wb_robot_get_urdf(NULL), "<link name=\"upper_2\">") != NULL);
  EXPECT_SILENCE();
}

/* 1 MiB is sent; more is refused. Neither may end the simulation. */
static void long_texts(void) {
  const size_t most = 1u << 20, size = 17u << 20;
  char *text = malloc(size + 1);
  memset(text, 'x', size);
  text[size] = '\0';
  wb_robot_set_custom_data("kept");
  wb_robot_set_custom_data(text);
  EXPECT_MESSAGE("Error: wb_robot_set_custom_data(): the text is longer than 1 MiB.");
  EXPECT_TEXT(wb_robot_get_custom_data(), "kept");
  EXPECT(wb_robot_get_urdf(text) == NULL);
  EXPECT_MESSAGE("Error: wb_robot_get_urdf(): the text is longer than 1 MiB.");
  text[most + 1] = '\0';
  wb_robot_set_data(text);
  EXPECT_MESSAGE("Error: wb_robot_set_data(): the text is longer than 1 MiB.");
  take_messages();
  text[most] = '\0';
  wb_robot_set_custom_data(text);
  EXPECT(wb_robot_step(16) == 0);
  EXPECT_TEXT(wb_robot_get_custom_data(), text);
  /* The prefix is repeated before each of the URDF's many names, so the answer is longer than
   * any message may be. */
  EXPECT(wb_robot_get_urdf(text) == NULL);
  EXPECT_MESSAGE("Error: wb_robot_get_urdf(): the simulator's answer of ");
  EXPECT(wb_robot_step(16) == 0);
  EXPECT_SILENCE();
  free(text);
}

int main(void) {
  api_begin();
  EXPECT(wb_robot_init_msvc() == 1);
  identity();
  devices();
  wrong_devices();
  battery();
  take_messages();
  custom_data();
  urdf();
  long_texts();
  wb_robot_cleanup();
  return api_end();
}
