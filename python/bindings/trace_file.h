// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.h"
#include "servosim/simulation.h"

namespace servosim {
class Trace;
}

namespace servosim::python {

class SimulationObject;

/// A trace cannot be written; OSError in Python.
class TraceFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A trace that a simulation writes. A process that was forked since it began does not write it:
/// the thread that writes stays behind.
class TraceFile {
 public:
  /// `owner` must outlive it, or close it. @throws TraceFailed, and std::invalid_argument as Trace
  TraceFile(SimulationObject& owner, const std::string& path,
            const std::vector<std::string>& watch);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const std::string& path() const { return path_; }
  bool is_closed() const { return trace_ == nullptr; }
  /// The same. @throws InUseError of Python while the simulation is in use
  bool closed() const;
  /// @throws std::runtime_error in a process that was forked since it began
  void check_process() const;
  /// Adds the present state; without Python's lock. @throws TraceFailed, and it is closed then
  void row();
  void episode();
  /// @throws TraceFailed if not all could be written, InUseError of Python
  void close();
  /// The same; an error is only reported.
  void close_at_end();

 private:
  bool is_of_another_process() const;

  void finish();

  std::weak_ptr<SimulationObject> owner_;
  std::string path_;
  std::unique_ptr<Trace> trace_;  // null: closed
  std::uint64_t forks_;           // of this process when it began
};

}  // namespace servosim::python
