// SPDX-License-Identifier: Apache-2.0
#include <webots/device.h>

#include "controller_api/client/api_call.h"

using servosim::alias;
using servosim::api_call;
using servosim::ControllerClient;

const char* wb_device_get_name(WbDeviceTag dt) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return (dt == 0 ? client.robot().name : client.devices().device(dt).name).c_str();
  });
}

const char* wb_device_get_model(WbDeviceTag dt) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return (dt == 0 ? client.robot().model : client.devices().device(dt).model).c_str();
  });
}

WbNodeType wb_device_get_node_type(WbDeviceTag dt) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    return dt == 0 ? WB_NODE_ROBOT : client.devices().device(dt).node_type;
  });
}

WbNodeType wb_device_get_type(WbDeviceTag dt) {
  return alias(__func__, wb_device_get_node_type, dt);
}
