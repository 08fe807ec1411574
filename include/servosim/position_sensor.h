// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/joint_type.h"
#include "servosim/sampler.h"

namespace servosim {

class Random;
struct JointState;
struct SensorSpec;

/// A PositionSensor, or the position measurement of a Servo. It measures with all turns of a hinge,
/// adds noise, and rounds to a multiple of the field `resolution`.
///
/// Threads: one at a time, with the whole Simulation it is part of.
class PositionSensor {
 public:
  /// Only Simulation uses it. All arguments must outlive the sensor or its next rebind().
  /// @param spec  its node
  /// @param joint  what it measures, on the motor's side of a backlash; null where the joint is not
  ///   simulated: then it measures the position that the file gives
  /// @param random  gives its noise
  PositionSensor(const SensorSpec& spec, const JointState* joint, Random& random);

  /// Starts sampling, first one period after `now_ms`.
  /// @param period_ms  [ms]; 0 stops, and keeps the last sample
  /// @param now_ms  the simulated time [ms]
  /// @throws std::invalid_argument if `period_ms` is negative
  void enable(int period_ms, double now_ms);
  /// The last sample [rad|m]; NaN before the first one.
  double value() const { return state_.sampler.value(); }
  /// Tells the unit of its values.
  JointType type() const;

  // Only Simulation uses what follows.
  /// Binds it to the same node's new description and joint. Its samples stay.
  void rebind(const SensorSpec& spec, const JointState* joint);
  /// The node is gone: the sensor measures nothing and keeps its last value. `spec` describes it as
  /// before.
  void detach(const SensorSpec& spec);
  /// Takes a sample if one is due at `now_ms` [ms] and the sensor has power.
  void after_step(double now_ms) {
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
    bool powered = true;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void sample(double now_ms);

  /// Not null.
  const SensorSpec* spec_;
  // The position of the joint or of its motor's shaft; nullptr: SensorSpec::fixed_position is
  // measured.
  const double* position_;
  // The node is gone.
  bool detached_ = false;
  Random& random_;
  State state_;
};

}  // namespace servosim
