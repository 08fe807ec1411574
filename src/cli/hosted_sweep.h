// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "run/launch_plan.h"
#include "sweep/sweep.h"

namespace servosim {

struct HostedSweepOptions {
  std::vector<ControllerOverride> controllers;
  std::vector<std::string> arguments;  ///< arguments of `servosim run` for all runs
};

/// The runs of a sweep whose robots have controller programs. Each run is a `servosim run` of its
/// own.
///
/// Threads: several may call run() at once.
class HostedSweep {
 public:
  /// `sweep` must outlive this object. @throws InputError for an option that names no robot of the
  /// world, and for controllers that must be started from outside
  HostedSweep(const Sweep& sweep, HostedSweepOptions options);

  /// Returns whether a robot has a controller.
  bool is_needed() const { return needed_; }
  /// Returns what affects the runs but is in no option: the contents of the controllers.
  const std::string& contents() const { return contents_; }
  /// Returns the row of a run; nothing if a signal has ended it. @throws Shortage
  std::optional<SweepRow> run(const SweepRun& run) const;

 private:
  std::vector<std::string> arguments_of(const SweepRun& run) const;
  void fill(SweepRow& row, const nlohmann::ordered_json& run) const;
  void put(SweepRow& row, const std::string& column, const nlohmann::ordered_json& value) const;
  std::string message_of(const SweepRun& run, const nlohmann::ordered_json& json,
                         const std::string& errors, std::int64_t exit_code) const;

  const Sweep& sweep_;
  HostedSweepOptions options_;
  std::map<std::string, std::size_t> columns_;
  bool needed_ = false;
  std::string contents_;
};

}  // namespace servosim
