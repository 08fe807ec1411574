/* SPDX-License-Identifier: Apache-2.0 */
/* A crane whose magnet is 5 mm above a load of 2 kg in the air locks the load, lifts it and
 * drops it. */
#include <webots/connector.h>
#include <webots/device.h>
#include <webots/distance_sensor.h>
#include <webots/motor.h>
#include <webots/robot.h>

#include "api.h"

enum { kStep = 8 };

static void bad_calls(WbDeviceTag magnet, WbDeviceTag blind) {
  wb_connector_lock(blind);
  EXPECT_MESSAGE("Error: wb_connector_lock(): a passive connector cannot lock.");
  wb_connector_lock(wb_robot_get_device("gps"));
  EXPECT_MESSAGE("Error: wb_connector_lock(): invalid device tag");
  wb_connector_enable_presence(magnet, -8);
  EXPECT_MESSAGE("Error: wb_connector_enable_presence() called");
  EXPECT(wb_connector_get_presence(magnet) == -1);
  EXPECT_MESSAGE("Error: wb_connector_get_presence() called for a disabled device");
  EXPECT(!wb_connector_is_locked(blind));
}

int main(void) {
  int n;
  api_begin();
  wb_robot_init();
  const WbDeviceTag magnet = wb_robot_get_device("magnet");
  const WbDeviceTag blind = wb_robot_get_device("blind");
  const WbDeviceTag below = wb_robot_get_device("below");
  EXPECT(wb_device_get_node_type(magnet) == WB_NODE_CONNECTOR);
  EXPECT(!wb_connector_is_locked(magnet));
  bad_calls(magnet, blind);

  wb_connector_enable_presence(magnet, kStep);
  wb_connector_enable_presence(blind, kStep);
  wb_distance_sensor_enable(below, kStep);
  EXPECT(wb_connector_get_presence_sampling_period(magnet) == kStep);
  EXPECT(wb_connector_get_presence(magnet) == -1);
  wb_connector_lock(magnet);
  EXPECT(wb_connector_is_locked(magnet));
  wb_robot_step(kStep);
  EXPECT(wb_connector_get_presence(magnet) == 1);
  EXPECT(wb_connector_get_presence(blind) == -1);
  wb_motor_set_velocity(wb_robot_get_device("lift"), 0.5);
  wb_motor_set_position(wb_robot_get_device("lift"), 0.4);
  for (n = 0; n < 150; ++n) wb_robot_step(kStep);
  EXPECT(wb_connector_get_presence(magnet) == 1);
  wb_connector_unlock(magnet);
  EXPECT(!wb_connector_is_locked(magnet));
  for (n = 0; n < 150; ++n) wb_robot_step(kStep);
  EXPECT(wb_connector_get_presence(magnet) == 0);
  /* The load is on the floor, and its top is at 0.2 m. Contacts yield by millimetres. The sensor
   * is at 1 − 0.11 + 0.4. */
  EXPECT_NEAR(wb_distance_sensor_get_value(below), 1.29 - 0.2, 5e-3);
  wb_connector_lock(magnet);
  wb_robot_step(kStep);
  EXPECT(wb_connector_is_locked(magnet));
  EXPECT(wb_connector_get_presence(magnet) == 0);
  wb_connector_disable_presence(magnet);
  EXPECT(wb_connector_get_presence_sampling_period(magnet) == 0);
  wb_robot_cleanup();
  return api_end();
}
