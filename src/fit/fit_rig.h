// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fit/bench.h"

namespace servosim {

/// What the logs of a fit were recorded on, as a simulation.
///
/// Threads: any at a time, each with positions of its own.
class FitRig {
 public:
  FitRig() = default;
  FitRig(const FitRig&) = delete;
  FitRig& operator=(const FitRig&) = delete;
  virtual ~FitRig() = default;

  virtual const std::vector<BenchLog>& logs() const = 0;
  /// Simulates a log with up to kBenchModels models; as run_bench().
  virtual void run(std::size_t log, std::span<const ServoModel> models,
                   std::vector<double>& positions) const = 0;
  /// Simulates a log with one model; returns all that is known at each sample.
  virtual std::vector<BenchState> run_once(std::size_t log, const ServoModel& model) const = 0;
  /// Returns the moment of inertia of what the servo moves [kg·m²], and the greatest torque of
  /// gravity [N·m]; 0 where that has no meaning.
  virtual double inertia(std::size_t log) const = 0;
  virtual double weight(std::size_t log) const = 0;
  /// Returns the same rig with a rod that is heavier by this mass [kg]; null if it has no rod.
  virtual std::unique_ptr<FitRig> with_rod(double more) const = 0;
};

/// The built-in bench.
class PendulumBench final : public FitRig {
 public:
  explicit PendulumBench(std::vector<BenchLog> logs);

  const std::vector<BenchLog>& logs() const override { return logs_; }
  void run(std::size_t log, std::span<const ServoModel> models,
           std::vector<double>& positions) const override {
    run_bench(logs_[log], steps_[log], models, positions);
  }
  std::vector<BenchState> run_once(std::size_t log, const ServoModel& model) const override {
    return run_bench_once(logs_[log], model);
  }
  double inertia(std::size_t log) const override { return logs_[log].rig.inertia(); }
  double weight(std::size_t log) const override { return logs_[log].rig.weight(); }
  std::unique_ptr<FitRig> with_rod(double more) const override;

 private:
  std::vector<BenchLog> logs_;
  std::vector<std::vector<BenchStep>> steps_;  // of each log
};

}  // namespace servosim
