// SPDX-License-Identifier: Apache-2.0
#include <webots/radar.h>

#include <cstddef>
#include <vector>

#include "controller_api/c/device_handle.h"
#include "controller_api/c/device_pictures.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::device_number;

namespace {

constexpr WbNodeType kRadar = WB_NODE_RADAR;

// The targets of the last sample, also of a disabled radar, for which there is a message.
const std::vector<WbRadarTarget>& targets_of(ControllerClient& client, WbDeviceTag tag) {
  const ClientDevice& radar = client.device(tag, kRadar);
  if (!servosim::is_sampled(radar)) {
    servosim::report_disabled(client, "wb_radar_enable");
  }
  return radar.objects.targets();
}

}  // namespace

SERVOSIM_SAMPLED_DEVICE(radar, kRadar)

int wb_radar_get_number_of_targets(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return static_cast<int>(targets_of(client, tag).size());
  });
}

const WbRadarTarget* wb_radar_get_targets(WbDeviceTag tag) {
  return api_call(__func__,
                  [=](ControllerClient& client, ControllerClient::Lock&) -> const WbRadarTarget* {
                    const std::vector<WbRadarTarget>& targets = targets_of(client, tag);
                    return targets.empty() ? nullptr : targets.data();
                  });
}

const WbRadarTarget* wb_radar_get_target(WbDeviceTag tag, int index) {
  return api_call(__func__,
                  [=](ControllerClient& client, ControllerClient::Lock&) -> const WbRadarTarget* {
                    const std::vector<WbRadarTarget>& targets = targets_of(client, tag);
                    servosim::refuse(index < 0 || static_cast<std::size_t>(index) >= targets.size(),
                                     "there is no such target.");
                    return &targets[static_cast<std::size_t>(index)];
                  });
}

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
