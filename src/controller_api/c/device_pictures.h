// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webots/types.h>

#include "controller_api/client/api_call.h"

// Functions that the C functions of all sensors of pictures share.

namespace servosim {

/// The pictures of a sensor, and how its functions are named.
struct PictureKind {
  WbNodeType type;
  ClientPicture ClientDevice::*picture;
  std::string_view width;   ///< the field with the number of columns
  std::string_view height;  ///< the field with the number of rows
  std::string_view blank;   ///< a pixel of the picture that is there before the first sample
  const char* enable;       ///< the function that enables it
};

/// Four bytes of a pixel: blue, green, red and alpha.
inline constexpr std::string_view kBlackPixel{"\0\0\0\xff", 4};
/// The bytes of a distance of 0.
inline constexpr std::string_view kNoDistance{"\0\0\0\0", 4};

/// Whether there is a picture: the step that enables the sensor brings the first one.
bool has_picture(const ClientDevice& device, const PictureKind& kind);
/// The last picture of a sensor, which has one, at an address that stays. It has the size of the
/// fields, also if they have changed since.
const ClientPicture& picture_of(ClientDevice& device, const PictureKind& kind);
/// Reports that a device is disabled: call `enable`.
void report_disabled(const ControllerClient& client, const char* enable);

/// The distances of the last picture, or null before there is one. Reports an error if the device
/// is disabled, or of another type.
const float* distances(const char* function, WbDeviceTag tag, const PictureKind& kind);

/// The name of a file for a picture and its kind. @throws CallError if it is null, empty, or ends
/// otherwise
enum class PictureFile : unsigned char { Png, Jpeg, Hdr, Other };
PictureFile kind_of_file(const char* file);

/// Writes a picture of colours to a .png or .jpg file. `quality` is from 1 to 100, and counts for
/// .jpg; `has_alpha` counts for .png. @throws CallError if it cannot be written
void save_pixels(const char* file, int quality, int width, int height,
                 std::span<const unsigned char> pixels, bool has_alpha = false);
/// Writes the distances of an enabled device to a .png, .jpg or .hdr file in grey. `quality` must
/// be from 1 to 100 for all of them, as in Webots, and counts for .jpg. @returns what the C
/// function returns: 0, or -1 after a message
int save_distances(const char* function, WbDeviceTag tag, const PictureKind& kind, const char* file,
                   int quality);

}  // namespace servosim
