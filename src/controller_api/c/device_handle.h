// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller_api/client/api_call.h"

// Functions that the C functions of all sampled sensors share.

namespace servosim {

void enable_sampling(const char* function, WbDeviceTag tag, WbNodeType type, int period_ms);
int sampling_period(const char* function, WbDeviceTag tag, WbNodeType type);
/// The numbers of the last sample from number `first` on. The pointer stays valid. Reports an error
/// if the device is disabled. Null for a device of another type.
const double* sample(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t first = 0);
/// One number of the last sample; NaN for a device of another type.
double sample_value(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t index = 0);
/// The numbers of the field lookupTable, three for each row; null for a device of another type.
const std::vector<double>* lookup_table(const char* function, WbDeviceTag tag, WbNodeType type);

}  // namespace servosim

// These are macros because each device has these functions under names of its own.
#define SERVOSIM_SAMPLED_DEVICE(name, type)                                                        \
  void wb_##name##_enable(WbDeviceTag tag, int sampling_period) {                                  \
    servosim::enable_sampling(__func__, tag, type, sampling_period);                               \
  }                                                                                                \
  void wb_##name##_disable(WbDeviceTag tag) { servosim::enable_sampling(__func__, tag, type, 0); } \
  int wb_##name##_get_sampling_period(WbDeviceTag tag) {                                           \
    return servosim::sampling_period(__func__, tag, type);                                         \
  }

#define SERVOSIM_LOOKUP_TABLE(name, type)                                 \
  int wb_##name##_get_lookup_table_size(WbDeviceTag tag) {                \
    const auto* table = servosim::lookup_table(__func__, tag, type);      \
    return table != nullptr ? static_cast<int>(table->size() / 3) : 0;    \
  }                                                                       \
  const double* wb_##name##_get_lookup_table(WbDeviceTag tag) {           \
    const auto* table = servosim::lookup_table(__func__, tag, type);      \
    return table != nullptr && !table->empty() ? table->data() : nullptr; \
  }

// Functions for devices that are not simulated, since they would need a picture, a sound or a user.
// They have only fields and settings.

namespace servosim {

/// A field of the device, or what the controller has set in its place. NaN, or `otherwise`, for a
/// device of another type.
double device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                     std::string_view field);
int device_integer(const char* function, WbDeviceTag tag, WbNodeType type, std::string_view field,
                   int otherwise = 0);
/// Sets the field to a number from `low` to `high`. `what` begins the error message for another
/// number.
void set_device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                       std::string_view field, double value, double low, double high,
                       const char* what);

/// Reports once for each device that it has no data; `why` is a clause.
void report_absent(const char* function, WbDeviceTag tag, WbNodeType type, const char* why);
void report_absent(const char* function, ClientDevice& device, const char* why);

/// Whether the controller has enabled the device.
inline bool is_sampled(const ClientDevice& device) { return device.period_ms > 0; }

/// Reports an error if the device is of another type.
void check_device(const char* function, WbDeviceTag tag, WbNodeType type);

/// Refuses a negative sampling period [ms].
void check_period(int period_ms);

/// Sets the period [ms] of a device that is no node and belongs to the process, such as the
/// keyboard.
void set_period(const char* function, int& period_ms, int asked_ms);

// Functions that the C functions of Emitter, Receiver and Radio share.

// The most bytes that a packet takes in a message in addition to its data.
inline constexpr std::size_t kPacketHead = 32;

/// Sets the channel, and sends it with the next step. @throws CallError for a channel that the
/// device may not have
inline void set_channel(ClientDevice& device, int channel) {
  refuse(channel < -1, "the channel is smaller than -1.");
  const std::vector<double>& allowed = device.field("allowedChannels").numbers;
  refuse(!allowed.empty() && std::find(allowed.begin(), allowed.end(), channel) == allowed.end(),
         "the channel is none of the field allowedChannels.");
  device.setting("channel") = channel;
  ControllerClient::request(device, CommandKind::Channel);
}

inline std::size_t outgoing_bytes(const ClientDevices& devices) {
  std::size_t bytes = 0;
  for (const ClientDevice& device : devices) {
    for (const OutgoingPacket& packet : device.packets.outgoing) {
      bytes += packet.data.size() + kPacketHead;
    }
  }
  return bytes;
}

/// Sends a packet with the next step, on the channel of the device. @throws CallError if the
/// packets of a step are too large
inline void transmit(ControllerClient& client, ClientDevice& device, double range,
                     std::string data) {
  refuse(outgoing_bytes(client.devices()) + data.size() + kPacketHead > kMaxPacketBytes,
         "the packets of one step are larger than 8 MiB.");
  device.packets.outgoing.push_back(
      {static_cast<int>(device.number("channel")), range, std::move(data)});
  ControllerClient::request(device, CommandKind::Send);
}

}  // namespace servosim
