// SPDX-License-Identifier: Apache-2.0
#include <webots/pen.h>

#include <cmath>

#include "controller_api/c/device_handle.h"

using servosim::ClientDevice;
using servosim::CommandKind;
using servosim::ControllerClient;

void wb_pen_write(WbDeviceTag tag, bool write) {
  servosim::api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& pen = client.device(tag, WB_NODE_PEN);
    pen.drawing.writes = write;
    ControllerClient::request(pen, CommandKind::Write);
  });
}

void wb_pen_set_ink_color(WbDeviceTag tag, int color, double density) {
  servosim::api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& pen = client.device(tag, WB_NODE_PEN);
    servosim::refuse(std::isnan(density), "the density is no number.");
    pen.drawing.ink_color = color & 0xffffff;
    pen.drawing.ink_density = density;
    ControllerClient::request(pen, CommandKind::Ink);
  });
}
