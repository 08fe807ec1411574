// SPDX-License-Identifier: Apache-2.0
#include "controller_api/c/device_handle.h"

#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "controller_api/c/picture_file.h"

namespace servosim {

double device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                     std::string_view field) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.device(tag, type).number(field);
  });
}

int device_integer(const char* function, WbDeviceTag tag, WbNodeType type, std::string_view field,
                   int otherwise) {
  int result = otherwise;
  api_call(function, [&](ControllerClient& client, ControllerClient::Lock&) {
    result = static_cast<int>(std::clamp(client.device(tag, type).number(field), -2e9, 2e9));
  });
  return result;
}

void set_device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                       std::string_view field, double value, double low, double high,
                       const char* what) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, type);
    if (!(value >= low && value <= high)) {
      char text[160];
      std::snprintf(text, sizeof text, "%s %g is out of range [%g, %g].", what, value, low, high);
      throw CallError(text);
    }
    device.setting(field) = value;
  });
}

void report_absent(const char* function, ClientDevice& device, const char* why) {
  if (device.reports.absence.first()) {
    warn(std::string(function) + "(): " + why + "; \"" + device.name +
         "\" does nothing (reported once).");
  }
}

void report_absent(const char* function, WbDeviceTag tag, WbNodeType type, const char* why) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    report_absent(function, client.device(tag, type), why);
  });
}

ClientDevice& read_blindly(const char* function, ControllerClient& client,
                           ControllerClient::Lock& lock, WbDeviceTag tag, WbNodeType type,
                           bool is_on, const char* why) {
  ClientDevice& device = client.device(tag, type);
  report_absent(function, device, why);
  if (is_on && device.reports.blind_read.first()) {
    client.tell(lock, tag, CommandKind::BlindRead);
  }
  return device;
}

namespace {

using std::string_literals::operator""s;
constexpr double kMaxPixels = 1 << 26;

// The number of values of a picture; 0 if it is too large or empty.
std::size_t pixel_count(const ClientDevice& device, std::string_view width,
                        std::string_view height) {
  const double count = device.number(width) * device.number(height);
  return count >= 1.0 && count <= kMaxPixels ? static_cast<std::size_t>(count) : 0;
}

}  // namespace

const unsigned char* blank_pixels(const char* function, WbDeviceTag tag, WbNodeType type,
                                  PictureClock ClientDevice::*clock) {
  return api_call(
      function,
      [=](ControllerClient& client, ControllerClient::Lock& lock) -> const unsigned char* {
        const bool is_on = (client.device(tag, type).*clock).is_enabled();
        ClientDevice& device = read_blindly(function, client, lock, tag, type, is_on);
        const std::size_t count = is_on ? pixel_count(device, "width", "height") : 0;
        device.pixels.resize(std::max(device.pixels.size(), 4 * count));
        return count > 0 && (device.*clock).has_picture() ? device.pixels.data() : nullptr;
      });
}

const float* blank_ranges(const char* function, WbDeviceTag tag, WbNodeType type,
                          std::string_view width, std::string_view height) {
  return api_call(
      function, [=](ControllerClient& client, ControllerClient::Lock& lock) -> const float* {
        const bool is_on = is_sampled(client.device(tag, type));
        ClientDevice& device = read_blindly(function, client, lock, tag, type, is_on);
        const std::size_t count = is_on ? pixel_count(device, width, height) : 0;
        device.distances.ranges.resize(std::max(device.distances.ranges.size(), count),
                                       std::numeric_limits<float>::infinity());
        return count > 0 && device.picture.has_picture() ? device.distances.ranges.data() : nullptr;
      });
}

const float* distances(const char* function, WbDeviceTag tag, WbNodeType type,
                       std::string_view width, std::string_view height) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) -> const float* {
    ClientDevice& device = client.device(tag, type);
    if (!is_sampled(device)) {
      const char* const enable =
          type == WB_NODE_LIDAR ? "wb_lidar_enable()" : "wb_range_finder_enable()";
      client.report_error(
          (std::string("called for a disabled device! Please use: ") + enable + '.').c_str());
    }
    return has_distances(device) ? distances(device, width, height).data() : nullptr;
  });
}

bool has_distances(const ClientDevice& device) {
  return !device.distances.ranges.empty() ||
         (is_sampled(device) && !ControllerClient::is_requested(device, CommandKind::Sampling));
}

const std::vector<float>& distances(ClientDevice& device, std::string_view width,
                                    std::string_view height) {
  device.distances.ranges.resize(pixel_count(device, width, height));
  return device.distances.ranges;
}

namespace {

bool ends_in(const char* file, std::string_view ending) {
  const std::size_t length = std::strlen(file);
  return length > ending.size() && strcasecmp(file + length - ending.size(), ending.data()) == 0;
}

}  // namespace

namespace {

// The reason why a file is not written, and what to do.
[[noreturn]] void refuse_file(const char* file, const char* kinds) {
  throw CallError(std::string("\"") + file + "\" is not written: only " + kinds +
                  " files are; give it a name that ends so.");
}

void write_picture(const char* file, const std::string& bytes) {
  if (const auto error = write_file(file, bytes, true)) {
    throw CallError(std::string("\"") + file + "\" " + error->reason + ".");
  }
}

}  // namespace

void save_blank_pixels(const char* file, double width, double height) {
  refuse(file == nullptr || *file == '\0', "the file name is NULL or empty.");
  const bool is_jpeg = ends_in(file, ".jpg") || ends_in(file, ".jpeg");
  if (!is_jpeg && !ends_in(file, ".png")) {
    refuse_file(file, ".png and .jpg");
  }
  refuse(!(width >= 1.0 && height >= 1.0 && width * height <= kMaxPixels),
         "the picture has no pixels, or too many.");
  refuse(is_jpeg && !(width <= 65535.0 && height <= 65535.0),
         "the picture is too large for a .jpg file.");
  const auto columns = static_cast<std::uint32_t>(width);
  const auto rows = static_cast<std::uint32_t>(height);
  write_picture(file, is_jpeg ? black_jpeg(columns, rows) : black_png(columns, rows));
}

int save_distances(const char* function, WbDeviceTag tag, WbNodeType type, const char* file,
                   int quality) {
  int result = -1;
  api_call(function, [&](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, type);
    refuse(file == nullptr || *file == '\0', "the file name is NULL or empty.");
    refuse(quality < 1 || quality > 100, "called with invalid 'quality' argument.");
    refuse(!is_sampled(device), "there is no picture: the device is disabled.");
    const bool is_hdr = ends_in(file, ".hdr");
    if (!is_hdr && !ends_in(file, ".png")) {
      refuse_file(file, ".png and .hdr");
    }
    const double least = device.number("minRange");
    const double most = device.number("maxRange");
    std::vector<float> shares;
    std::string grey;
    for (const float distance : distances(device, "width", "height")) {
      shares.push_back(static_cast<float>(std::clamp((distance - least) / most, 0.0, 1.0)));
      grey += static_cast<char>(static_cast<int>(255.0 * shares.back()));
    }
    refuse(shares.empty(), "the picture has no pixels, or too many.");
    const auto columns = static_cast<std::uint32_t>(device.number("width"));
    const auto rows = static_cast<std::uint32_t>(device.number("height"));
    write_picture(file, is_hdr ? grey_hdr(columns, rows, shares) : grey_png(columns, rows, grey));
    result = 0;
  });
  return result;
}

int save_blank_pixels(const char* function, WbDeviceTag tag, WbNodeType type, const char* file,
                      PictureClock ClientDevice::*clock) {
  int result = -1;
  api_call(function, [&](ControllerClient& client, ControllerClient::Lock& lock) {
    ClientDevice& device = client.device(tag, type);
    refuse(!(device.*clock).is_enabled(), "there is no picture: the device is disabled.");
    save_blank_pixels(file, device.number("width"), device.number("height"));
    read_blindly(function, client, lock, tag, type, true);
    result = 0;
  });
  return result;
}

void check_device(const char* function, WbDeviceTag tag, WbNodeType type) {
  api_call(function,
           [=](ControllerClient& client, ControllerClient::Lock&) { client.device(tag, type); });
}

void set_period(const char* function, int& period_ms, int asked_ms) {
  api_call(function, [&](ControllerClient&, ControllerClient::Lock&) {
    refuse(asked_ms < 0, "the sampling period is negative.");
    period_ms = asked_ms;
  });
}

void enable_sampling(const char* function, WbDeviceTag tag, WbNodeType type, int period_ms) {
  api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    ClientDevice& device = client.device(tag, type);
    refuse(period_ms < 0, "the sampling period is negative.");
    device.period_ms = period_ms;
    device.picture.enable(period_ms, client.robot().time);
    ControllerClient::request(device, CommandKind::Sampling);
  });
}

int sampling_period(const char* function, WbDeviceTag tag, WbNodeType type) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return client.device(tag, type).period_ms;
  });
}

const double* sample(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t first) {
  return api_call(function,
                  [=](ControllerClient& client, ControllerClient::Lock&) -> const double* {
                    const ClientDevice& device = client.device(tag, type);
                    if (device.period_ms <= 0) {
                      client.report_error("called for a disabled device; enable it first.");
                    }
                    return device.values.data() + first;
                  });
}

double sample_value(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t index) {
  const double* value = sample(function, tag, type, index);
  return value != nullptr ? *value : nothing<double>();
}

const std::vector<double>* lookup_table(const char* function, WbDeviceTag tag, WbNodeType type) {
  return api_call(function, [=](ControllerClient& client, ControllerClient::Lock&) {
    return &client.device(tag, type).field("lookupTable").numbers;
  });
}

}  // namespace servosim
