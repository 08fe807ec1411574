// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli11_fwd.h"
#include "cli/live_part.h"
#include "cli/run_extern.h"
#include "cli/run_several.h"
#include "host/console.h"

namespace servosim {

/// What `servosim run` was asked for.
struct RunArguments {
  std::vector<std::string> worlds;
  std::optional<double> duration;  // [s]; finite, >= 0
  std::optional<std::int64_t> steps;
  std::vector<std::string> controllers;      // ROBOT=PROGRAM
  std::optional<double> controller_timeout;  // [s]; finite, > 0
  double end_timeout = 1.0;                  // [s]; finite, >= 0
  bool stop_on_failure = false;
  ExternArguments extern_controllers;
  TraceTarget trace;
  std::vector<std::string> watch;  // globs
  std::vector<std::string> proto_paths;
  std::optional<std::int64_t> seed;
  std::optional<double> step_memory;  // [GB]; > 0, at most kMostStepMemory
  std::string compat;                 // "webots" or empty
  std::optional<std::int64_t> jobs;
  std::optional<std::int64_t> copies;     // of each world
  std::string mode;                       // "realtime", "fast" or empty
  std::optional<double> realtime_factor;  // finite, > 0
  bool quiet = false;
  std::string log_level;  // a name, or empty
  std::vector<std::unique_ptr<LivePart>> live = live_parts();

  /// Somebody outside takes part.
  bool is_live() const;
  /// Of real time; nothing: as fast as possible. @throws InputError for a contradiction
  std::optional<double> factor() const;
  LogLevel wanted_log_level() const;
};

/// Declares the arguments, and says in --help what they do.
void add_run_arguments(CLI::App& command, RunArguments& arguments);

}  // namespace servosim
