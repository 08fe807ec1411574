// SPDX-License-Identifier: Apache-2.0
#include "controller/api/device_handle.h"

#include <strings.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"

namespace servosim {

double device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                     std::string_view field) {
  return api_call(function, [=](Client& client, Client::Lock&) {
    return client.device(tag, type).number(field);
  });
}

int device_integer(const char* function, WbDeviceTag tag, WbNodeType type, std::string_view field,
                   int otherwise) {
  int result = otherwise;
  api_call(function, [&](Client& client, Client::Lock&) {
    result = static_cast<int>(std::clamp(client.device(tag, type).number(field), -2e9, 2e9));
  });
  return result;
}

void set_device_number(const char* function, WbDeviceTag tag, WbNodeType type,
                       std::string_view field, double value, double low, double high,
                       const char* what) {
  api_call(function, [=](Client& client, Client::Lock&) {
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
  if (device.absence.first()) {
    warn(std::string(function) + "(): " + why + "; \"" + device.name +
         "\" does nothing (reported once).");
  }
}

void report_absent(const char* function, WbDeviceTag tag, WbNodeType type, const char* why) {
  api_call(function, [=](Client& client, Client::Lock&) {
    report_absent(function, client.device(tag, type), why);
  });
}

ClientDevice& read_blindly(const char* function, Client& client, Client::Lock& lock,
                           WbDeviceTag tag, WbNodeType type, bool is_on, const char* why) {
  ClientDevice& device = client.device(tag, type);
  report_absent(function, device, why);
  if (is_on && device.blind_read.first()) {
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
  return api_call(function, [=](Client& client, Client::Lock& lock) -> const unsigned char* {
    const bool is_on = (client.device(tag, type).*clock).is_enabled();
    ClientDevice& device = read_blindly(function, client, lock, tag, type, is_on);
    const std::size_t count = is_on ? pixel_count(device, "width", "height") : 0;
    device.pixels.resize(std::max(device.pixels.size(), 4 * count));
    return count > 0 && (device.*clock).has_picture() ? device.pixels.data() : nullptr;
  });
}

const float* blank_ranges(const char* function, WbDeviceTag tag, WbNodeType type,
                          std::string_view width, std::string_view height) {
  return api_call(function, [=](Client& client, Client::Lock& lock) -> const float* {
    const bool is_on = is_sampled(client.device(tag, type));
    ClientDevice& device = read_blindly(function, client, lock, tag, type, is_on);
    const std::size_t count = is_on ? pixel_count(device, width, height) : 0;
    device.ranges.resize(std::max(device.ranges.size(), count),
                         std::numeric_limits<float>::infinity());
    return count > 0 && device.picture.has_picture() ? device.ranges.data() : nullptr;
  });
}

namespace {

// The points of a lidar. The client's mutex guards them.
std::vector<WbLidarPoint>& point_cloud(WbDeviceTag tag) {
  static auto* clouds = new std::map<WbDeviceTag, std::vector<WbLidarPoint>>;
  return (*clouds)[tag];
}

}  // namespace

std::size_t point_count(const ClientDevice& device, std::string_view width,
                        std::string_view height) {
  constexpr double kMaxPoints = 1 << 22;
  const double count = device.number(width) * device.number(height);
  return count >= 1.0 && count <= kMaxPoints ? static_cast<std::size_t>(count) : 0;
}

const WbLidarPoint* blank_points(const char* function, WbDeviceTag tag, WbNodeType type,
                                 std::string_view width, std::string_view height) {
  return api_call(function, [=](Client& client, Client::Lock& lock) -> const WbLidarPoint* {
    ClientDevice& device =
        read_blindly(function, client, lock, tag, type, is_sampled(client.device(tag, type)));
    const std::size_t count = device.period_ms > 0 ? point_count(device, width, height) : 0;
    const auto per_layer = static_cast<std::size_t>(std::max(1.0, device.number(width)));
    constexpr float kFar = std::numeric_limits<float>::infinity();
    std::vector<WbLidarPoint>& points = point_cloud(tag);
    points.reserve(count);
    for (std::size_t i = points.size(); i < count; ++i) {
      points.push_back({kFar, kFar, kFar, static_cast<int>(i / per_layer), -1.0f});
    }
    const auto now = static_cast<float>(client.robot().time);
    if (count > 0 && points.front().time != now) {  // the C API also returns single points
      for (WbLidarPoint& point : points) {
        point.time = now;
      }
    }
    return count > 0 && device.picture.has_picture() ? points.data() : nullptr;
  });
}

namespace {

// The code writes PNG files itself: libController must not link a library, and all bytes to pack
// are zero.

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xffu);
  }
  return bytes;
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1u) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
  }
  return ~crc;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc32(body));
}

/// The bits of a deflate stream (RFC 1951), which fill each byte from its lowest bit on.
class BitString {
 public:
  /// Adds a Huffman code, which begins with its highest bit.
  void code(unsigned bits, int length) {
    for (int i = length - 1; i >= 0; --i) {
      if (used_ % 8 == 0) {
        bytes_ += '\0';
      }
      const unsigned bit = bits >> i & 1u;
      bytes_.back() = static_cast<char>(static_cast<unsigned char>(bytes_.back()) |
                                        static_cast<unsigned char>(bit << used_ % 8));
      ++used_;
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::uint64_t used_ = 0;
};

// A zlib stream of `count` > 0 zero bytes, as one block with the fixed codes.
std::string packed_zeros(std::uint64_t count) {
  constexpr std::uint64_t kLongest = 258;  // the most bytes that one code repeats
  BitString bits;
  bits.code(0b110, 3);  // the last block, fixed codes
  const auto zero = [&] { bits.code(0b00110000, 8); };
  zero();
  for (std::uint64_t i = 0; i < (count - 1) / kLongest; ++i) {
    bits.code(0b11000101, 8);  // repeats kLongest bytes
    bits.code(0, 5);           // from a distance of one byte
  }
  for (std::uint64_t i = 0; i < (count - 1) % kLongest; ++i) {
    zero();
  }
  bits.code(0, 7);                                             // ends the block
  const auto sum = static_cast<std::uint32_t>(count % 65521);  // the Adler-32 checksum of zeros
  return "\x78\x01" + bits.bytes() + big_endian(sum << 16 | 1u);
}

// The bytes of a PNG file whose pixels are all black and opaque. Both sizes are above 0.
std::string black_png(std::uint32_t width, std::uint32_t height) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kEightBitsRgb = "\x08\x02\0\0\0"sv;
  // Each row begins with the number of its filter.
  const std::uint64_t row = 1 + 3 * std::uint64_t{width};
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big_endian(width) + big_endian(height) + std::string(kEightBitsRgb)) +
         chunk("IDAT", packed_zeros(row * height)) + chunk("IEND", {});
}

// A segment of a JPEG file: its marker, its length and its bytes.
std::string segment(unsigned char marker, std::string_view data) {
  const std::string length = big_endian(static_cast<std::uint32_t>(data.size() + 2)).substr(2);
  return std::string("\xff") + static_cast<char>(marker) + length + std::string(data);
}

// The bytes of a grey baseline JPEG file (ITU-T T.81) whose pixels are all black. Both sizes are
// from 1 to 65535. Each block of 8 x 8 pixels has only its mean. For black that is -1024, which is
// -64 in steps of 16: a number of 7 bits, which are 63. All later differences are 0.
std::string black_jpeg(std::uint32_t width, std::uint32_t height) {
  using std::string_view_literals::operator""sv;
  const std::string steps = std::string(1, '\0') + std::string(64, '\x10');
  const std::string size = big_endian(height).substr(2) + big_endian(width).substr(2);
  const std::string counts_of_two = "\0\2"s + std::string(14, '\0');  // two codes of 2 bits
  const std::string counts_of_one = "\1"s + std::string(15, '\0');    // one code of 1 bit
  const std::uint64_t blocks = std::uint64_t{(width + 7) / 8} * std::uint64_t{(height + 7) / 8};
  // The first block is 01 (a number of 7 bits follows), 0111111 and 0 (the block ends). Each
  // further one is 00 and 0. Ones fill the last byte.
  const std::uint64_t bits = 10 + 3 * (blocks - 1);
  std::string scan((bits + 7) / 8, '\0');
  scan[0] = '\x5f';
  scan[1] = '\x80';
  for (std::uint64_t bit = bits; bit < 8 * scan.size(); ++bit) {
    scan.back() = static_cast<char>(static_cast<unsigned char>(scan.back()) | 0x80u >> bit % 8);
  }
  return "\xff\xd8"s + segment(0xe0, "JFIF\0\1\1\0\0\1\0\1\0\0"sv) + segment(0xdb, steps) +
         segment(0xc0, "\x08" + size + std::string("\1\1\x11\0"sv)) +
         segment(0xc4, "\0"s + counts_of_two + std::string("\0\7"sv)) +
         segment(0xc4, "\x10"s + counts_of_one + std::string("\0"sv)) +
         segment(0xda, "\1\1\0\0\x3f\0"sv) + scan + "\xff\xd9";
}

bool ends_in(const char* file, std::string_view ending) {
  const std::size_t length = std::strlen(file);
  return length > ending.size() && strcasecmp(file + length - ending.size(), ending.data()) == 0;
}

}  // namespace

void save_blank_pixels(const char* file, double width, double height) {
  refuse(file == nullptr || *file == '\0', "the file name is NULL or empty.");
  const bool is_jpeg = ends_in(file, ".jpg") || ends_in(file, ".jpeg");
  if (!is_jpeg && !ends_in(file, ".png")) {
    throw CallError(std::string("\"") + file +
                    "\" is not written: only .png and .jpg files are; give it a name that ends "
                    "so.");
  }
  refuse(!(width >= 1.0 && height >= 1.0 && width * height <= kMaxPixels),
         "the picture has no pixels, or too many.");
  refuse(is_jpeg && !(width <= 65535.0 && height <= 65535.0),
         "the picture is too large for a .jpg file.");
  const auto columns = static_cast<std::uint32_t>(width);
  const auto rows = static_cast<std::uint32_t>(height);
  const std::string bytes = is_jpeg ? black_jpeg(columns, rows) : black_png(columns, rows);
  if (const auto error = write_file(file, bytes, true)) {
    throw CallError(std::string("\"") + file + "\" " + error->reason + ".");
  }
}

int save_blank_pixels(const char* function, WbDeviceTag tag, WbNodeType type, const char* file,
                      PictureClock ClientDevice::*clock) {
  int result = -1;
  api_call(function, [&](Client& client, Client::Lock& lock) {
    ClientDevice& device = client.device(tag, type);
    refuse(!(device.*clock).is_enabled(), "there is no picture: the device is disabled.");
    save_blank_pixels(file, device.number("width"), device.number("height"));
    read_blindly(function, client, lock, tag, type, true);
    result = 0;
  });
  return result;
}

void check_device(const char* function, WbDeviceTag tag, WbNodeType type) {
  api_call(function, [=](Client& client, Client::Lock&) { client.device(tag, type); });
}

void set_period(const char* function, int& period_ms, int asked_ms) {
  api_call(function, [&](Client&, Client::Lock&) {
    refuse(asked_ms < 0, "the sampling period is negative.");
    period_ms = asked_ms;
  });
}

void enable_sampling(const char* function, WbDeviceTag tag, WbNodeType type, int period_ms) {
  api_call(function, [=](Client& client, Client::Lock&) {
    ClientDevice& device = client.device(tag, type);
    refuse(period_ms < 0, "the sampling period is negative.");
    device.period_ms = period_ms;
    device.picture.enable(period_ms, client.robot().time);
    Client::request(device, CommandKind::Sampling);
  });
}

int sampling_period(const char* function, WbDeviceTag tag, WbNodeType type) {
  return api_call(
      function, [=](Client& client, Client::Lock&) { return client.device(tag, type).period_ms; });
}

const double* sample(const char* function, WbDeviceTag tag, WbNodeType type, std::size_t first) {
  return api_call(function, [=](Client& client, Client::Lock&) -> const double* {
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
  return api_call(function, [=](Client& client, Client::Lock&) {
    return &client.device(tag, type).field("lookupTable").numbers;
  });
}

}  // namespace servosim
