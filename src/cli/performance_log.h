// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace servosim {

/// Returns the name of this machine's processor, or "unknown".
std::string processor_name();

/// Returns the lines `System:`, `Processor:` and `Cores:` of this machine.
std::string system_info();

/// The file of Webots' option --log-performance. It tells how fast a run was, as a whole or in its
/// first steps.
class PerformanceLog {
 public:
  /// @param option  FILE or FILE,STEPS
  /// @throws InputError if STEPS is no whole number above 0
  explicit PerformanceLog(const std::string& option);

  /// Call this after each step. The times are those since the start [s].
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
