// SPDX-License-Identifier: Apache-2.0
#include <webots/gyro.h>

#include "controller_api/c/device_handle.h"

SERVOSIM_SAMPLED_DEVICE(gyro, WB_NODE_GYRO)
SERVOSIM_LOOKUP_TABLE(gyro, WB_NODE_GYRO)

const double* wb_gyro_get_values(WbDeviceTag tag) {
  return servosim::sample(__func__, tag, WB_NODE_GYRO);
}
