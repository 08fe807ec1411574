// SPDX-License-Identifier: Apache-2.0
#include "controller_api/c/device_pictures.h"

#include <strings.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/jpeg_file.h"
#include "controller_api/c/device_handle.h"
#include "controller_api/c/picture_file.h"

namespace servosim {

namespace {

constexpr double kMaxPixels = 1 << 26;

// The number of pixels of a picture; 0 if it is too large or empty.
std::size_t pixel_count(const ClientDevice& device, const PictureKind& kind) {
  const double count = device.number(kind.width) * device.number(kind.height);
  return count >= 1.0 && count <= kMaxPixels ? static_cast<std::size_t>(count) : 0;
}

bool ends_in(std::string_view file, std::string_view ending) {
  return file.size() >= ending.size() &&
         strncasecmp(&file[file.size() - ending.size()], ending.data(), ending.size()) == 0;
}

void write_picture(const char* file, const std::string& bytes) {
  if (const auto error = write_file(file, bytes, true)) {
    throw CallError(std::string("\"") + file + "\" " + error->reason + ".");
  }
}

}  // namespace

bool has_picture(const ClientDevice& device, const PictureKind& kind) {
  return !(device.*kind.picture).empty() && pixel_count(device, kind) > 0;
}

const ClientPicture& picture_of(ClientDevice& device, const PictureKind& kind) {
  ClientPicture& picture = device.*kind.picture;
  picture.fit(4 * pixel_count(device, kind), kind.blank);
  return picture;
}

void report_disabled(const ControllerClient& client, const char* enable) {
  client.report_error(
      (std::string("called for a disabled device! Please use: ") + enable + "().").c_str());
}

const float* distances(const char* function, WbDeviceTag tag, const PictureKind& kind) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) -> const float* {
    ClientDevice& device = client.device(tag, kind.type);
    if (!is_sampled(device)) {
      report_disabled(client, kind.enable);
    }
    return has_picture(device, kind) ? picture_of(device, kind).values<float>().data() : nullptr;
  });
}

PictureFile kind_of_file(const char* file) {
  refuse(file == nullptr || *file == '\0', "called with NULL or empty 'filename' argument.");
  return ends_in(file, ".png")                             ? PictureFile::Png
         : ends_in(file, ".jpg") || ends_in(file, ".jpeg") ? PictureFile::Jpeg
         : ends_in(file, ".hdr")                           ? PictureFile::Hdr
                                                           : PictureFile::Other;
}

void save_pixels(const char* file, int quality, int width, int height,
                 std::span<const unsigned char> pixels, bool has_alpha) {
  const PictureFile kind = kind_of_file(file);
  refuse(kind != PictureFile::Png && kind != PictureFile::Jpeg,
         "called with unsupported image format (should be PNG or JPEG).");
  const bool is_jpeg = kind == PictureFile::Jpeg;
  refuse(is_jpeg && (quality < 1 || quality > 100), "called with invalid 'quality' argument.");
  refuse(pixels.empty(), "the picture has no pixels, or too many.");
  refuse(is_jpeg && !(width <= 65535 && height <= 65535),
         "the picture is too large for a .jpg file.");
  const auto columns = static_cast<std::uint32_t>(width);
  const auto rows = static_cast<std::uint32_t>(height);
  write_picture(file, is_jpeg ? jpeg_file(columns, rows, pixels, quality)
                              : color_png(columns, rows, pixels, has_alpha));
}

int save_distances(const char* function, WbDeviceTag tag, const PictureKind& kind, const char* file,
                   int quality) {
  int result = -1;
  api_call(function, [&](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, kind.type);
    const PictureFile form = kind_of_file(file);
    refuse(ends_in(file, ".tiff"), ".tiff image not supported anymore, use .hdr instead.");
    refuse(quality < 1 || quality > 100, "called with invalid 'quality' argument.");
    refuse(form == PictureFile::Other,
           "called with unsupported image format (should be HDR, PNG or JPEG).");
    refuse(!is_sampled(device), "there is no picture: the device is disabled.");
    refuse(!has_picture(device, kind), "there is no picture before a step.");
    const double least = device.number("minRange");
    const double most = device.number("maxRange");
    std::vector<float> shares;
    std::vector<unsigned char> pixels;
    std::string grey;
    for (const float distance : picture_of(device, kind).values<float>()) {
      shares.push_back(static_cast<float>(std::clamp((distance - least) / most, 0.0, 1.0)));
      grey += static_cast<char>(static_cast<int>(255.0 * shares.back()));
      if (form == PictureFile::Jpeg) {
        const auto byte = static_cast<unsigned char>(grey.back());
        pixels.insert(pixels.end(), {byte, byte, byte, 255});
      }
    }
    const auto columns = static_cast<std::uint32_t>(device.number(kind.width));
    const auto rows = static_cast<std::uint32_t>(device.number(kind.height));
    if (form == PictureFile::Jpeg) {
      save_pixels(file, quality, static_cast<int>(columns), static_cast<int>(rows), pixels);
    } else {
      write_picture(file, form == PictureFile::Hdr ? grey_hdr(columns, rows, shares)
                                                   : grey_png(columns, rows, grey));
    }
    result = 0;
  });
  return result;
}

}  // namespace servosim
