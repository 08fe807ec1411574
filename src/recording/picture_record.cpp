// SPDX-License-Identifier: Apache-2.0
#include "recording/picture_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/packed_png.h"
#include "base/picture_file.h"
#include "recording/recording_format.h"
#include "recording/recording_stream.h"
#include "scene/device_spec.h"
#include "servosim/camera.h"
#include "servosim/ranging_sensor.h"
#include "servosim/simulation.h"

namespace servosim {
namespace {

// Smaller pictures in colour are exact, as for controllers that follow a line by their pixels.
constexpr std::size_t kMaxExactPixels = 128 * 128;
constexpr int kJpegQuality = 91;  // the least with whole colours

// How a picture is made smaller: `step` pixels in each direction become one.
struct PictureGrid {
  PictureGrid(int columns, int rows)
      : step((std::max(columns, rows) + kMaxPictureSide - 1) / kMaxPictureSide),
        width((columns + step - 1) / step),
        height((rows + step - 1) / step) {}

  // Calls use(pixel) for each pixel of the sensor that becomes the one at a column and a row.
  template <typename Use>
  void for_each_in(int column, int row, int columns, int rows, const Use& use) const {
    for (int y = step * row; y < std::min(rows, step * (row + 1)); ++y) {
      for (int x = step * column; x < std::min(columns, step * (column + 1)); ++x) {
        use(static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) +
            static_cast<std::size_t>(x));
      }
    }
  }

  int step;
  int width;
  int height;
};

std::string color_file(const Camera& camera, const PictureGrid& grid) {
  const std::span<const std::uint8_t> picture = camera.picture();
  std::string pixels;  // red, green and blue
  for (int row = 0; row < grid.height; ++row) {
    for (int column = 0; column < grid.width; ++column) {
      std::array<unsigned, 3> sum{};
      unsigned count = 0;
      grid.for_each_in(column, row, camera.width(), camera.height(), [&](std::size_t pixel) {
        for (std::size_t part = 0; part < 3; ++part) {
          sum[part] += picture[4 * pixel + 2 - part];
        }
        ++count;
      });
      for (const unsigned part : sum) {
        pixels += static_cast<char>((part + count / 2) / count);
      }
    }
  }
  return pixels.size() / 3 > kMaxExactPixels
             ? jpeg_file(grid.width, grid.height, PixelBytes::Color, pixels, kJpegQuality)
             : packed_png(grid.width, grid.height, PixelBytes::Color, pixels);
}

// The nearest depth counts where a picture becomes smaller.
std::vector<float> nearest_depths(const RangingSensor& finder, const PictureGrid& grid) {
  const std::span<const float> picture = finder.picture();
  std::vector<float> depths;
  for (int row = 0; row < grid.height; ++row) {
    for (int column = 0; column < grid.width; ++column) {
      float nearest = std::numeric_limits<float>::infinity();
      grid.for_each_in(column, row, finder.width(), finder.height(),
                       [&](std::size_t pixel) { nearest = std::fmin(nearest, picture[pixel]); });
      depths.push_back(nearest);
    }
  }
  return depths;
}

std::string depth_file(std::span<const float> depths, const PictureGrid& grid, float nearest,
                       float farthest) {
  std::string rows;
  for (const float depth : depths) {
    const float range = farthest - nearest;
    const float share = range > 0.0F ? std::clamp((farthest - depth) / range, 0.0F, 1.0F) : 1.0F;
    rows += static_cast<char>(
        std::isfinite(depth) ? static_cast<unsigned char>(std::lround(1.0F + 254.0F * share)) : 0);
  }
  return packed_png(grid.width, grid.height, PixelBytes::Grey, rows);
}

void append_picture(const PictureSensor& sensor, std::string_view name, double time,
                    Writer& records) {
  const PictureGrid grid(sensor.width(), sensor.height());
  RecordedPicture head;
  head.time = time;
  head.width = static_cast<std::uint16_t>(grid.width);
  head.height = static_cast<std::uint16_t>(grid.height);
  head.columns = static_cast<std::uint16_t>(std::min(sensor.width(), 0xffff));
  head.rows = static_cast<std::uint16_t>(std::min(sensor.height(), 0xffff));
  head.name = static_cast<std::uint32_t>(name.size());
  std::string file;
  if (const auto* const camera = dynamic_cast<const Camera*>(&sensor)) {
    file = color_file(*camera, grid);
  } else {
    const auto& finder = dynamic_cast<const RangingSensor&>(sensor);
    const std::vector<float> depths = nearest_depths(finder, grid);
    head.nearest = std::numeric_limits<float>::infinity();
    for (const float depth : depths) {
      head.nearest = std::isfinite(depth) ? std::min(head.nearest, depth) : head.nearest;
      head.farthest = std::isfinite(depth) ? std::max(head.farthest, depth) : head.farthest;
    }
    head.farthest = std::max(head.farthest, head.nearest);
    file = depth_file(depths, grid, head.nearest, head.farthest);
  }
  Writer content;
  RecordedPicture::for_each(head, [&content](const auto& number) { content.number(number); });
  content.chars(name);
  content.chars(file);
  RecordingStream::append(records, kPictureRecord, content.bytes());
}

// The sensor of a node whose pictures people look at, or null.
const PictureSensor* seen_sensor(const DeviceNode& node) {
  if (const auto* const camera = node.get<Camera>()) {
    return camera;
  }
  return node.node_type == "RangeFinder" ? node.get<RangingSensor>() : nullptr;
}

}  // namespace

void PictureSource::add_pictures(const Simulation& simulation, double time, Writer& records) {
  int sensors = 0;
  for (int r = 0; r < simulation.robots().size(); ++r) {
    const Robot& robot = simulation.robots()[r];
    std::map<std::string_view, int> namesakes;
    for (const DeviceNode& node : robot.devices()) {
      const PictureSensor* const sensor = node.detached ? nullptr : seen_sensor(node);
      if (sensor == nullptr) {
        continue;
      }
      const int number = ++namesakes[node.name];  // also of sensors that are not enabled now
      if (sensor->sampler().period_ms() == 0 || sensor->picture_bytes().empty()) {
        continue;
      }
      const std::string suffix = number > 1 ? fmt::format(" #{}", number) : "";
      const std::string name = robot.name() + '/' + node.name + suffix;
      if (++sensors > kMaxSensors) {
        left_out_.insert(name);
        continue;
      }
      std::uint64_t& seen = seen_[sensor];
      if (const std::uint64_t samples = sensor->sampler().count(); samples != seen) {
        seen = samples;
        append_picture(*sensor, name, time, records);
      }
    }
  }
}

}  // namespace servosim
