// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.h"

namespace servosim {

/// Declares the subcommand `controller`, as those of commands.h.
void add_controller(CLI::App& app, Action& action);

}  // namespace servosim
