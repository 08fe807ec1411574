// SPDX-License-Identifier: Apache-2.0
#include "controller_api/c/device_pictures.h"

#include <strings.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/picture_file.h"
#include "controller_api/c/device_handle.h"

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

// A JPEG file has 16 bits for each size.
void refuse_if_too_large(PictureFile form, int width, int height) {
  refuse(form == PictureFile::Jpeg && !(width <= 65535 && height <= 65535),
         "the picture is too large for a .jpg file.");
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
  refuse(pixels.empty() || pixels.size() > 4 * static_cast<std::size_t>(kMaxPixels),
         "the picture has no pixels, or too many.");
  refuse_if_too_large(kind, width, height);
  const PixelBytes bytes = has_alpha && !is_jpeg ? PixelBytes::ColorAlpha : PixelBytes::Color;
  const std::string colors = colors_of(pixels, bytes);
  write_picture(file, is_jpeg ? jpeg_file(width, height, bytes, colors, quality)
                              : png_file(width, height, bytes, colors));
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
    const auto columns = static_cast<int>(device.number(kind.width));
    const auto rows = static_cast<int>(device.number(kind.height));
    refuse_if_too_large(form, columns, rows);
    std::vector<float> shares;
    std::string grey;
    for (const float distance : picture_of(device, kind).values<float>()) {
      const double share = std::fmin(std::fmax((distance - least) / most, 0.0), 1.0);  // NaN: 0
      shares.push_back(static_cast<float>(share));
      grey += static_cast<char>(static_cast<int>(255.0 * shares.back()));
    }
    write_picture(file, form == PictureFile::Hdr ? grey_hdr_file(columns, rows, shares)
                        : form == PictureFile::Jpeg
                            ? jpeg_file(columns, rows, PixelBytes::Grey, grey, quality)
                            : png_file(columns, rows, PixelBytes::Grey, grey));
    result = 0;
  });
  return result;
}

}  // namespace servosim
