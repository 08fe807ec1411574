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

/// An Accelerometer, Gyro, Compass, GPS, InertialUnit, Altimeter, TouchSensor, DistanceSensor or
/// LightSensor: a sensor that is a Solid. Values are in the sensor's own frame unless the list says
/// otherwise:
///
/// * Accelerometer: x, y, z [m/s²], the acceleration of the sensor less gravity, so that a sensor
///   at rest shows +g upwards. It is the change of velocity between two samples, divided by the
///   time between them.
/// * Gyro: x, y, z [rad/s], the angular velocity.
/// * Compass: x, y, z, the direction of north, of length one.
/// * GPS: seven values. The position comes first: x, y, z in the world [m], or latitude and
///   longitude [degrees] and altitude [m] where WorldInfo.gpsCoordinateSystem is "WGS84". Then come
///   the speed and the velocity x, y, z in the world [m/s], as mean values since the last sample.
/// * InertialUnit: seven values: roll, pitch, yaw [rad], then the quaternion x, y, z, w. They are
///   the attitude in the world.
/// * Altimeter: one value, the coordinate against gravity in the world [m].
/// * TouchSensor "bumper": one value, 1 if something touched it since the last sample, else 0.
/// * TouchSensor "force": one value, the force that presses on it along its main axis [N]; >= 0,
///   since tension does not count.
/// * TouchSensor "force-3d": x, y, z [N], the force that it passes on to what carries it.
/// * TouchSensor that the field forceTorqueSensor of a joint names: six values, the force [N] and
///   the torque [N·m] that the endPoint passes on to what carries it, in the endPoint's axes and
///   about its origin.
/// * DistanceSensor "generic" and "laser": one value, the weighted mean of the distances that its
///   rays find [m]; infinite where a ray meets nothing and there is no lookup table.
/// * DistanceSensor "infra-red": one value, the same, but rays meet Shapes instead of
///   boundingObjects, and dark ones seem farther away [m].
/// * DistanceSensor "sonar": one value, the smallest distance that a ray finds on a surface that
///   throws the sound back [m]. A surface turned away by more than π/8 gives no echo.
/// * LightSensor: one value, the irradiance along its x axis [W/m²].
///
/// A value passes through the node's lookup table, gets the node's noise, and is then rounded to a
/// multiple of the node's resolution. An axis that a field switches off gives NaN. Noise comes from
/// the simulation's random numbers: equal seeds give equal readings, but not Webots' sequence.
///
/// Units and frames are those of the list above; a lookup table replaces them by its own.
/// docs/explanation/deviations.md has what differs from Webots.
///
/// enable() makes a bumper forget earlier touches. An Accelerometer, and a GPS on a body, then
/// store their velocity or position, so that the first sample is right.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class BodySensor : public Device {
 public:
  /// The number of values of the sensors that have most: GPS and InertialUnit.
  static constexpr std::size_t kMaxValues = 7;

  /// The last sample, in the order of the list above: 1 value, 3, 6, or 7 of a GPS or InertialUnit.
  /// All are NaN before the first sample. The span is valid as long as the sensor; each sample
  /// overwrites it.
  std::span<const double> values() const override { return std::span(values_).first(count_); }
  /// Binds the sensor to the same node's new description in another scene and to the physics of
  /// that scene, or to none if its node is gone: then it measures nothing from now on, and keeps
  /// its last values. Its samples stay.
  void rebind(const DeviceBinding& binding) override;

 protected:
  using Values = std::array<double, kMaxValues>;

  /// @param binding  its node and scene; what it refers to must outlive the sensor or its next
  ///   rebind()
  /// @param count  the number of its values; at most kMaxValues
  /// @param follows  whether follow() does anything
  BodySensor(const DeviceBinding& binding, std::size_t count, bool follows = false);

  /// Fills the first values of `values_`. It is called only while the node is in the tree.
  /// @param elapsed  the time since the last sample, or since the sensor was enabled after that
  ///   [s]; infinite in the sample that a Supervisor's reset takes at once
  virtual void sample(double elapsed) = 0;
  void archive_state(DeviceArchive& archive) override;

  /// Whether its node is in the tree. world() and physics() exist only then.
  bool is_in_tree() const { return physics_ != nullptr; }
  const BodySensorSpec& spec() const { return *spec_; }
  const WorldSettings& world() const { return *world_; }
  PhysicsWorld& physics() const { return *physics_; }
  /// The pose of its Solid in the world [m]. Only for a sensor that is in the tree.
  Pose pose() const;
  /// Stores what the sensor reads for this number as its first value, after lookup table, noise and
  /// resolution.
  void put_number(double number);
  /// Stores what the sensor reads for this vector as its first three values, in its own frame. An
  /// axis that a field switches off becomes NaN.
  /// @param vector  in the axes of the world
  void put_vector(const Vec3& vector);
  /// Returns `value` with Gaussian noise of the standard deviation `deviation`, in the same unit.
  /// It draws no random number where `deviation` is not positive.
  double noisy(double value, double deviation);

  Values values_;
  std::size_t count_;  // how many of the values the sensor has

 private:
  void measure(double now_ms) final;
  double reading_of(double value);

  const BodySensorSpec* spec_;  // not null
  const WorldSettings* world_;  // nullptr, like physics_: its node is gone
  PhysicsWorld* physics_;
  Random& random_;
};

}  // namespace servosim
