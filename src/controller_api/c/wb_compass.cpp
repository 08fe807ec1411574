// SPDX-License-Identifier: Apache-2.0
#include <webots/compass.h>

#include "controller_api/c/device_handle.h"

SERVOSIM_SAMPLED_DEVICE(compass, WB_NODE_COMPASS)
SERVOSIM_LOOKUP_TABLE(compass, WB_NODE_COMPASS)

const double* wb_compass_get_values(WbDeviceTag tag) {
  return servosim::sample(__func__, tag, WB_NODE_COMPASS);
}
