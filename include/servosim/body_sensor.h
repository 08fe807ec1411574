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

/// A sensor that is a Solid. What its values are, in its own frame unless stated otherwise:
///
///     Accelerometer   x, y, z [m/s²]: what moves it, less what gravity would do
///     Gyro            x, y, z [rad/s]
///     Compass         x, y, z: where north is, of length one
///     GPS             position, speed [m/s] and velocity in the world; the position in metres, or
///                     latitude and longitude in degrees and altitude
///     InertialUnit    roll, pitch, yaw [rad], then the quaternion x, y, z, w: against the world
///     Altimeter       height in the world [m]
///     TouchSensor     "bumper": 1 if something touched it since the last sample, else 0
///                     "force": what presses on it along its main axis [N], >= 0
///                     "force-3d": x, y, z [N]: what it passes on to what carries it
///     DistanceSensor  weighted mean of what its rays find [m]; "infra-red": the same of Shapes,
///     where
///                     dark ones seem farther away; "sonar": the nearest that throws the sound back
///     LightSensor     irradiance along its x axis [W/m²]
///
/// A value passes through the node's lookup table, gets the node's noise, and is then rounded to a
/// multiple of the node's resolution. An axis that a field switches off gives NaN. Noise comes from
/// the simulation's random numbers: equal seeds give equal readings, but not Webots' sequence.
///
/// Units and frames are those of BodySensorKind; a lookup table replaces them by its own.
/// docs/explanation/deviations.md has what differs from Webots.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class BodySensor : public Device {
 public:
  /// The number of values of the kinds that have most: Gps and InertialUnit.
  static constexpr std::size_t kMaxValues = 7;

  /// Last sample, as many values as it has; NaN before the first.
  std::span<const double> values() const override { return std::span(values_).first(count_); }
  void rebind(const DeviceBinding& binding) override;

 protected:
  using Values = std::array<double, kMaxValues>;

  /// `count`: of its values, at most kMaxValues; `follows`: see Device.
  BodySensor(const DeviceBinding& binding, std::size_t count, bool follows = false);

  /// Fills `values_`, `elapsed` [s] after the last sample or after it was enabled. Its node is in
  /// the tree.
  virtual void sample(double elapsed) = 0;
  void archive_state(DeviceArchive& archive) override;

  bool is_in_tree() const { return physics_ != nullptr; }
  const BodySensorSpec& spec() const { return *spec_; }
  const WorldSettings& world() const { return *world_; }
  PhysicsWorld& physics() const { return *physics_; }
  /// The pose of its Solid in the world.
  Pose pose() const;
  /// These put its reading of a number, or of a vector that is given in the axes of the world, into
  /// `values_`.
  void put_number(double number);
  void put_vector(const Vec3& vector);
  double noisy(double value, double deviation);

  Values values_;
  std::size_t count_;  // of the values

 private:
  void measure(double now_ms) final;
  double reading_of(double value);

  const BodySensorSpec* spec_;  // not null
  const WorldSettings* world_;  // nullptr, like physics_: its node is gone
  PhysicsWorld* physics_;
  Random& random_;
};

}  // namespace servosim
