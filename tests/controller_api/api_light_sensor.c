/* SPDX-License-Identifier: Apache-2.0 */
/* A lamp is 2 m ahead, behind a screen, and a light of 0.5 W/m² shines from above. */
#include <webots/device.h>
#include <webots/light_sensor.h>
#include <webots/robot.h>

#include "api.h"

enum { kStep = 16 };

int main(void) {
  api_begin();
  wb_robot_init();
  const WbDeviceTag ahead = wb_robot_get_device("ahead");
  const WbDeviceTag shaded = wb_robot_get_device("shaded");
  const WbDeviceTag up = wb_robot_get_device("up");
  EXPECT(wb_device_get_node_type(up) == WB_NODE_LIGHT_SENSOR);
  EXPECT(wb_light_sensor_get_lookup_table_size(ahead) == 2);
  EXPECT_IS(wb_light_sensor_get_lookup_table(ahead)[4], 1000.0);
  EXPECT(wb_light_sensor_get_lookup_table(up) == NULL);
  EXPECT_NAN(wb_light_sensor_get_value(ahead));
  EXPECT_MESSAGE("Error: wb_light_sensor_get_value() called for a disabled device");
  EXPECT_NAN(wb_light_sensor_get_value(wb_robot_get_device("gps")));
  EXPECT_MESSAGE("Error: wb_light_sensor_get_value(): invalid device tag");
  wb_light_sensor_enable(ahead, kStep);
  wb_light_sensor_enable(shaded, kStep);
  wb_light_sensor_enable(up, kStep);
  EXPECT(wb_light_sensor_get_sampling_period(up) == kStep);
  wb_robot_step(kStep);
  /* The lamp gives 1/d² = 0.25 W/m². */
  EXPECT_NEAR(wb_light_sensor_get_value(ahead), 250.0, 1e-9);
  EXPECT_NEAR(wb_light_sensor_get_value(shaded), 0.0, 0.0);
  EXPECT_NEAR(wb_light_sensor_get_value(up), 0.5, 1e-12);
  wb_light_sensor_disable(up);
  EXPECT(wb_light_sensor_get_sampling_period(up) == 0);
  wb_robot_cleanup();
  return api_end();
}
