// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/cli11_fwd.h"

// What several subcommands need to declare their arguments.

namespace servosim {

/// Accepts a finite number above 0, or also 0.
CLI::Validator finite_number(bool zero_allowed);
/// Accepts a number above 0, up to `most`.
CLI::Validator positive_number(double most);
/// Accepts `least` ... 10^18.
CLI::Validator whole_number(int least = 0);

/// A time-out of an option: not below `seconds`, at most 1e9 s.
std::chrono::milliseconds milliseconds(double seconds);

/// An option that takes one of a few words.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        const std::vector<std::string>& words, const std::string& help);
/// An option that may be given several times, with one value each.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name,
                            std::vector<std::string>& values, const std::string& help);
/// `--proto-path DIR`
void add_proto_path(CLI::App& command, std::vector<std::string>& folders);

}  // namespace servosim
