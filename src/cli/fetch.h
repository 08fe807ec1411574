// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/console.h"

namespace CLI {
class App;
}

namespace servosim {

/// The options of `servosim fetch` that `run` accepts.
struct FetchBeforeRun {
  bool wanted = false;
  std::string accepted;  ///< "webots" or empty
  std::string mirror;    ///< an address; empty if there is none
};

/// Declares `--fetch`, and `--accept-licence` and `--mirror`, which need it.
void add_fetch_before_run(CLI::App& command, FetchBeforeRun& arguments);

/// Downloads what the worlds lack, one after the other, with a line for each file; when `quiet`,
/// only for those that cannot be had. Of a world that is wrong it prints nothing: its run does.
/// @returns the exit code of `servosim fetch`, or that of a signal
int fetch_before_run(const FetchBeforeRun& arguments, const std::vector<std::string>& worlds,
                     const std::vector<std::string>& proto_paths,
                     const std::vector<std::string>& assets, bool quiet, Console& console);

}  // namespace servosim
