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

/// Returns the sensor of a device node that takes pictures of this kind; null if it has none.
PictureSensor* picture_sensor(const DeviceNode& node, PictureQuantity kind);

/// Starts the sensors of pictures, which take one at once.
/// @throws StepFailed if the renderer cannot be loaded
void start_pictures(const Simulation& simulation, std::span<const ObservedPicture> observed,
                    int period_ms);
/// Switches the sensors of pictures off.
void stop_pictures(const Simulation& simulation, std::span<const ObservedPicture> observed);

/// The arrays of the pictures of all instances.
///
/// Threads: any number at a time, each for other instances.
class PictureTable {
 public:
  PictureTable() = default;
  /// @throws Shortage if there is not enough memory
  PictureTable(const Simulation& world, std::vector<ObservedPicture> observed,
               std::size_t instances);

  const std::vector<ObservedPicture>& observed() const { return observed_; }
  const std::vector<BatchPicture>& pictures() const { return pictures_; }
  /// Writes the last pictures of an instance to the arrays.
  /// @throws std::invalid_argument if a parameter has changed the size of a picture
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
