// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/console.h"

namespace servosim {

/// Exit codes of the program that do not come from a run.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;

struct CheckArguments {
  std::vector<std::string> worlds;
  std::vector<std::string> proto_paths;
  bool strict = false;  ///< warnings count as errors
};

/// `servosim check`: prints what is wrong with some worlds; returns the exit code.
int check(const CheckArguments& arguments);

struct RunArguments {
  std::string world;
  std::optional<double> duration;  ///< [s]; finite, >= 0
  std::optional<std::int64_t> steps;
  std::vector<std::string> controllers;      ///< ROBOT=PROGRAM
  std::optional<double> controller_timeout;  ///< [s]; finite, > 0
  std::string trace;
  std::vector<std::string> proto_paths;
  std::optional<std::int64_t> seed;
  std::string compat;  ///< "webots" or empty
  bool quiet = false;
  LogLevel log_level = LogLevel::Info;
};

/// `servosim run`: simulates a world with its controllers; returns the exit code.
int run(const RunArguments& arguments);

}  // namespace servosim
