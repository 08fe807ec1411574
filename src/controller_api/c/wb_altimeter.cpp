// SPDX-License-Identifier: Apache-2.0
#include <webots/altimeter.h>

#include "controller_api/c/device_handle.h"

SERVOSIM_SAMPLED_DEVICE(altimeter, WB_NODE_ALTIMETER)

double wb_altimeter_get_value(WbDeviceTag tag) {
  return servosim::sample_value(__func__, tag, WB_NODE_ALTIMETER);
}
