// SPDX-License-Identifier: Apache-2.0
#include <webots/mouse.h>

#include <limits>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ControllerClient;

namespace {

// The client's mutex guards these.
int the_mouse_period_ms = 0;
bool the_3d_position = false;

constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
constexpr WbMouseState kNoMouse{false,    false,    false,    kNowhere,
                                kNowhere, kNowhere, kNowhere, kNowhere};
WbMouseState the_state = kNoMouse;

void enable_3d_position(const char* function, bool on) {
  api_call(function, [=](ControllerClient&, ControllerClient::Lock&) { the_3d_position = on; });
}

}  // namespace

void wb_mouse_enable(int sampling_period) {
  servosim::set_period(__func__, the_mouse_period_ms, sampling_period);
}

void wb_mouse_disable() { servosim::set_period(__func__, the_mouse_period_ms, 0); }

int wb_mouse_get_sampling_period() {
  return api_call(__func__,
                  [](ControllerClient&, ControllerClient::Lock&) { return the_mouse_period_ms; });
}

void wb_mouse_enable_3d_position() { enable_3d_position(__func__, true); }

void wb_mouse_disable_3d_position() { enable_3d_position(__func__, false); }

bool wb_mouse_is_3d_position_enabled() {
  return api_call(__func__,
                  [](ControllerClient&, ControllerClient::Lock&) { return the_3d_position; });
}

WbMouseState wb_mouse_get_state() {
  api_call(__func__, [](ControllerClient& client, ControllerClient::Lock&) {
    if (the_mouse_period_ms <= 0) {
      client.report_error("called for a disabled device; enable it first.");
    }
  });
  return kNoMouse;
}

WbMouseState* wb_mouse_get_state_pointer() {
  the_state = wb_mouse_get_state();
  return &the_state;
}
