// SPDX-License-Identifier: Apache-2.0
#include <webots/led.h>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::CommandKind;
using servosim::ControllerClient;

void wb_led_set(WbDeviceTag tag, int value) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, WB_NODE_LED);
    device.setting(servosim::kLedValue) = value;
    ControllerClient::request(device, CommandKind::Led);
  });
}

int wb_led_get(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, WB_NODE_LED, servosim::kLedValue);
}
