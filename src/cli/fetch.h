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

/// Downloads what the worlds lack, one world after the other, and prints a line for each file; if
/// `quiet`, only for files that cannot be downloaded. It prints nothing about an invalid world,
/// since the run of that world does.
/// @returns the exit code of `servosim fetch`, or that of a signal
int fetch_before_run(const FetchBeforeRun& arguments, const std::vector<std::string>& worlds,
                     const std::vector<std::string>& proto_paths,
                     const std::vector<std::string>& assets, bool quiet, Console& console);

}  // namespace servosim
