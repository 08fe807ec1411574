// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "servosim/device.h"
#include "servosim/math.h"

namespace servosim {

class PhysicsWorld;
class Random;
struct BodySensorSpec;
struct WorldSettings;

/// A sensor that is a Solid. Its values are in its own frame unless stated otherwise:
///
///     Accelerometer   x, y, z [m/s²]: the acceleration less gravity; +g upwards at rest
///     Gyro            x, y, z [rad/s]: the angular velocity
///     Compass         x, y, z: the direction of north, of length one
///     GPS             position, speed [m/s] and velocity [m/s] in the world; the position is
///                     x, y, z [m], or latitude, longitude [degrees] and altitude [m]
///     InertialUnit    roll, pitch, yaw [rad], quaternion x, y, z, w: attitude in the world
///     Altimeter       the coordinate against gravity in the world [m]
///     TouchSensor     "bumper": 1 if something touched it since the last sample, else 0
///                     "force": the force on it along its main axis [N]; >= 0
///                     "force-3d": x, y, z [N]: the force that it passes on to its carrier
///     DistanceSensor  the weighted mean of the distances that its rays find [m]
///                     "infra-red": the same for Shapes, where dark ones seem farther away
///                     "sonar": the smallest distance of a surface that gives an echo
///     LightSensor     the irradiance along its x axis [W/m²]
///
/// A value passes through the node's lookup table, which replaces its unit, gets the node's noise,
/// and is then rounded to a multiple of the node's resolution. An axis that a field switches off
/// gives NaN. Noise comes from the simulation's random numbers: equal seeds give equal readings,
/// but not Webots' sequence. docs/explanation/deviations.md lists the differences from Webots.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class BodySensor : public Device {
 public:
  /// The number of values of the kinds that have most: Gps and InertialUnit.
  static constexpr std::size_t kMaxValues = 7;

  /// The last sample: 1 value, 3 or 7. All are NaN before the first sample. The span is valid as
  /// long as the sensor; each sample overwrites it.
  std::span<const double> values() const override { return std::span(values_).first(count_); }
  void rebind(const DeviceBinding& binding) override;

 protected:
  using Values = std::array<double, kMaxValues>;

  /// @param count  the number of values, at most kMaxValues
  /// @param follows  see Device
  BodySensor(const DeviceBinding& binding, std::size_t count, bool follows = false);

  /// Writes a sample to `values_`, `elapsed` [s] after the last one or after the sensor was
  /// enabled. It is only called while the node is in the tree.
  virtual void sample(double elapsed) = 0;
  void archive_state(DeviceArchive& archive) override;

  bool is_in_tree() const { return physics_ != nullptr; }
  const BodySensorSpec& spec() const { return *spec_; }
  const WorldSettings& world() const { return *world_; }
  PhysicsWorld& physics() const { return *physics_; }
  /// Returns the pose of its Solid in the world.
  Pose pose() const;
  /// These write the reading of a number, or of a vector in the axes of the world, to `values_`.
  void put_number(double number);
  void put_vector(const Vec3& vector);
  double noisy(double value, double deviation);

  Values values_;
  std::size_t count_;  // number of values

 private:
  void measure(double now_ms) final;
  double reading_of(double value);

  const BodySensorSpec* spec_;  // never null
  const WorldSettings* world_;  // null, like physics_, if the node is gone
  PhysicsWorld* physics_;
  Random& random_;
};

}  // namespace servosim
