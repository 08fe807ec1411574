// SPDX-License-Identifier: Apache-2.0
#include <webots/microphone.h>

#include "controller_api/c/device_handle.h"

namespace {

constexpr WbNodeType kMicrophone = WB_NODE_MICROPHONE;

// Where it is enabled, the simulation is told, whose run is incomplete by it.
void no_sound(const char* function, WbDeviceTag tag) {
  servosim::api_call(
      function, [=](servosim::ControllerClient& client, servosim::ControllerClient::Lock& lock) {
        servosim::ClientDevice& device = client.device(tag, kMicrophone);
        servosim::report_absent(function, device, "servosim makes no sounds");
        if (servosim::is_sampled(device) && device.reports.blind_read.first()) {
          client.tell(lock, tag, servosim::CommandKind::BlindRead);
        }
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
