// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace servosim {

struct CommandResult {
  bool started = false;  ///< false: there is no such program
  int wait_status = 0;   ///< as waitpid() gives it
  std::string output;    ///< standard output and error together, cut as asked

  bool succeeded() const { return started && wait_status == 0; }
};

/// Runs a program found by PATH to its end, without a shell and without input, in a process group
/// of its own. What it leaves in the background is neither waited for nor ended. SIGINT and SIGTERM
/// end the group while a SignalWatch lives.
/// @param folder  its working directory
/// @param max_lines  output beyond this is replaced by one line that counts it
/// @throws std::system_error if the program is there but cannot be started
CommandResult run_command(const std::vector<std::string>& arguments, const std::string& folder,
                          int max_lines);

}  // namespace servosim
