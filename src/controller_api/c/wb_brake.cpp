// SPDX-License-Identifier: Apache-2.0
#include <webots/brake.h>

#include <cmath>

#include "controller_api/client/api_call.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ClientJoint;
using servosim::CommandKind;
using servosim::ControllerClient;
using servosim::refuse;

void wb_brake_set_damping_constant(WbDeviceTag tag, double damping_constant) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.devices().brake(tag);
    refuse(!std::isfinite(damping_constant), "the damping constant is not a finite number.");
    device.brake.damping = damping_constant;
    ControllerClient::request(device, CommandKind::BrakeDamping);
  });
}

WbJointType wb_brake_get_type(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().brake(tag).brake.type;
  });
}

WbDeviceTag wb_brake_get_motor(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().sibling(client.devices().brake(tag), &ClientJoint::has_motor);
  });
}

WbDeviceTag wb_brake_get_position_sensor(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().sibling(client.devices().brake(tag), &ClientJoint::has_sensor);
  });
}
