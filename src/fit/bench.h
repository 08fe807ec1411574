// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fit/servo_log.h"
#include "physics/lane_set.h"
#include "servosim/servo_model.h"

// The built-in bench: a servo with a horizontal axis turns a rod with a mass at its end. It is
// simulated by the law of the servo on one axis, several models at a time.

namespace servosim {

/// A rod and a mass on the axis of a servo. At 0 rad the mass hangs down.
struct PendulumRig {
  double mass = 0.0;    ///< [kg]; >= 0
  double length = 0.0;  ///< from the axis to the mass, and of the rod [m]; >= 0
  double rod = 0.0;     ///< mass of the rod [kg]; >= 0

  static constexpr double kGravity = 9.80665;  // [m/s²]

  double inertia() const { return (mass + rod / 3.0) * length * length; }
  /// Returns the greatest torque of gravity [N·m].
  double weight() const { return (mass + rod / 2.0) * kGravity * length; }
};

/// What a log says of its servo, and what was given instead: NaN where it says nothing.
struct BenchSettings {
  double p;       ///< P gain as in the firmware's register
  double i;       ///< I gain
  double d;       ///< D gain
  double supply;  ///< [V]
};

/// A log on a bench.
struct BenchLog {
  const ServoLog* log = nullptr;
  PendulumRig rig;
  BenchSettings settings;
};

/// Returns the model with the gains and the supply of a log. It has no protection, since a log says
/// when the torque was on.
ServoModel model_for(const BenchLog& log, const ServoModel& model);

/// How a log begins.
struct BenchStart {
  double position;  ///< [rad]
  double rate;      ///< [rad/s]
  double goal;      ///< [rad]
};

/// Returns how a log begins: a rate that its encoder does not resolve is 0.
BenchStart start_of(const ServoLog& log);

/// A stretch of a log with constant inputs: a step of the simulation.
struct BenchStep {
  double h = 0.0;     ///< its length [s]
  double mean = 0.0;  ///< the time from the middle of the step before to its own [s]
  double time = 0.0;  ///< its start [s]
  double goal = 0.0;  ///< [rad]
  bool is_on = true;
  bool ends_at_sample = false;
};

/// The steps of a log: each sample ends one, and none is longer than kLongestStep.
/// @throws std::invalid_argument for a log that is longer than kLongestLog
std::vector<BenchStep> steps_of(const ServoLog& log);
inline constexpr double kLongestStep = 0.006;   // [s]
inline constexpr double kLongestLog = 10000.0;  // [s]

/// What a servo does at a sample.
struct BenchState {
  double position = 0.0;  ///< that the encoder reads, before it is rounded [rad]
  double rate = 0.0;      ///< [rad/s]
  double torque = 0.0;    ///< of the motor [N·m]
  double current = 0.0;   ///< [A]
  double duty = 0.0;
  double volts = 0.0;  ///< of the supply [V]
};

/// How many models run() simulates at a time, by the widest set of lanes.
inline constexpr std::size_t kBenchModels = 8;

/// Simulates a log with up to kBenchModels models, and returns the positions that their encoders
/// read at the samples: of model m at sample s in `positions[s * kBenchModels + m]`. The bits do
/// not depend on the set of lanes.
///
/// Threads: any at a time.
void run_bench(const BenchLog& log, const std::vector<BenchStep>& steps,
               std::span<const ServoModel> models, std::vector<double>& positions,
               LaneSet lanes = widest_lanes());

/// Does the same with one model; returns all that is known at each sample.
std::vector<BenchState> run_bench_once(const BenchLog& log, const ServoModel& model);

}  // namespace servosim
