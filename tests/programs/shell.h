// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

// What a person does at a prompt: commands of bash, and the pages they read there.

namespace servosim::test {

struct ShellResult {
  int status = 0;  ///< exit status; -1: it could not be started
  std::string output;
};

/// Runs a script with bash in a folder. There `servosim` is the program under test, whose exit
/// status goes to the file `status`.
ShellResult shell(const std::string& script, const std::filesystem::path& folder);

/// `--help` of a command; of the program itself without one.
std::string help_of(const std::string& command);
/// In the order of the help; "" for the program itself is the first.
std::vector<std::string> commands();
/// `-o`, `--output` ... as the help lists them.
std::set<std::string> options_in_help(const std::string& command);

/// The repository's, into a folder that is there.
void copy_worlds_and_controllers(const std::filesystem::path& folder);
/// Runs each line in a copy of the repository's worlds and controllers; all must end with 0.
void expect_to_work(const std::vector<std::string>& examples);

}  // namespace servosim::test
