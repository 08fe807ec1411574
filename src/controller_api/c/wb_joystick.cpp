// SPDX-License-Identifier: Apache-2.0
#include <webots/joystick.h>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ControllerClient;

namespace {
int the_period_ms = 0;  // guarded by the client's mutex
}

void wb_joystick_enable(int sampling_period) {
  servosim::set_period(__func__, the_period_ms, sampling_period);
}

void wb_joystick_disable() { servosim::set_period(__func__, the_period_ms, 0); }

int wb_joystick_get_sampling_period() {
  return api_call(__func__,
                  [](ControllerClient&, ControllerClient::Lock&) { return the_period_ms; });
}

bool wb_joystick_is_connected() { return false; }
const char* wb_joystick_get_model() { return nullptr; }
int wb_joystick_get_number_of_axes() { return 0; }
int wb_joystick_get_axis_value(int) { return 0; }
int wb_joystick_get_number_of_povs() { return 0; }
int wb_joystick_get_pov_value(int) { return 0; }
int wb_joystick_get_pressed_button() { return -1; }
void wb_joystick_set_constant_force(int) {}
void wb_joystick_set_constant_force_duration(double) {}
void wb_joystick_set_auto_centering_gain(double) {}
void wb_joystick_set_resistance_gain(double) {}
void wb_joystick_set_force_axis(int) {}
