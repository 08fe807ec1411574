// SPDX-License-Identifier: Apache-2.0
#include <webots/keyboard.h>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ControllerClient;

namespace {
int the_keyboard_period_ms = 0;  // guarded by the client's mutex
}

void wb_keyboard_enable(int sampling_period) {
  servosim::set_period(__func__, the_keyboard_period_ms, sampling_period);
}

void wb_keyboard_disable() { servosim::set_period(__func__, the_keyboard_period_ms, 0); }

int wb_keyboard_get_sampling_period() {
  return api_call(
      __func__, [](ControllerClient&, ControllerClient::Lock&) { return the_keyboard_period_ms; });
}

int wb_keyboard_get_key() {
  api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    if (the_keyboard_period_ms <= 0) {
      client.report_error("called for a disabled device; enable it first.");
    }
  });
  return -1;
}
