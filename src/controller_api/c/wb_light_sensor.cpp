// SPDX-License-Identifier: Apache-2.0
#include <webots/light_sensor.h>

#include "controller_api/c/device_handle.h"

SERVOSIM_SAMPLED_DEVICE(light_sensor, WB_NODE_LIGHT_SENSOR)
SERVOSIM_LOOKUP_TABLE(light_sensor, WB_NODE_LIGHT_SENSOR)

double wb_light_sensor_get_value(WbDeviceTag tag) {
  return servosim::sample_value(__func__, tag, WB_NODE_LIGHT_SENSOR);
}
