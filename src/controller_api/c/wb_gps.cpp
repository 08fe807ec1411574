// SPDX-License-Identifier: Apache-2.0
#include <webots/gps.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ControllerClient;

SERVOSIM_SAMPLED_DEVICE(gps, WB_NODE_GPS)

const double* wb_gps_get_values(WbDeviceTag tag) {
  return servosim::sample(__func__, tag, WB_NODE_GPS);
}

double wb_gps_get_speed(WbDeviceTag tag) {
  return servosim::sample_value(__func__, tag, WB_NODE_GPS, 3);
}

const double* wb_gps_get_speed_vector(WbDeviceTag tag) {
  return servosim::sample(__func__, tag, WB_NODE_GPS, 4);
}

WbGpsCoordinateSystem wb_gps_get_coordinate_system(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    client.device(tag, WB_NODE_GPS);
    return client.robot().gps_in_degrees ? WB_GPS_WGS84_COORDINATE : WB_GPS_LOCAL_COORDINATE;
  });
}

// It works without a simulation, so it does not connect to one.
const char* wb_gps_convert_to_degrees_minutes_seconds(double decimal_degrees) {
  constexpr std::size_t kSize = 64;
  auto* const text = static_cast<char*>(std::malloc(kSize));  // the caller may free it
  if (text == nullptr) {
    return nullptr;
  }
  // Each part has the sign of the angle. Adding 0 makes 0 of -0.
  const double degrees = std::trunc(decimal_degrees);
  const double minutes = (decimal_degrees - degrees) * 60.0;
  const double seconds = (minutes - std::trunc(minutes)) * 60.0;
  std::snprintf(text, kSize, "%.0f° %.0f′ %.0f″", degrees + 0.0, std::trunc(minutes) + 0.0,
                std::trunc(seconds) + 0.0);
  return text;
}
