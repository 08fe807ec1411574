/* SPDX-License-Identifier: Apache-2.0 */
/* A robot is on a sensor and has another one on its head. A ball falls onto its bumper after
 * 0.57 s. */
#include <string.h>
#include <webots/device.h>
#include <webots/robot.h>
#include <webots/touch_sensor.h>

#include "api.h"

enum { kStep = 8 };
static const double kG = 9.81;

static WbDeviceTag find(const char *name) {
  const WbDeviceTag tag = wb_robot_get_device(name);
  EXPECT(wb_device_get_node_type(tag) == WB_NODE_TOUCH_SENSOR);
  return tag;
}

int main(void) {
  int n;
  double touched = 0.0;
  api_begin();
  wb_robot_init();
  const WbDeviceTag foot = find("foot");
  const WbDeviceTag hat = find("hat");
  const WbDeviceTag bumper = find("bumper");
  const WbDeviceTag neck = find("neck"); /* in a joint, with six values */
  EXPECT(wb_touch_sensor_get_type(foot) == WB_TOUCH_SENSOR_FORCE);
  EXPECT(wb_touch_sensor_get_type(hat) == WB_TOUCH_SENSOR_FORCE3D);
  EXPECT(wb_touch_sensor_get_type(bumper) == WB_TOUCH_SENSOR_BUMPER);
  EXPECT(wb_touch_sensor_get_type(neck) == WB_TOUCH_SENSOR_FORCE3D);
  EXPECT(strcmp(wb_device_get_model(neck), "force-torque") == 0);
  EXPECT(wb_touch_sensor_get_lookup_table_size(neck) == 0);
  EXPECT(wb_touch_sensor_get_lookup_table_size(foot) == 2);
  EXPECT_IS(wb_touch_sensor_get_lookup_table(foot)[4], 1000.0);
  EXPECT_NAN(wb_touch_sensor_get_value(foot));
  EXPECT_MESSAGE("Error: wb_touch_sensor_get_value() called for a disabled device");
  EXPECT(wb_touch_sensor_get_values(wb_robot_get_device("gps")) == NULL);
  EXPECT_MESSAGE("Error: wb_touch_sensor_get_values(): invalid device tag");
  wb_touch_sensor_enable(foot, -1);
  EXPECT_MESSAGE("Error: wb_touch_sensor_enable() called");

  wb_touch_sensor_enable(foot, kStep);
  wb_touch_sensor_enable(hat, 2 * kStep);
  wb_touch_sensor_enable(bumper, kStep);
  wb_touch_sensor_enable(neck, kStep);
  EXPECT(wb_touch_sensor_get_sampling_period(hat) == 2 * kStep);
  wb_robot_step(504);
  EXPECT_IS(wb_touch_sensor_get_value(bumper), 0.0);
  for (n = 0; n < 20; ++n) {
    wb_robot_step(kStep);
    touched += wb_touch_sensor_get_value(bumper);
  }
  EXPECT(touched >= 1.0);
  wb_robot_step(4000);
  /* Contacts yield and settle slowly. The foot carries 5 kg; the ball has gone. */
  EXPECT_NEAR(wb_touch_sensor_get_value(foot), 10.0 * 5.001 * kG, 0.5);
  EXPECT_NEAR(wb_touch_sensor_get_values(hat)[0], 0.0, 0.02);
  EXPECT_NEAR(wb_touch_sensor_get_values(hat)[1], 0.0, 0.02);
  EXPECT_NEAR(wb_touch_sensor_get_values(hat)[2], -2.0 * kG, 0.02);
  /* The head of 1 kg, whose middle is at 0.01 0 0.1: r x f. */
  EXPECT_NEAR(wb_touch_sensor_get_values(neck)[0], 0.0, 0.02);
  EXPECT_NEAR(wb_touch_sensor_get_values(neck)[1], 0.0, 0.02);
  EXPECT_NEAR(wb_touch_sensor_get_values(neck)[2], -kG, 0.02);
  EXPECT_NEAR(wb_touch_sensor_get_values(neck)[3], 0.0, 0.002);
  EXPECT_NEAR(wb_touch_sensor_get_values(neck)[4], 0.01 * kG, 0.002);
  EXPECT_NEAR(wb_touch_sensor_get_values(neck)[5], 0.0, 0.002);
  EXPECT_IS(wb_touch_sensor_get_values(foot)[0], wb_touch_sensor_get_value(foot));
  EXPECT_IS(wb_touch_sensor_get_value(bumper), 0.0);
  wb_touch_sensor_disable(foot);
  EXPECT(wb_touch_sensor_get_sampling_period(foot) == 0);
  wb_robot_cleanup();
  return api_end();
}
