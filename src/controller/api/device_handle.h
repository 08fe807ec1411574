// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/lidar_point.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/client/api_call.h"

// Common parts of the C functions of all sampled sensors.

namespace servosim {

void enable_sampling(const char* function, WbDeviceTag tag, WbNodeType type, int period_ms);
int sampling_period(const char* function, WbDeviceTag tag, WbNodeType type);
/// Numbers of the last sample from number `first` on, in place; reports an error while disabled.
/// Null for a device of another type.
const double* sample(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t first = 0);
/// One number of it; NaN for a device of another type.
double sample_value(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t index = 0);
/// Numbers of the lookupTable field, three in a row; null when there is none.
const std::vector<double>* lookup_table(const char* function, WbDeviceTag tag, WbNodeType type);

}  // namespace servosim

// A macro, because every device spells these functions with a name of its own.
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

// Common parts of the C functions of devices that are not simulated and have only fields and
// settings: they would need a picture, a sound or a user.

namespace servosim {

/// A field of the device, or what the controller set in its place. NaN or `otherwise` for a tag of
/// no device of that type.
double device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                     std::string_view field);
int device_integer(const char* function, WbDeviceTag tag, WbNodeType type, std::string_view field,
                   int otherwise = 0);
/// Sets it, to a number from `low` to `high`; `what` begins the message for another one.
void set_device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                       std::string_view field, double value, double low, double high,
                       const char* what);

inline constexpr const char* kNoImages = "servosim renders no images";

/// Reports once for each device that the data are not available, such as "servosim renders no
/// images".
void report_absent(const char* function, WbDeviceTag tag, WbNodeType type, const char* why);
void report_absent(const char* function, ClientDevice& device, const char* why);

/// Whether the controller has enabled the device.
inline bool is_sampled(const ClientDevice& device) { return device.period_ms > 0; }

/// The same for a sensor whose picture is not drawn; where it is on, the simulation is told, whose
/// run is incomplete by it. The device. @throws CallError for a tag of no such device
ClientDevice& read_blindly(const char* function, Client& client, Client::Lock& lock,
                           WbDeviceTag tag, WbNodeType type, bool is_on,
                           const char* why = kNoImages);

/// A black picture of `width` times `height`, four bytes for each pixel, and a report, once, that
/// it is not rendered; null while the device is disabled, has no size or had no first sample. Its
/// address stays. `clock`: of the picture or of the segments.
const unsigned char* blank_pixels(const char* function, WbDeviceTag tag, WbNodeType type,
                                  PictureClock ClientDevice::*clock = &ClientDevice::picture);
/// The same for distances, all infinite; these two fields give its size.
const float* blank_ranges(const char* function, WbDeviceTag tag, WbNodeType type,
                          std::string_view width, std::string_view height);

/// The number that the fields give; 0 if a point cloud of that size is refused.
std::size_t point_count(const ClientDevice& device, std::string_view width,
                        std::string_view height);

/// The same of points, one for each of these distances, measured now.
const WbLidarPoint* blank_points(const char* function, WbDeviceTag tag, WbNodeType type,
                                 std::string_view width, std::string_view height);
/// Writes the black picture of an enabled device to a .png file. What the C function returns: 0, or
/// -1 after a message.
int save_blank_pixels(const char* function, WbDeviceTag tag, WbNodeType type, const char* file,
                      PictureClock ClientDevice::*clock = &ClientDevice::picture);
/// The same of any size. @throws CallError when it cannot be
void save_blank_pixels(const char* file, double width, double height);

/// Only checks the tag.
void check_device(const char* function, WbDeviceTag tag, WbNodeType type);

/// Period of a device that belongs to the process and is no node, such as the keyboard [ms].
void set_period(const char* function, int& period_ms, int asked_ms);

// Common parts of the C functions of Emitter, Receiver and Radio.

inline constexpr std::size_t kPacketHead = 32;  // [bytes] of a packet in a message, at most

/// Also in the simulation, with the next step. @throws CallError for a channel that the device may
/// not have
inline void set_channel(ClientDevice& device, int channel) {
  refuse(channel < -1, "the channel is smaller than -1.");
  const std::vector<double>& allowed = device.field("allowedChannels").numbers;
  refuse(!allowed.empty() && std::find(allowed.begin(), allowed.end(), channel) == allowed.end(),
         "the channel is none of the field allowedChannels.");
  device.setting("channel") = channel;
  Client::request(device, CommandKind::Channel);
}

inline std::size_t outgoing_bytes(const ClientDevices& devices) {
  std::size_t bytes = 0;
  for (const ClientDevice& device : devices) {
    for (const OutgoingPacket& packet : device.outgoing) {
      bytes += packet.data.size() + kPacketHead;
    }
  }
  return bytes;
}

/// Sends a packet with the next step, on the device's channel. @throws CallError when these are too
/// many
inline void transmit(Client& client, ClientDevice& device, double range, std::string data) {
  refuse(outgoing_bytes(client.devices()) + data.size() + kPacketHead > kMaxPacketBytes,
         "the packets of one step are larger than 8 MiB.");
  device.outgoing.push_back({static_cast<int>(device.number("channel")), range, std::move(data)});
  Client::request(device, CommandKind::Send);
}

}  // namespace servosim
