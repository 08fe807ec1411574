// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/arguments.h"

namespace servosim {

/// Exit codes of the program that do not come from a run.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;

/// What the command line asks for; returns the exit code.
using Action = std::function<int()>;

// Each declares one subcommand; when the user chooses it, `action` becomes what it does.
void add_check(CLI::App& app, Action& action);
void add_fields(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_yarp(CLI::App& app, Action& action);
void add_srvp(CLI::App& app, Action& action);

}  // namespace servosim
