// SPDX-License-Identifier: Apache-2.0
#include <webots/touch_sensor.h>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ControllerClient;

SERVOSIM_SAMPLED_DEVICE(touch_sensor, WB_NODE_TOUCH_SENSOR)
SERVOSIM_LOOKUP_TABLE(touch_sensor, WB_NODE_TOUCH_SENSOR)

double wb_touch_sensor_get_value(WbDeviceTag tag) {
  return servosim::sample_value(__func__, tag, WB_NODE_TOUCH_SENSOR);
}

const double* wb_touch_sensor_get_values(WbDeviceTag tag) {
  return servosim::sample(__func__, tag, WB_NODE_TOUCH_SENSOR);
}

WbTouchSensorType wb_touch_sensor_get_type(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    const std::string& type = client.device(tag, WB_NODE_TOUCH_SENSOR).field("type").text;
    return type == "force"      ? WB_TOUCH_SENSOR_FORCE
           : type == "force-3d" ? WB_TOUCH_SENSOR_FORCE3D
                                : WB_TOUCH_SENSOR_BUMPER;
  });
}
