// SPDX-License-Identifier: Apache-2.0
#include "base/packed_png.h"

#include <zlib.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "base/assert.h"

namespace servosim {
namespace {

// The differences of a row from the bytes to the left (filter 1) or above (filter 2).
std::string differences(std::string_view row, std::string_view above, std::size_t per_pixel,
                        bool is_from_left) {
  std::string filtered(1, is_from_left ? '\1' : '\2');
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char before = is_from_left ? (i >= per_pixel ? row[i - per_pixel] : '\0')
                                     : (above.empty() ? '\0' : above[i]);
    filtered += static_cast<char>(row[i] - before);
  }
  return filtered;
}

// How badly a filtered row compresses.
long cost_of(std::string_view filtered) {
  long cost = 0;
  for (const char difference : filtered.substr(1)) {
    cost += std::abs(static_cast<signed char>(difference));
  }
  return cost;
}

// The rows, each after the byte of the filter that makes it compress better.
std::string filtered_rows(std::string_view pixels, std::size_t length, std::size_t per_pixel) {
  std::string filtered;
  filtered.reserve(pixels.size() + pixels.size() / length);
  for (std::size_t at = 0; at < pixels.size(); at += length) {
    const std::string_view here = pixels.substr(at, length);
    const std::string_view above = at > 0 ? pixels.substr(at - length, length) : std::string_view();
    const std::string from_left = differences(here, above, per_pixel, true);
    const std::string from_above = differences(here, above, per_pixel, false);
    filtered += cost_of(from_left) < cost_of(from_above) ? from_left : from_above;
  }
  return filtered;
}

std::string packed(std::string_view bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string stream(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(stream.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                  Z_DEFAULT_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();  // nothing else can be wrong
  }
  stream.resize(size);
  return stream;
}

std::string big_endian(std::size_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xffu);
  }
  return bytes;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  return big_endian(data.size()) + body +
         big_endian(::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()));
}

}  // namespace

std::string packed_png(int width, int height, PixelBytes bytes, std::string_view pixels) {
  using std::string_view_literals::operator""sv;
  const auto per_pixel = static_cast<std::size_t>(bytes);
  const auto columns = static_cast<std::size_t>(width);
  const auto rows = static_cast<std::size_t>(height);
  SERVOSIM_ASSERT(width > 0 && height > 0 && pixels.size() == per_pixel * columns * rows,
                  "{} bytes for {} x {} pixels", pixels.size(), width, height);
  const char type = bytes == PixelBytes::Grey ? '\0' : bytes == PixelBytes::Color ? '\2' : '\6';
  // 8 bits for each part of a pixel, and the only ways of packing, filtering and interlacing
  const std::string head =
      big_endian(columns) + big_endian(rows) + '\x8' + type + std::string("\0\0\0"sv);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", head) +
         chunk("IDAT", packed(filtered_rows(pixels, per_pixel * columns, per_pixel))) +
         chunk("IEND", {});
}

}  // namespace servosim
