// SPDX-License-Identifier: Apache-2.0
#include <webots/connector.h>

#include <cmath>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::CommandKind;
using servosim::ControllerClient;

void wb_connector_enable_presence(WbDeviceTag tag, int sampling_period) {
  servosim::enable_sampling(__func__, tag, WB_NODE_CONNECTOR, sampling_period);
}

void wb_connector_disable_presence(WbDeviceTag tag) {
  servosim::enable_sampling(__func__, tag, WB_NODE_CONNECTOR, 0);
}

int wb_connector_get_presence_sampling_period(WbDeviceTag tag) {
  return servosim::sampling_period(__func__, tag, WB_NODE_CONNECTOR);
}

int wb_connector_get_presence(WbDeviceTag tag) {
  const double presence = servosim::sample_value(__func__, tag, WB_NODE_CONNECTOR);
  return std::isnan(presence) ? -1 : static_cast<int>(presence);
}

namespace {

void set_locked(const char* function, WbDeviceTag tag, bool locked) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, WB_NODE_CONNECTOR);
    servosim::refuse(locked && device.field("type").text == "passive",
                     "a passive connector cannot lock.");
    device.setting(servosim::lock_field(device.node_type)) = locked ? 1.0 : 0.0;
    ControllerClient::request(device, CommandKind::Lock);
  });
}

}  // namespace

void wb_connector_lock(WbDeviceTag tag) { set_locked(__func__, tag, true); }

void wb_connector_unlock(WbDeviceTag tag) { set_locked(__func__, tag, false); }

bool wb_connector_is_locked(WbDeviceTag tag) {
  return servosim::device_number(__func__, tag, WB_NODE_CONNECTOR, "isLocked") > 0.0;
}
