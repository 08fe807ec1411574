// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/joint_type.h"
#include "servosim/sampler.h"

namespace servosim {

class Random;
struct JointState;
struct SensorSpec;

/// A PositionSensor, or the position measurement of a Servo.
/// Threads: one at a time, with the whole Simulation it is part of.
class PositionSensor {
 public:
  /// `joint`: what it measures, null for none.
  PositionSensor(const SensorSpec& spec, const JointState* joint, Random& random);

  /// Starts sampling every `period_ms` [ms]; 0 stops.
  /// @throws std::invalid_argument for a negative period.
  void enable(int period_ms, double now_ms);
  /// Last sample [rad|m], NaN before the first.
  double value() const { return state_.sampler.value(); }
  JointType type() const;

  // Used by Simulation.
  /// Binds it to the same node's new description and joint; its samples stay.
  void rebind(const SensorSpec& spec, const JointState* joint);
  /// Its node is gone: it measures nothing. `spec` describes it as before.
  void detach(const SensorSpec& spec);
  void after_step(double now_ms) {
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
    bool powered = true;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void sample(double now_ms);

  const SensorSpec* spec_;  // not null
  // Of the joint or of its motor's shaft; nullptr: SensorSpec::fixed_position counts.
  const double* position_;
  bool detached_ = false;  // its node is gone
  Random& random_;
  State state_;
};

}  // namespace servosim
