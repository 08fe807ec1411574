// SPDX-License-Identifier: Apache-2.0
#include <webots/led.h>

#include "controller/headless_device.h"

using servosim::boundary;
using servosim::Client;

namespace {
constexpr std::string_view kValue = "value";
}

void wb_led_set(WbDeviceTag tag, int value) {
  boundary(__func__, [=](Client& client, Client::Lock&) {
    client.device(tag, WB_NODE_LED).setting(kValue) = value;
  });
}

int wb_led_get(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, WB_NODE_LED, kValue);
}
