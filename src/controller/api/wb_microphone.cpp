// SPDX-License-Identifier: Apache-2.0
#include <webots/microphone.h>

#include "controller/api/device_handle.h"

namespace {

constexpr WbNodeType kMicrophone = WB_NODE_MICROPHONE;

void no_sound(const char* function, WbDeviceTag tag) {
  servosim::report_absent(function, tag, kMicrophone, "servosim makes no sounds");
}

}  // namespace

SERVOSIM_SAMPLED_DEVICE(microphone, kMicrophone)

const void* wb_microphone_get_sample_data(WbDeviceTag tag) {
  no_sound(__func__, tag);
  return nullptr;
}

int wb_microphone_get_sample_size(WbDeviceTag tag) {
  no_sound(__func__, tag);
  return 0;
}
