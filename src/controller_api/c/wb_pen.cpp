// SPDX-License-Identifier: Apache-2.0
#include <webots/pen.h>

#include "controller_api/c/device_handle.h"

void wb_pen_write(WbDeviceTag tag, bool) { servosim::check_device(__func__, tag, WB_NODE_PEN); }

void wb_pen_set_ink_color(WbDeviceTag tag, int, double density) {
  servosim::set_device_number(__func__, tag, WB_NODE_PEN, "inkDensity", density, 0.0, 1.0,
                              "the density");
}
