// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace servosim {

/// The results of a run in a process of its own.
struct ChildRun {
  nlohmann::ordered_json run;  ///< from the document of `run --json`; null if there is none
  std::string errors;          ///< the messages of the run
  int wait_status = 0;
};

/// Runs `servosim run --json` with these arguments and keeps the first `max_lines` lines of its
/// messages, which include the output of controllers. SIGINT and SIGTERM end it while a SignalWatch
/// exists, and so does the end of this process, even by SIGKILL.
/// @throws std::system_error if it cannot be started
ChildRun run_child(const std::vector<std::string>& arguments, int max_lines = 40);

/// Returns the last line of a text, without its line break.
std::string last_line(const std::string& text);

}  // namespace servosim
