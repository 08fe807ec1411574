// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/lidar_point.h>

#include <string_view>

#include "controller/sampled_device.h"

// What the C functions of devices have in common of which only fields and settings are there: they
// would need a picture, a sound or a user.

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

/// Says once for each device that there is nothing of the kind, such as "servosim renders no
/// images".
void say_absent(const char* function, WbDeviceTag tag, WbNodeType type, const char* why);
void say_absent(const char* function, ClientDevice& device, const char* why);

/// A black picture of `width` times `height`, four bytes for each pixel, and says once that it is
/// none; null while the device is disabled or has no size. Stays in place.
const unsigned char* blank_pixels(const char* function, WbDeviceTag tag, WbNodeType type);
/// The same of distances, all infinite; its size are the numbers of these two fields.
const float* blank_ranges(const char* function, WbDeviceTag tag, WbNodeType type,
                          std::string_view width, std::string_view height);

/// As many as the fields say; 0 if a cloud of them is refused.
std::size_t point_count(const ClientDevice& device, std::string_view width,
                        std::string_view height);

/// The same of points, one for each of these distances, measured now.
const WbLidarPoint* blank_points(const char* function, WbDeviceTag tag, WbNodeType type,
                                 std::string_view width, std::string_view height);
/// Writes the black picture of an enabled device to a .png file. What the C function returns: 0, or
/// -1 after a message.
int save_blank_pixels(const char* function, WbDeviceTag tag, WbNodeType type, const char* file);
/// The same of any size. @throws CallError when it cannot be
void save_blank_pixels(const char* file, double width, double height);

inline constexpr const char* kNoImages = "servosim renders no images";

/// Only checks the tag.
void check_device(const char* function, WbDeviceTag tag, WbNodeType type);

/// Period of a device that is the process's and no node, such as the keyboard [ms].
void set_period(const char* function, int& period_ms, int asked_ms);

}  // namespace servosim
