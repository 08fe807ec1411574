// SPDX-License-Identifier: Apache-2.0
#include <webots/plugins/robot_window/default.h>
#include <webots/plugins/robot_window/generic_robot_window/generic.h>
#include <webots/plugins/robot_window/robot_window.h>
#include <webots/plugins/robot_window/robot_wwi.h>
#include <webots/remote_control.h>

// servosim has no windows, so these functions work without a simulation.

void wb_robot_wwi_send(const char*, int) {}

const char* wb_robot_wwi_receive(int* size) {
  if (size != nullptr) {
    *size = 0;
  }
  return nullptr;
}

const char* wb_robot_wwi_receive_text() { return nullptr; }
void* wb_robot_window_custom_function(void*) { return nullptr; }
void* wb_remote_control_custom_function(void*) { return nullptr; }

void wbu_default_robot_window_configure() {}
void wbu_default_robot_window_update() {}
void wbu_default_robot_window_set_images_max_size(int, int) {}

bool wbu_generic_robot_window_parse_device_command(char*, char*) { return false; }
bool wbu_generic_robot_window_parse_device_control_command(char*, char*) { return false; }
bool wbu_generic_robot_window_handle_messages(const char*) { return false; }
void wbu_generic_robot_window_init() {}
void wbu_generic_robot_window_update() {}
bool wbu_generic_robot_window_is_hidden() { return true; }
double wbu_generic_robot_window_refresh_rate() { return 0.0; }
bool wbu_generic_robot_window_needs_update() { return false; }
