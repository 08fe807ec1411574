// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "servosim/body_sensor_kind.h"
#include "servosim/math.h"
#include "servosim/sampler.h"

namespace servosim {

class PhysicsWorld;
class Random;
struct BodySensorSpec;
struct WorldSettings;

/// An Accelerometer, Gyro, Compass, GPS, InertialUnit, Altimeter, TouchSensor, DistanceSensor or
/// LightSensor.
///
/// A value passes through the node's lookup table, gets the node's noise, and is then rounded to a
/// multiple of the node's resolution. An axis that a field switches off gives NaN. Noise comes from
/// the simulation's random numbers: equal seeds give equal readings, but not Webots' sequence.
///
/// Units and frames are those of BodySensorKind; a lookup table replaces them by its own.
/// docs/explanation/deviations.md has what differs from Webots.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class BodySensor {
 public:
  /// The number of values of the kinds that have most: Gps and InertialUnit.
  static constexpr std::size_t kMaxValues = 7;
  using Values = std::array<double, kMaxValues>;

  /// Only Simulation uses it. All arguments must outlive the sensor or its next rebind().
  /// @param spec  its node
  /// @param world  the settings of the world: gravity, axes, lights
  /// @param light_colors  the present colour of each light of WorldSettings::lights, by its index
  /// @param physics  what it measures
  /// @param random  gives its noise
  BodySensor(const BodySensorSpec& spec, const WorldSettings& world,
             const std::vector<Vec3>& light_colors, PhysicsWorld& physics, Random& random);

  BodySensorKind kind() const;
  /// Starts sampling, and counts the first period from `now_ms`. A bumper forgets earlier touches;
  /// an Accelerometer and a GPS on a body store their velocity or position, so that the first
  /// sample is right.
  /// @param period_ms  [ms]; 0 stops, and keeps the last sample
  /// @param now_ms  the simulated time [ms]
  /// @throws std::invalid_argument if `period_ms` is negative
  void enable(int period_ms, double now_ms);
  /// The last sample, in the order of BodySensorKind: 1 value, 3, or 7 of a Gps or InertialUnit.
  /// All are NaN before the first sample. The span is valid as long as the sensor; each sample
  /// overwrites it.
  std::span<const double> values() const { return std::span(state_.values).first(count_); }

  // Only Simulation uses what follows.
  /// Binds the sensor to the same node's new description in another scene and to the physics of
  /// that scene. Its samples stay.
  void rebind(const BodySensorSpec& spec, const WorldSettings& world,
              const std::vector<Vec3>& light_colors, PhysicsWorld& physics);
  /// The node is gone: the sensor measures nothing from now on, and keeps its last values. `spec`
  /// describes it as before.
  void detach(const BodySensorSpec& spec);
  /// Called after each basic step, at the time `now_ms` [ms]: a bumper looks whether something
  /// touches it, and a sample is taken if one is due and the sensor has power.
  void after_step(double now_ms) {
    if (is_bumper_) {
      feel();
    }
    if (state_.sampler.due(now_ms) && state_.powered) {
      sample(now_ms);
    }
  }
  const Sampler& sampler() const { return state_.sampler; }
  /// Without power the sensor takes no samples and keeps the last one.
  void set_power(bool on) { state_.powered = on; }

  /// Everything that changes while the sensor runs.
  struct State {
    Sampler sampler;
    Values values;
    /// At the last sample, the velocity of an Accelerometer [m/s] or the position of a GPS [m], in
    /// the world.
    Vec3 before;
    /// What the last sample of a GPS had as noise [m]: consecutive errors are correlated.
    Vec3 noise;
    bool powered = true;
    /// Whether something has touched a bumper since the last sample.
    bool touched = false;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void sample(double now_ms);
  void feel();
  Vec3 acceleration(double elapsed);
  Vec3 velocity() const;
  Vec3 spin() const;
  void put_vector(const Vec3& vector);
  void put_position(double elapsed);
  void put_attitude();
  void put_height();
  void put_number(double number);
  void put_force();
  void put_touch();
  double noisy(double value, double deviation);

  void describe(const BodySensorSpec& spec);

  const BodySensorSpec* spec_;  // not null
  const WorldSettings* world_;  // nullptr, like what follows: its node is gone
  const std::vector<Vec3>* light_colors_;
  PhysicsWorld* physics_;
  Random& random_;
  bool is_bumper_;
  std::size_t count_;
  State state_;
};

}  // namespace servosim
