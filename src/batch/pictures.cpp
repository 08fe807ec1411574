// SPDX-License-Identifier: Apache-2.0
#include "batch/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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

// A parameter or a state may have taken the segmentation from a Camera.
PictureSensor& sensor_of_picture(const Simulation& simulation, const ObservedPicture& picture) {
  PictureSensor* const sensor = picture_sensor(node_of(simulation, picture), picture.kind);
  if (sensor == nullptr) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is observed, but it is not there with these values", picture.name));
  }
  return *sensor;
}

// A Recognition takes segmented pictures, or none.
PictureSensor* any_sensor(const DeviceNode& node, PictureQuantity kind) {
  switch (kind) {
    case PictureQuantity::Rgb:
      return node.get<Camera>();
    case PictureQuantity::Segmentation:
      return node.get<Recognition>();
    case PictureQuantity::Depth:
      return node.node_type != "Lidar" ? node.get<RangingSensor>() : nullptr;
    case PictureQuantity::Ranges:
      return node.node_type == "Lidar" ? node.get<RangingSensor>() : nullptr;
  }
  return nullptr;
}

constexpr std::array<PictureQuantity, 4> kKinds{PictureQuantity::Rgb, PictureQuantity::Segmentation,
                                                PictureQuantity::Depth, PictureQuantity::Ranges};

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

bool takes_pictures(const DeviceNode& node) {
  return std::ranges::any_of(
      kKinds, [&node](PictureQuantity kind) { return any_sensor(node, kind) != nullptr; });
}

PictureSensor* picture_sensor(const DeviceNode& node, PictureQuantity kind) {
  PictureSensor* const sensor = any_sensor(node, kind);
  return sensor == nullptr || kind != PictureQuantity::Segmentation ||
                 static_cast<Recognition*>(sensor)->can_segment()
             ? sensor
             : nullptr;
}

std::vector<ObservedPicture> all_picture_sensors(const Simulation& world) {
  std::vector<ObservedPicture> all;
  for (int r = 0; r < world.robots().size(); ++r) {
    const std::vector<DeviceNode>& devices = world.robots()[r].devices();
    for (std::size_t d = 0; d < devices.size(); ++d) {
      for (const PictureQuantity kind : kKinds) {
        if (any_sensor(devices[d], kind) != nullptr) {
          all.push_back({kind, r, static_cast<int>(d), ""});
        }
      }
    }
  }
  return all;
}

// A sampler rounds its period up to basic steps, so that a period of whole milliseconds may mean a
// step of the batch that is longer by less than a basic step.
PictureTimes PictureTimes::of(std::int64_t substeps, double basic_ms) {
  constexpr double kMostPeriod = 1e9;
  PictureTimes times;
  times.step_ms = static_cast<double>(substeps) * basic_ms;
  const double whole = std::floor(times.step_ms * (1.0 + 1e-9));
  times.by_period =
      whole >= 1.0 && whole < kMostPeriod && whole > times.step_ms - basic_ms * (1.0 - 1e-6);
  times.period_ms = static_cast<int>(std::clamp(whole, 1.0, kMostPeriod));
  return times;
}

void start_pictures(const Simulation& simulation, std::span<const ObservedPicture> observed,
                    const PictureTimes& times) {
  const double now = now_of(simulation);
  for (const ObservedPicture& picture : observed) {
    PictureSensor& sensor = sensor_of_picture(simulation, picture);
    if (picture.kind == PictureQuantity::Segmentation) {
      static_cast<Recognition&>(sensor).set_segmentation(true);
    }
    sensor.begin(times.period_ms, now);
    if (!times.by_period) {
      sensor.enable(0, now);
    }
  }
}

void take_pictures(const Simulation& simulation, std::span<const ObservedPicture> observed,
                   const PictureTimes& times) {
  if (times.by_period) {
    return;
  }
  const double now = now_of(simulation);
  // A whole millisecond may be longer than the step.
  const double last = times.step_ms >= times.period_ms ? now - times.step_ms : Sampler::kLongAgo;
  for (const ObservedPicture& picture : observed) {
    PictureSensor& sensor = sensor_of_picture(simulation, picture);
    sensor.enable(times.period_ms, last);
    sensor.after_step(now);
    sensor.enable(0, now);
  }
}

void stop_other_pictures(const Simulation& simulation, std::span<const ObservedPicture> sensors,
                         std::span<const ObservedPicture> observed) {
  for (const ObservedPicture& one : sensors) {
    PictureSensor* const sensor = any_sensor(node_of(simulation, one), one.kind);
    const auto is_it = [&one](const ObservedPicture& picture) {
      return picture.robot == one.robot && picture.device == one.device && picture.kind == one.kind;
    };
    if (sensor != nullptr && sensor->sampler().period_ms() > 0 &&
        std::ranges::none_of(observed, is_it)) {
      sensor->enable(0, now_of(simulation));
    }
  }
}

PictureTable::PictureTable(const Simulation& like, std::vector<ObservedPicture> observed,
                           std::size_t instances)
    : observed_(std::move(observed)) {
  std::size_t bytes = 0;
  for (const ObservedPicture& one : observed_) {
    const PictureSensor& sensor = sensor_of_picture(like, one);
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

void PictureTable::check(const Simulation& simulation) const {
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
  }
}

void PictureTable::write_all(std::size_t instance, const Simulation& simulation) {
  check(simulation);
  for (std::size_t p = 0; p < observed_.size(); ++p) {
    const BatchPicture& picture = pictures_[p];
    std::byte* const to = arrays_[p].get() + instance * picture.bytes();
    const std::span<const std::byte> from =
        sensor_of_picture(simulation, observed_[p]).picture_bytes();
    if (picture.is_float) {
      std::ranges::copy(from, to);
    } else {
      write_colors(from, to);
    }
  }
}

}  // namespace servosim
