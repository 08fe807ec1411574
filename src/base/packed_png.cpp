// SPDX-License-Identifier: Apache-2.0
#include "base/packed_png.h"

#include <zlib.h>

#include <algorithm>
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

}  // namespace

std::string packed_png(std::uint32_t width, std::uint32_t height, PngPixels pixels,
                       std::string_view rows) {
  const std::size_t per_pixel = pixels == PngPixels::Grey ? 1 : pixels == PngPixels::Color ? 3 : 4;
  const std::size_t length = per_pixel * width;
  SERVOSIM_ASSERT(rows.size() == length * height, "{} bytes for {} x {} pixels", rows.size(), width,
                  height);
  std::string filtered;
  filtered.reserve((length + 1) * height);
  for (std::size_t row = 0; row < height; ++row) {
    const std::string_view here = rows.substr(row * length, length);
    const std::string_view above =
        row > 0 ? rows.substr((row - 1) * length, length) : std::string_view();
    const std::string from_left = differences(here, above, per_pixel, true);
    const std::string from_above = differences(here, above, per_pixel, false);
    filtered += cost_of(from_left) < cost_of(from_above) ? from_left : from_above;
  }
  uLongf size = ::compressBound(filtered.size());
  std::string packed(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<const Bytef*>(filtered.data()), filtered.size(),
                  Z_DEFAULT_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();  // nothing else can be wrong
  }
  packed.resize(size);
  return png_file(width, height, pixels, packed);
}

}  // namespace servosim
