// SPDX-License-Identifier: Apache-2.0
#include <webots/position_sensor.h>

#include "controller_api/c/device_handle.h"
#include "controller_api/client/api_call.h"

using servosim::alias;
using servosim::api_call;
using servosim::ClientJoint;
using servosim::ControllerClient;

namespace servosim {

void enable_position(ClientDevice& device, int period_ms) {
  servosim::check_period(period_ms);
  device.period_ms = period_ms;
  ControllerClient::request(device, CommandKind::Sampling);
}

double last_position(const ControllerClient& client, const ClientDevice& device) {
  if (device.period_ms <= 0) {
    client.report_error("called for a disabled device; enable its position first.");
  }
  return device.values[0];
}

}  // namespace servosim

void wb_position_sensor_enable(WbDeviceTag tag, int sampling_period) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    enable_position(client.devices().sensor(tag), sampling_period);
  });
}

void wb_position_sensor_disable(WbDeviceTag tag) {
  alias(__func__, wb_position_sensor_enable, tag, 0);
}

int wb_position_sensor_get_sampling_period(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().sensor(tag).period_ms;
  });
}

double wb_position_sensor_get_value(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return last_position(client, client.devices().sensor(tag));
  });
}

WbJointType wb_position_sensor_get_type(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().sensor(tag).sensor_type;
  });
}

WbDeviceTag wb_position_sensor_get_motor(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().sibling(client.devices().sensor(tag), &ClientJoint::has_motor);
  });
}

WbDeviceTag wb_position_sensor_get_brake(WbDeviceTag tag) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.devices().sibling(client.devices().sensor(tag), &ClientJoint::has_brake);
  });
}
