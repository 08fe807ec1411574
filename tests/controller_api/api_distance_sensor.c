/* SPDX-License-Identifier: Apache-2.0 */
/* DistanceSensors are 2 m before a wall and inside their robot's own sphere. */
#include <webots/device.h>
#include <webots/distance_sensor.h>
#include <webots/robot.h>

#include "api.h"

enum { kStep = 16 };

static WbDeviceTag find(const char *name) {
  const WbDeviceTag tag = wb_robot_get_device(name);
  EXPECT(wb_device_get_node_type(tag) == WB_NODE_DISTANCE_SENSOR);
  return tag;
}

static void fields(WbDeviceTag plain, WbDeviceTag raw) {
  EXPECT(wb_distance_sensor_get_type(plain) == WB_DISTANCE_SENSOR_INFRA_RED);
  EXPECT(wb_distance_sensor_get_type(raw) == WB_DISTANCE_SENSOR_LASER);
  EXPECT(wb_distance_sensor_get_type(find("sonar")) == WB_DISTANCE_SENSOR_SONAR);
  EXPECT(wb_distance_sensor_get_type(find("bundle")) == WB_DISTANCE_SENSOR_GENERIC);
  EXPECT_IS(wb_distance_sensor_get_aperture(plain), 0.5);
  EXPECT_IS(wb_distance_sensor_get_max_value(plain), 1000.0);
  EXPECT_IS(wb_distance_sensor_get_min_value(plain), 0.0);
  EXPECT_IS(wb_distance_sensor_get_max_range(find("sonar")), 50.0);
  EXPECT_IS(wb_distance_sensor_get_min_range(find("sonar")), 0.0);
  EXPECT(isinf(wb_distance_sensor_get_max_value(raw)));
  EXPECT_IS(wb_distance_sensor_get_min_value(raw), 0.0);
  EXPECT(wb_distance_sensor_get_lookup_table_size(plain) == 3);
  EXPECT_IS(wb_distance_sensor_get_lookup_table(plain)[4], 600.0);
  EXPECT(wb_distance_sensor_get_lookup_table_size(raw) == 0);
  EXPECT(wb_distance_sensor_get_lookup_table(raw) == NULL);
  EXPECT_SILENCE();
}

static void bad_calls(WbDeviceTag plain) {
  const WbDeviceTag gps = wb_robot_get_device("gps");
  EXPECT_NAN(wb_distance_sensor_get_value(plain));
  EXPECT_MESSAGE("Error: wb_distance_sensor_get_value() called for a disabled device");
  EXPECT_NAN(wb_distance_sensor_get_value(gps));
  EXPECT_MESSAGE("Error: wb_distance_sensor_get_value(): invalid device tag");
  EXPECT_NAN(wb_distance_sensor_get_max_range(gps));
  EXPECT_MESSAGE("Error: wb_distance_sensor_get_max_range(): invalid device tag");
  EXPECT_NAN(wb_distance_sensor_get_aperture(0));
  EXPECT_MESSAGE("Error: wb_distance_sensor_get_aperture(): ");
  wb_distance_sensor_enable(plain, -5);
  EXPECT_MESSAGE("Error: wb_distance_sensor_enable() called");
  EXPECT(wb_distance_sensor_get_sampling_period(plain) == 0);
}

int main(void) {
  api_begin();
  wb_robot_init();
  const WbDeviceTag plain = find("plain");
  const WbDeviceTag raw = find("raw");
  fields(plain, raw);
  bad_calls(plain);
  wb_distance_sensor_enable(plain, 2 * kStep);
  wb_distance_sensor_enable(raw, kStep);
  wb_distance_sensor_enable(find("sonar"), kStep);
  wb_distance_sensor_enable(find("bundle"), kStep);
  EXPECT(wb_distance_sensor_get_sampling_period(plain) == 2 * kStep);
  wb_robot_step(kStep);
  EXPECT_NAN(wb_distance_sensor_get_value(plain));
  EXPECT_NEAR(wb_distance_sensor_get_value(raw), 2.0, 1e-9);
  /* 0.5 rad is more than pi/8, so there is no echo. */
  EXPECT_NEAR(wb_distance_sensor_get_value(find("sonar")), 50.0, 1e-9);
  /* Five rays on a cone of 0.3 rad measure 2/cos 0.3 = 2.093, in steps of 0.25. */
  EXPECT_IS(wb_distance_sensor_get_value(find("bundle")), 2.0);
  wb_robot_step(kStep);
  /* This sensor is of type infra-red: 2 m / (0.2 + 0.8 * 0.75) = 2.5 m. */
  EXPECT_NEAR(wb_distance_sensor_get_value(plain), 300.0, 1e-6);
  wb_distance_sensor_disable(plain);
  EXPECT(wb_distance_sensor_get_sampling_period(plain) == 0);
  wb_robot_cleanup();
  return api_end();
}
