// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class PhysicsWorld;
class Random;
class Sight;
struct RadarSpec;
struct Scene;

/// What a Radar measures of a Solid with a `radarCrossSection`, or of several in one cell.
///
/// Threads: a plain value.
struct RadarTarget {
  double distance = 0.0;        ///< from the Radar to the middle of its box [m]
  double received_power = 0.0;  ///< of the echo [dBm]
  double speed = 0.0;           ///< along the line of sight [m/s]; it grows with the distance
  double azimuth = 0.0;         ///< off straight ahead, positive to the right [rad]
};

/// A Radar: a sensor that finds the Solids with a `radarCrossSection` by Webots' rules, with the
/// node's ranges, speeds, cells, noises and occlusion. Noise comes from the simulation's random
/// numbers.
///
/// A speed is the mean since the last sample. It is 0 in the first sample that has the Solid.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class Radar : public Device {
 public:
  /// @param binding  its node and scene; what it refers to must outlive the sensor or its next
  ///   rebind()
  explicit Radar(const DeviceBinding& binding);

  /// The targets of the last sample, in the order of the scene. The span is valid until the next
  /// one.
  std::span<const RadarTarget> targets() const { return targets_; }
  void rebind(const DeviceBinding& binding) override;

 private:
  // Where a Solid was at the last sample.
  struct Past {
    std::uint32_t node;
    Vec3 place;
  };
  void measure(double now_ms) override;
  void archive_state(DeviceArchive& archive) override;
  double speed_of(std::size_t solid, const Vec3& towards, double elapsed) const;
  void merge_cells();

  const RadarSpec* spec_ = nullptr;  // not null
  const Scene* scene_ = nullptr;     // null, like the next two: its node is gone
  PhysicsWorld* physics_ = nullptr;
  Sight* sight_ = nullptr;
  Random& random_;
  std::vector<RadarTarget> targets_;
  std::vector<Past> past_;  // of itself first
  double past_ms_ = 0.0;    // when that was
};

}  // namespace servosim
