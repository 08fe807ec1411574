// SPDX-License-Identifier: Apache-2.0
// One run on the bench, with a single model or lanes of them. For lanes, the header of lanes is
// included before.
#pragma once

#include <math.h>

#include "fit/bench.h"
#include "physics/rows/servo_law.h"

namespace servosim {

/// What the bench reads of a model in addition to the numbers of the law.
template <class Real>
struct BenchSupplyOf {
  Real voltage{};     ///< [V]
  Real resistance{};  ///< [Ω]
  Real least{};       ///< [V]
  Real offset{};      ///< of the encoder [rad]
  Real count{};       ///< of the encoder [rad]; 1 if it is exact
  Real is_rounded{};  ///< 1: the encoder has counts
  Real delay{};       ///< of commands [s]
};

/// A log and the models that run with it side by side.
struct BenchTask {
  const LogSample* samples;
  std::size_t sample_count;
  const BenchStep* steps;
  std::size_t step_count;
  double inertia;  ///< of the rig [kg·m²]
  double weight;   ///< of the rig [N·m]
  BenchStart start;
  const ServoNumbers* numbers;  ///< of each model
  const ServoCommand* commands;
  const ServoMemory* memories;
  const BenchSupplyOf<double>* supplies;
};

/// Simulates as many models as the set has lanes: of model m at sample s in `positions[s *
/// kBenchModels + m]`.
using BenchKernel = void (*)(const BenchTask& task, double* positions);

extern const BenchKernel kSse2Bench;    // two models
extern const BenchKernel kAvx2Bench;    // four
extern const BenchKernel kAvx512Bench;  // eight

[[gnu::always_inline]] inline double lane_of(double number, std::size_t) { return number; }
[[gnu::always_inline]] inline void set_lane(double& number, std::size_t, double value) {
  number = value;
}
template <class Real>
inline double lane_of(const Real& lanes, std::size_t lane) {
  return lanes[lane];
}
template <class Real>
inline void set_lane(Real& lanes, std::size_t lane, double value) {
  lanes[lane] = value;
}

template <class Real>
struct BenchRun {
  ServoNumbersOf<Real> numbers;
  ServoCommandOf<Real> command;
  ServoMemoryOf<Real> memory;
  BenchSupplyOf<Real> supply;
  Real position{};  ///< of the axis
  Real rate{};

  static constexpr std::size_t kCount = sizeof(Real) / sizeof(double);

  Real reading() const { return position + supply.offset; }

  /// Calls `at_sample(s)` at each sample.
  template <class AtSample>
  void go(const BenchTask& task, AtSample at_sample) {
    position = Real{} + task.start.position - supply.offset;
    rate = Real{} + task.start.rate;
    std::size_t sample = 0;
    std::size_t delayed[kCount]{};  // the sample whose goal has arrived
    const bool is_delayed = any_holds(supply.delay > 0.0);
    at_sample(sample);
    for (std::size_t i = 0; i < task.step_count; ++i) {
      const BenchStep& step = task.steps[i];
      command.is_on = Real{} + (step.is_on ? 1.0 : 0.0);
      command.goal = Real{} + step.goal;
      if (is_delayed) {
        for (std::size_t l = 0; l < kCount; ++l) {
          const double now = step.time - lane_of(supply.delay, l);
          while (delayed[l] + 1 < task.sample_count && task.samples[delayed[l] + 1].time <= now) {
            ++delayed[l];
          }
          set_lane(command.goal, l, task.samples[delayed[l]].goal);
        }
      }
      take(task, step);
      if (step.ends_at_sample) {
        at_sample(++sample);
      }
    }
  }

  void take(const BenchTask& task, const BenchStep& step) {
    const Real zero{};
    command.volts = supply_voltage(supply.voltage, supply.resistance, supply.least,
                                   supply_load(numbers, memory));
    const Real exact = reading();
    // Adding and subtracting 1.5·2^52 rounds to a whole number.
    constexpr double kRounds = 6755399441055744.0;
    const Real counts = (exact / supply.count + kRounds) - kRounds;
    const Real seen = choose(supply.is_rounded > 0.5, counts * supply.count, exact);
    const Real load = -task.weight * sine(position);
    const double h = step.mean;
    const Real inertia = zero + task.inertia;
    const ServoStepOf<Real> s = servo_step(numbers, command, seen, rate, inertia, h, memory);
    Real force{};
    const Real after = rate_after(s, inertia, load, h, &force);
    after_servo_step(numbers, s, after, force, inertia, h, memory);
    position = position + step.h * after;
    rate = after;
  }

  static Real sine(const Real& angle) {
    Real result{};
    for (std::size_t l = 0; l < kCount; ++l) {
      set_lane(result, l, ::sin(lane_of(angle, l)));
    }
    return result;
  }
};

}  // namespace servosim
