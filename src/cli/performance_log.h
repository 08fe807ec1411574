// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace servosim {

/// Lines `System:`, `Processor:` and `Cores:` of this machine.
std::string system_info();

/// The file of Webots' option --log-performance: how fast a run was, all of it or its first steps.
class PerformanceLog {
 public:
  /// @param option  FILE or FILE,STEPS
  /// @throws InputError for STEPS that is no whole number above 0
  explicit PerformanceLog(const std::string& option);

  /// To be called after each step. Times are those since the start [s].
  void step(double simulated, double elapsed);
  /// Returns the error, or nothing.
  std::string write(const std::string& world, double time_step_ms) const;

 private:
  std::string path_;
  std::int64_t limit_;
  std::int64_t steps_ = 0;
  double simulated_ = 0.0;
  double elapsed_ = 0.0;
};

}  // namespace servosim
