// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace servosim {

class Simulation;

/// Writes what every joint does to a CSV file: a header with units, then one row per basic step
/// with the time and, for each joint, position, velocity, commanded velocity and effort, then
/// status, length and radius of each muscle of its motor; last speed, thrust and torque of each
/// propeller.
class Trace {
 public:
  /// @throws std::runtime_error naming the path and the reason if it cannot be written.
  Trace(const Simulation& simulation, std::string path);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  /// Closes the file; errors are lost, so call close().
  ~Trace();

  /// Appends the present state; call after each step. @throws std::runtime_error if it cannot be
  /// written, which closes the file, and when the file is closed.
  void row();
  /// Everything reaches the file. Does nothing when it is closed. @throws std::runtime_error if
  /// not.
  void close();

  const std::string& path() const { return path_; }

 private:
  void flush();
  [[noreturn]] void fail(const char* why) const;

  const Simulation& simulation_;
  std::string path_;
  std::FILE* file_;  // null when closed
  std::vector<char> buffer_;
};

}  // namespace servosim
