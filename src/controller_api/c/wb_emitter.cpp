// SPDX-License-Identifier: Apache-2.0
#include <webots/emitter.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::CallError;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::refuse;

namespace {

constexpr WbNodeType kEmitter = WB_NODE_EMITTER;

// The bytes that wait in the simulation, by its last report, and those that wait here for the next
// step.
double waiting_bytes(const ClientDevice& emitter) {
  double bytes = std::isnan(emitter.values[0]) ? 0.0 : emitter.values[0];
  for (const servosim::OutgoingPacket& packet : emitter.packets.outgoing) {
    bytes += static_cast<double>(packet.data.size());
  }
  return bytes;
}

}  // namespace

int wb_emitter_send(WbDeviceTag tag, const void* data, int size) {
  return api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& emitter = client.device(tag, kEmitter);
    refuse(size < 1, "the size is smaller than 1.");
    refuse(data == nullptr, "the data is NULL.");
    const double room = emitter.number("bufferSize");
    if (room >= 0.0 && size > room) {
      throw CallError("the packet of " + std::to_string(size) +
                      " bytes is larger than the buffer of " +
                      std::to_string(static_cast<int>(room)) + " bytes.");
    }
    if (room >= 0.0 && waiting_bytes(emitter) + size > room) {
      return 0;
    }
    servosim::transmit(client, emitter, emitter.number("range"),
                       std::string(static_cast<const char*>(data), static_cast<std::size_t>(size)));
    return 1;
  });
}

int wb_emitter_get_buffer_size(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, kEmitter, "bufferSize", -1);
}

void wb_emitter_set_channel(WbDeviceTag tag, int channel) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    servosim::set_channel(client.device(tag, kEmitter), channel);
  });
}

int wb_emitter_get_channel(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, kEmitter, "channel", -1);
}

double wb_emitter_get_range(WbDeviceTag tag) {
  return servosim::device_number(__func__, tag, kEmitter, "range");
}

void wb_emitter_set_range(WbDeviceTag tag, double range) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& emitter = client.device(tag, kEmitter);
    refuse(!(range >= 0.0) && range != -1.0, "the range is neither -1 nor a number >= 0.");
    const double most = emitter.number("maxRange");
    const double asked = std::isinf(range) ? -1.0 : range;
    const bool too_far = most >= 0.0 && (asked < 0.0 || asked > most);
    emitter.setting("range") = too_far ? most : asked;
    ControllerClient::request(emitter, servosim::CommandKind::Range);
  });
}
