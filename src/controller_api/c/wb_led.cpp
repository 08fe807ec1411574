// SPDX-License-Identifier: Apache-2.0
#include <webots/led.h>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::Client;
using servosim::ClientDevice;
using servosim::CommandKind;

void wb_led_set(WbDeviceTag tag, int value) {
  api_call(__func__, [=](Client& client, Client::Lock&) {
    ClientDevice& device = client.device(tag, WB_NODE_LED);
    device.setting(servosim::kLedValue) = value;
    Client::request(device, CommandKind::Led);
  });
}

int wb_led_get(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, WB_NODE_LED, servosim::kLedValue);
}
