// SPDX-License-Identifier: Apache-2.0
#include <webots/microphone.h>

#include "controller_api/c/device_handle.h"

namespace {

constexpr WbNodeType kMicrophone = WB_NODE_MICROPHONE;

void no_sound(const char* function, WbDeviceTag tag) {
  servosim::api_call(
      function, [=](servosim::ControllerClient& client, servosim::ControllerClient::Lock& lock) {
        const bool is_on = servosim::is_sampled(client.device(tag, kMicrophone));
        servosim::read_blindly(function, client, lock, tag, kMicrophone, is_on,
                               "servosim makes no sounds");
      });
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
