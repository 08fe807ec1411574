// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "servosim/math.h"
#include "servosim/picture_sensor.h"

namespace servosim {

struct RangingSpec;

/// A RangeFinder or a Lidar: a sensor that measures a picture of distances to the Shapes that
/// Webots draws, its own robot's included. Back faces and fully transparent Shapes are not seen.
///
/// A distance is the depth along the optical axis in a planar picture, and the length of the ray in
/// others [m]. It is infinite where there is nothing between minRange and maxRange. A distance gets
/// the node's noise, and is then rounded to a multiple of the node's resolution. Noise comes from
/// the simulation's random numbers.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class RangingSensor : public PictureSensor {
 public:
  /// The last picture: height() rows of width() distances each, from the upper left corner [m]. All
  /// are 0 before the first sample; there are none before the sensor is enabled. The span is valid
  /// until the tree changes; each sample overwrites the picture.
  std::span<const float> picture() const { return picture_; }
  std::span<const std::byte> picture_bytes() const override { return std::as_bytes(picture()); }
  std::shared_ptr<const void> shared_picture() const override { return picture_.shared(); }
  void rebind(const DeviceBinding& binding) override;

 protected:
  /// @param binding  its node and scene; what it refers to must outlive the sensor or its next
  ///   rebind()
  /// @param follows  whether follow() does anything
  explicit RangingSensor(const DeviceBinding& binding, bool follows = false);

  const RangingSpec& spec() const;
  /// Finds the distances in some columns and stores them in the picture, after the rule of the
  /// range, the noise and the resolution. Only for a sensor that is in the tree.
  /// @param turned  the frame of the rays in the sensor's own frame, which has x forward
  /// @param first_column  the first column that is found anew
  /// @param columns  the number of these columns
  /// @param fading  the part of the former picture that stays in the new one, in [0, 1)
  void take(const Mat3& turned, int first_column, int columns, double fading = 0.0);
  void clear() override;
  void begin_again() override { blurred_.clear(); }
  void archive_state(DeviceArchive& archive) override;
  std::span<float> own_picture() { return picture_; }

 private:
  float reading_of(double now, double blurred);

  std::vector<double> distances_;  // of the columns that were taken last
  std::vector<double> blurred_;    // the picture before noise and resolution, if it has motionBlur
  PictureNumbers<float> picture_;
};

}  // namespace servosim
