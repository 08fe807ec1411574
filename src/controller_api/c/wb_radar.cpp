// SPDX-License-Identifier: Apache-2.0
#include <webots/radar.h>

#include "controller_api/c/device_handle.h"

using servosim::device_number;

namespace {

constexpr WbNodeType kRadar = WB_NODE_RADAR;

std::nullptr_t no_targets(const char* function, WbDeviceTag tag) {
  servosim::api_call(
      function, [=](servosim::ControllerClient& client, servosim::ControllerClient::Lock& lock) {
        servosim::read_blindly(function, client, lock, tag, kRadar,
                               servosim::is_sampled(client.device(tag, kRadar)),
                               "servosim finds no radar targets");
      });
  return nullptr;
}

}  // namespace

SERVOSIM_SAMPLED_DEVICE(radar, kRadar)

int wb_radar_get_number_of_targets(WbDeviceTag tag) {
  no_targets(__func__, tag);
  return 0;
}

const WbRadarTarget* wb_radar_get_targets(WbDeviceTag tag) { return no_targets(__func__, tag); }

const WbRadarTarget* wb_radar_get_target(WbDeviceTag tag, int) { return no_targets(__func__, tag); }

double wb_radar_get_min_range(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadar, "minRange");
}

double wb_radar_get_max_range(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadar, "maxRange");
}

double wb_radar_get_horizontal_fov(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadar, "horizontalFieldOfView");
}

double wb_radar_get_vertical_fov(WbDeviceTag tag) {
  return device_number(__func__, tag, kRadar, "verticalFieldOfView");
}
