// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/cli11_fwd.h"

// How the command line explains itself: --help, and what is wrong with the arguments.

namespace servosim {

/// Makes the pages of --help, in lines of at most kTextWidth columns.
std::shared_ptr<CLI::FormatterBase> help_page();

/// `servosim run [OPTION]... WORLD...`
std::string usage_line(const CLI::App& command);

/// What is wrong with a first argument that is no subcommand, and what may be meant.
std::string no_such_subcommand(const CLI::App& app, const std::string& argument);
/// The error of CLI11 as a sentence that ends with what to do next.
std::string complaint(const CLI::App& app, const CLI::ParseError& error);

}  // namespace servosim
