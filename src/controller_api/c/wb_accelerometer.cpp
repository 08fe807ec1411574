// SPDX-License-Identifier: Apache-2.0
#include <webots/accelerometer.h>

#include "controller_api/c/device_handle.h"

SERVOSIM_SAMPLED_DEVICE(accelerometer, WB_NODE_ACCELEROMETER)
SERVOSIM_LOOKUP_TABLE(accelerometer, WB_NODE_ACCELEROMETER)

const double* wb_accelerometer_get_values(WbDeviceTag tag) {
  return servosim::sample(__func__, tag, WB_NODE_ACCELEROMETER);
}
