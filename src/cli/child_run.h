// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace servosim {

/// What a run of a world has left that was a process of its own.
struct ChildRun {
  nlohmann::ordered_json run;  ///< of the document of `run --json`; null: there is none
  std::string errors;          ///< what it told
  int wait_status = 0;
};

/// Runs `servosim run --json` with these arguments. SIGINT and SIGTERM end it while a SignalWatch
/// lives, and so does the end of this process, even by SIGKILL.
/// @throws std::system_error if it cannot be started
ChildRun run_child(const std::vector<std::string>& arguments);

/// The last line of a text, without its end.
std::string last_line(const std::string& text);

}  // namespace servosim
