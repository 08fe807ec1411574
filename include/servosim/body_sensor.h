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
/// A value passes through the node's lookup table, gets the node's noise, then its resolution.
/// What an axis that is switched off would measure is NaN.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class BodySensor {
 public:
  static constexpr std::size_t kMaxValues = 7;
  using Values = std::array<double, kMaxValues>;

  /// `light_colors` are the present ones of WorldSettings::lights.
  BodySensor(const BodySensorSpec& spec, const WorldSettings& world,
             const std::vector<Vec3>& light_colors, PhysicsWorld& physics, Random& random);

  BodySensorKind kind() const;
  /// Starts sampling every `period_ms` [ms]; 0 stops.
  /// @throws std::invalid_argument for a negative period.
  void enable(int period_ms, double now_ms);
  /// Last sample, as many values as its kind has; NaN before the first.
  std::span<const double> values() const { return std::span(state_.values).first(count_); }

  // Used by Simulation.
  /// Binds it to the same node's new description in another scene and its physics; its samples
  /// stay.
  void rebind(const BodySensorSpec& spec, const WorldSettings& world,
              const std::vector<Vec3>& light_colors, PhysicsWorld& physics);
  /// Its node is gone: it measures nothing. `spec` describes it as before.
  void detach(const BodySensorSpec& spec);
  void after_step(double now_ms) {
    if (is_bumper_) {
      feel();
    }
    if (state_.sampler.due(now_ms) && state_.powered) {
      sample(now_ms);
    }
  }
  const Sampler& sampler() const { return state_.sampler; }
  /// Off: no samples.
  void set_power(bool on) { state_.powered = on; }

  /// Everything that changes while the sensor runs.
  struct State {
    Sampler sampler;
    Values values;
    Vec3 before;  ///< velocity of an Accelerometer, position of a GPS at the last sample
    Vec3 noise;   ///< of a GPS at the last sample [m]
    bool powered = true;
    bool touched = false;  ///< since the last sample
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
