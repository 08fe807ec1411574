// SPDX-License-Identifier: Apache-2.0
#include <webots/distance_sensor.h>

#include <algorithm>
#include <limits>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ControllerClient;

SERVOSIM_SAMPLED_DEVICE(distance_sensor, WB_NODE_DISTANCE_SENSOR)
SERVOSIM_LOOKUP_TABLE(distance_sensor, WB_NODE_DISTANCE_SENSOR)

double wb_distance_sensor_get_value(WbDeviceTag tag) {
  return servosim::sample_value(__func__, tag, WB_NODE_DISTANCE_SENSOR);
}

namespace {

// The best reading of the lookup table by `better`; `otherwise` if there is no table.
template <typename Better>
double extreme_reading(const char* function, WbDeviceTag tag, double otherwise, Better better) {
  const auto* table = servosim::lookup_table(function, tag, WB_NODE_DISTANCE_SENSOR);
  if (table == nullptr) {
    return servosim::nothing<double>();
  }
  double best = table->size() < 3 ? otherwise : (*table)[1];
  for (std::size_t row = 1; row < table->size() / 3; ++row) {
    best = better(best, (*table)[3 * row + 1]);
  }
  return best;
}

}  // namespace

double wb_distance_sensor_get_max_value(WbDeviceTag tag) {
  return extreme_reading(__func__, tag, std::numeric_limits<double>::infinity(),
                         [](double a, double b) { return std::max(a, b); });
}

double wb_distance_sensor_get_min_value(WbDeviceTag tag) {
  return extreme_reading(__func__, tag, 0.0, [](double a, double b) { return std::min(a, b); });
}

double wb_distance_sensor_get_max_range(WbDeviceTag tag) {
  return servosim::alias(__func__, wb_distance_sensor_get_max_value, tag);
}

double wb_distance_sensor_get_min_range(WbDeviceTag tag) {
  return servosim::alias(__func__, wb_distance_sensor_get_min_value, tag);
}

double wb_distance_sensor_get_aperture(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.device(tag, WB_NODE_DISTANCE_SENSOR).number("aperture");
  });
}

WbDistanceSensorType wb_distance_sensor_get_type(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    const std::string& type = client.device(tag, WB_NODE_DISTANCE_SENSOR).field("type").text;
    return type == "infra-red" ? WB_DISTANCE_SENSOR_INFRA_RED
           : type == "sonar"   ? WB_DISTANCE_SENSOR_SONAR
           : type == "laser"   ? WB_DISTANCE_SENSOR_LASER
                               : WB_DISTANCE_SENSOR_GENERIC;
  });
}
