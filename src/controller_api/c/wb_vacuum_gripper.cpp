// SPDX-License-Identifier: Apache-2.0
#include <webots/vacuum_gripper.h>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;

namespace {

constexpr WbNodeType kGripper = WB_NODE_VACUUM_GRIPPER;

void turn(const char* function, WbDeviceTag tag, bool on) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, kGripper);
    device.setting(servosim::lock_field(device.node_type)) = on ? 1.0 : 0.0;
    ControllerClient::request(device, servosim::CommandKind::Lock);
  });
}

}  // namespace

void wb_vacuum_gripper_enable_presence(WbDeviceTag tag, int sampling_period) {
  servosim::enable_sampling(__func__, tag, kGripper, sampling_period);
}

void wb_vacuum_gripper_disable_presence(WbDeviceTag tag) {
  servosim::enable_sampling(__func__, tag, kGripper, 0);
}

int wb_vacuum_gripper_get_presence_sampling_period(WbDeviceTag tag) {
  return servosim::sampling_period(__func__, tag, kGripper);
}

bool wb_vacuum_gripper_get_presence(WbDeviceTag tag) {
  return servosim::sample_value(__func__, tag, kGripper) > 0.0;  // false for NaN
}

void wb_vacuum_gripper_turn_on(WbDeviceTag tag) { turn(__func__, tag, true); }

void wb_vacuum_gripper_turn_off(WbDeviceTag tag) { turn(__func__, tag, false); }

bool wb_vacuum_gripper_is_on(WbDeviceTag tag) {
  return servosim::device_number(__func__, tag, kGripper, "isOn") > 0.0;
}
