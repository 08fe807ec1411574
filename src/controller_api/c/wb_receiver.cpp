// SPDX-License-Identifier: Apache-2.0
#include <webots/receiver.h>

#include "controller_api/c/device_handle.h"

using servosim::api_call;
using servosim::ClientDevice;
using servosim::ControllerClient;
using servosim::ReceivedPacket;
using servosim::refuse;

namespace {

constexpr WbNodeType kReceiver = WB_NODE_RECEIVER;

// `part` of the first packet. Without a packet it is `otherwise`, and an error is reported.
template <typename Part, typename Result>
Result of_first(const char* function, WbDeviceTag tag, Part part, Result otherwise) {
  Result result = otherwise;
  api_call(function, [&](ControllerClient& client, ControllerClient::Lock&) {
    const ClientDevice& receiver = client.device(tag, kReceiver);
    refuse(receiver.packets.received.empty(), "the receiver's queue is empty.");
    result = part(receiver.packets.received.front());
  });
  return result;
}

}  // namespace

SERVOSIM_SAMPLED_DEVICE(receiver, kReceiver)

void wb_receiver_set_channel(WbDeviceTag tag, int channel) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    servosim::set_channel(client.device(tag, kReceiver), channel);
  });
}

int wb_receiver_get_channel(WbDeviceTag tag) {
  return servosim::device_integer(__func__, tag, kReceiver, "channel", -1);
}

int wb_receiver_get_queue_length(WbDeviceTag tag) {
  int length = -1;
  api_call(__func__, [&](ControllerClient& client, ControllerClient::Lock&) {
    const ClientDevice& receiver = client.device(tag, kReceiver);
    if (receiver.period_ms <= 0) {
      client.report_error("called for a disabled device; enable it first.");
    }
    length = static_cast<int>(receiver.packets.received.size());
  });
  return length;
}

void wb_receiver_next_packet(WbDeviceTag tag) {
  api_call(__func__, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& receiver = client.device(tag, kReceiver);
    refuse(receiver.packets.received.empty(), "the receiver's queue is empty.");
    receiver.packets.received_bytes -= receiver.packets.received.front().data.size();
    receiver.packets.received.pop_front();
  });
}

int wb_receiver_get_data_size(WbDeviceTag tag) {
  return of_first(
      __func__, tag,
      [](const ReceivedPacket& packet) { return static_cast<int>(packet.data.size()); }, -1);
}

const void* wb_receiver_get_data(WbDeviceTag tag) {
  return of_first(
      __func__, tag, [](const ReceivedPacket& packet) -> const void* { return packet.data.data(); },
      static_cast<const void*>(nullptr));
}

double wb_receiver_get_signal_strength(WbDeviceTag tag) {
  return of_first(
      __func__, tag, [](const ReceivedPacket& packet) { return packet.signal_strength; },
      servosim::kNotMeasured);
}

const double* wb_receiver_get_emitter_direction(WbDeviceTag tag) {
  return of_first(
      __func__, tag, [](const ReceivedPacket& packet) { return packet.direction.data(); },
      static_cast<const double*>(nullptr));
}
