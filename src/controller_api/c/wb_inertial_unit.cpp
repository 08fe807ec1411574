// SPDX-License-Identifier: Apache-2.0
#include <webots/inertial_unit.h>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ControllerClient;

SERVOSIM_SAMPLED_DEVICE(inertial_unit, WB_NODE_INERTIAL_UNIT)

double wb_inertial_unit_get_noise(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.device(tag, WB_NODE_INERTIAL_UNIT).number("noise");
  });
}

const double* wb_inertial_unit_get_roll_pitch_yaw(WbDeviceTag tag) {
  return servosim::sample(__func__, tag, WB_NODE_INERTIAL_UNIT);
}

const double* wb_inertial_unit_get_quaternion(WbDeviceTag tag) {
  return servosim::sample(__func__, tag, WB_NODE_INERTIAL_UNIT, 3);
}
