// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "servosim/batch.h"

namespace servosim {

class PictureSensor;
struct DeviceNode;

/// What a picture of the observations shows.
enum class PictureQuantity : std::uint8_t { Rgb, Segmentation, Depth, Ranges };

struct ObservedPicture {
  PictureQuantity kind = PictureQuantity::Rgb;
  int robot = -1;   // index in the world
  int device = -1;  // index among the devices of the robot
  std::string name;
};

/// Returns whether a device node takes pictures of some kind.
bool takes_pictures(const DeviceNode& node);
/// Returns the sensor of a device node that takes pictures of this kind; null if it has none.
PictureSensor* picture_sensor(const DeviceNode& node, PictureQuantity kind);

/// Returns the sensors of pictures of a world, without names; also a Recognition that takes none.
std::vector<ObservedPicture> all_picture_sensors(const Simulation& world);

/// When the sensors of pictures of a batch measure: at the end of each step of the batch.
struct PictureTimes {
  /// Returns the times for steps of a batch that take `substeps` basic steps of `basic_ms` [ms].
  static PictureTimes of(std::int64_t substeps, double basic_ms);

  int period_ms = 1;  // whole, as samplers need it
  double step_ms = 1.0;
  /// Whether the period makes sensors measure at these times alone. Otherwise they are off, and
  /// take_pictures() lets them measure.
  bool by_period = true;
};

/// Starts the sensors of pictures, which take one at once.
/// @throws std::invalid_argument if the instance does not have one of them
/// @throws StepFailed if the renderer cannot be loaded
void start_pictures(const Simulation& simulation, std::span<const ObservedPicture> observed,
                    const PictureTimes& times);
/// Takes the pictures at the end of a step of the batch, unless the sensors have done it.
/// @throws as start_pictures()
void take_pictures(const Simulation& simulation, std::span<const ObservedPicture> observed,
                   const PictureTimes& times);
/// Switches off those of the sensors that are not observed.
void stop_other_pictures(const Simulation& simulation, std::span<const ObservedPicture> sensors,
                         std::span<const ObservedPicture> observed);

/// The arrays of the pictures of all instances.
///
/// Threads: any number at a time, each for other instances.
class PictureTable {
 public:
  PictureTable() = default;
  /// @param like  an instance, whose pictures have the sizes of all of them
  /// @throws std::invalid_argument if it does not have one of the pictures
  /// @throws Shortage if there is not enough memory
  PictureTable(const Simulation& like, std::vector<ObservedPicture> observed,
               std::size_t instances);

  const std::vector<ObservedPicture>& observed() const { return observed_; }
  const std::vector<BatchPicture>& pictures() const { return pictures_; }
  /// @throws std::invalid_argument if the instance does not have one of the pictures, or has one of
  ///   another size
  void check(const Simulation& simulation) const;
  /// Writes the last pictures of an instance to the arrays.
  /// @throws as check()
  void write(std::size_t instance, const Simulation& simulation) {
    if (!observed_.empty()) {
      write_all(instance, simulation);
    }
  }
  /// The picture of an instance.
  std::span<const std::byte> row(std::size_t picture, std::size_t instance) const {
    return {pictures_[picture].data.get() + instance * pictures_[picture].bytes(),
            pictures_[picture].bytes()};
  }

 private:
  void write_all(std::size_t instance, const Simulation& simulation);

  std::vector<ObservedPicture> observed_;
  std::vector<BatchPicture> pictures_;
  std::vector<std::shared_ptr<std::byte>> arrays_;  // those of pictures_, to be written
};

}  // namespace servosim
