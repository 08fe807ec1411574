// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class Eye;
class PhysicsWorld;
class Random;
class Sight;
struct RangingSpec;

/// A RangeFinder or a Lidar: a sensor that measures a picture of distances to the Shapes that
/// Webots draws, its own robot's included. Back faces and fully transparent Shapes are not seen.
///
/// A distance is the depth along the optical axis in a planar picture, and the length of the ray in
/// others [m]. It is infinite where there is nothing between minRange and maxRange. A distance gets
/// the node's noise, and is then rounded to a multiple of the node's resolution. Noise comes from
/// the simulation's random numbers.
///
/// Pictures are no part of a saved state, but for those of a rotating Lidar, which grow while its
/// head turns. After Simulation::restore() a sensor has the picture that it had before, until its
/// next sample; if it had no sample in that state, all distances are 0.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class RangingSensor : public Device {
 public:
  ~RangingSensor() override;
  void enable(int period_ms, double now_ms) override;
  /// The last picture: height() rows of width() distances each, from the upper left corner [m]. All
  /// are 0 before the first sample; there are none before the sensor is enabled. The span is valid
  /// until the tree changes; each sample overwrites the picture.
  std::span<const float> picture() const override { return picture_; }
  /// The number of columns; for a Lidar the number of points in a layer.
  int width() const;
  /// The number of rows; for a Lidar the number of layers.
  int height() const;
  void rebind(const DeviceBinding& binding) override;

 protected:
  /// @param binding  its node and scene; what it refers to must outlive the sensor or its next
  ///   rebind()
  /// @param follows  whether follow() does anything
  explicit RangingSensor(const DeviceBinding& binding, bool follows = false);

  /// Whether its node is in the tree.
  bool is_in_tree() const { return physics_ != nullptr; }
  const RangingSpec& spec() const { return *spec_; }
  /// Opens the eye that take() uses. It is called when there is none.
  virtual std::unique_ptr<Eye> open(Sight& sight) const = 0;
  /// Finds the distances in some columns and stores them in the picture, after the rule of the
  /// range, the noise and the resolution. Only for a sensor that is in the tree.
  /// @param turned  the frame of the rays in the sensor's own frame, which has x forward
  /// @param first_column  the first column that is found anew
  /// @param columns  the number of these columns
  /// @param fading  the part of the former picture that stays in the new one, in [0, 1)
  void take(const Mat3& turned, int first_column, int columns, double fading = 0.0);
  /// Makes the picture that is there before the first sample.
  void clear();
  void archive_state(DeviceArchive& archive) override;
  std::span<float> own_picture() { return picture_; }

 private:
  float reading_of(double now, double blurred);

  const RangingSpec* spec_;  // not null
  PhysicsWorld* physics_;    // nullptr, like sight_: its node is gone
  Sight* sight_;
  Random& random_;
  std::unique_ptr<Eye> eye_;       // null until the first picture of this scene
  std::vector<double> distances_;  // of the columns that were taken last
  std::vector<double> blurred_;    // the picture before noise and resolution, if it has motionBlur
  std::vector<float> picture_;
  bool has_picture_ = false;  // there was a sample since clear()
};

}  // namespace servosim
