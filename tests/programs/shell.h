// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

// A user at a prompt: commands of bash, and the help that the user reads there.

namespace servosim::test {

struct ShellResult {
  int status = 0;  ///< exit status, or -1 if it could not be started
  std::string output;
};

/// Runs a script with bash in a folder. In the script `servosim` is the program under test, whose
/// exit status goes to the file `status`.
ShellResult shell(const std::string& script, const std::filesystem::path& folder);

/// Returns `--help` of a command, or of the program itself for "".
std::string help_of(const std::string& command);
/// Returns the commands in the order of the help, after "" for the program itself.
std::vector<std::string> commands();
/// Returns `-o`, `--output` and so on, as the help lists them.
std::set<std::string> options_in_help(const std::string& command);

/// Copies those of the repository into an existing folder.
void copy_worlds_and_controllers(const std::filesystem::path& folder);
/// Runs each line in a copy of the repository's worlds and controllers. All of them must end with
/// 0.
void expect_to_work(const std::vector<std::string>& examples);

}  // namespace servosim::test
