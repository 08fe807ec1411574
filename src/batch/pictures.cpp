// SPDX-License-Identifier: Apache-2.0
#include "batch/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "batch/memory_check.h"
#include "servosim/camera.h"
#include "servosim/ranging_sensor.h"
#include "servosim/recognition.h"

namespace servosim {

namespace {

constexpr std::size_t kColors = 3;

const DeviceNode& node_of(const Simulation& simulation, const ObservedPicture& picture) {
  return simulation.robots()[picture.robot].devices()[static_cast<std::size_t>(picture.device)];
}

PictureSensor& sensor_of_picture(const Simulation& simulation, const ObservedPicture& picture) {
  return *picture_sensor(node_of(simulation, picture), picture.kind);
}

bool is_of_distances(PictureQuantity kind) {
  return kind == PictureQuantity::Depth || kind == PictureQuantity::Ranges;
}

double now_of(const Simulation& simulation) {
  return static_cast<double>(simulation.step_count()) * simulation.basic_time_step_ms();
}

// A sensor has blue, green, red and 255 of a pixel.
void write_colors(std::span<const std::byte> from, std::byte* to) {
  for (std::size_t i = 0; i + 4 <= from.size(); i += 4, to += kColors) {
    to[0] = from[i + 2];
    to[1] = from[i + 1];
    to[2] = from[i];
  }
}

// An array of zeros that begins at a cache line.
std::shared_ptr<std::byte> zeros(std::size_t bytes) {
  struct alignas(64) Line {
    std::byte content[64];
  };
  const auto lines = std::make_shared<std::vector<Line>>((bytes + sizeof(Line) - 1) / sizeof(Line));
  return {lines, reinterpret_cast<std::byte*>(lines->data())};
}

}  // namespace

std::size_t BatchPicture::bytes() const {
  return height * width * channels * (is_float ? sizeof(float) : sizeof(std::uint8_t));
}

PictureSensor* picture_sensor(const DeviceNode& node, PictureQuantity kind) {
  switch (kind) {
    case PictureQuantity::Rgb:
      return node.get<Camera>();
    case PictureQuantity::Segmentation: {
      auto* const recognition = node.get<Recognition>();
      return recognition != nullptr && recognition->can_segment() ? recognition : nullptr;
    }
    case PictureQuantity::Depth:
      return node.node_type != "Lidar" ? node.get<RangingSensor>() : nullptr;
    case PictureQuantity::Ranges:
      return node.node_type == "Lidar" ? node.get<RangingSensor>() : nullptr;
  }
  return nullptr;
}

void start_pictures(const Simulation& simulation, std::span<const ObservedPicture> observed,
                    int period_ms) {
  const double now = now_of(simulation);
  for (const ObservedPicture& picture : observed) {
    PictureSensor& sensor = sensor_of_picture(simulation, picture);
    if (picture.kind == PictureQuantity::Segmentation) {
      static_cast<Recognition&>(sensor).set_segmentation(true);
    }
    sensor.begin(period_ms, now);
  }
}

void stop_pictures(const Simulation& simulation, std::span<const ObservedPicture> observed) {
  for (const ObservedPicture& picture : observed) {
    sensor_of_picture(simulation, picture).enable(0, now_of(simulation));
  }
}

PictureTable::PictureTable(const Simulation& world, std::vector<ObservedPicture> observed,
                           std::size_t instances)
    : observed_(std::move(observed)) {
  std::size_t bytes = 0;
  for (const ObservedPicture& one : observed_) {
    const PictureSensor& sensor = sensor_of_picture(world, one);
    BatchPicture& picture = pictures_.emplace_back();
    picture.name = one.name;
    picture.height = static_cast<std::size_t>(sensor.height());
    picture.width = static_cast<std::size_t>(sensor.width());
    picture.is_float = is_of_distances(one.kind);
    picture.channels = picture.is_float ? 1 : kColors;
    bytes += picture.bytes();
  }
  refuse_if_too_large(instances * bytes, fmt::format("a batch of {} instances with {} pictures",
                                                     instances, observed_.size()));
  for (BatchPicture& picture : pictures_) {
    arrays_.push_back(zeros(instances * picture.bytes()));
    picture.data = arrays_.back();
  }
}

void PictureTable::write_all(std::size_t instance, const Simulation& simulation) {
  for (std::size_t p = 0; p < observed_.size(); ++p) {
    const BatchPicture& picture = pictures_[p];
    const PictureSensor& sensor = sensor_of_picture(simulation, observed_[p]);
    const auto height = static_cast<std::size_t>(sensor.height());
    const auto width = static_cast<std::size_t>(sensor.width());
    if (height != picture.height || width != picture.width) {
      throw std::invalid_argument(fmt::format(
          "\"{}\" has {} x {} pixels, but the array of the batch has {} x {}: pictures of all "
          "instances have the same size",
          picture.name, width, height, picture.width, picture.height));
    }
    std::byte* const to = arrays_[p].get() + instance * picture.bytes();
    const std::span<const std::byte> from = sensor.picture_bytes();
    if (picture.is_float) {
      std::ranges::copy(from, to);
    } else {
      write_colors(from, to);
    }
  }
}

}  // namespace servosim
