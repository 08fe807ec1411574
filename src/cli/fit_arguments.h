// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_arguments.h"
#include "servosim/simulation.h"

namespace servosim {

/// How `servosim fit` searches.
struct FitSearchArguments {
  std::int64_t starts = 3;
  std::int64_t generations = 300;
  std::int64_t seed = 1;
};

/// What the command line of `servosim fit` says.
struct FitArguments {
  std::vector<std::string> logs;
  std::vector<std::string> kept;
  std::string servo;
  std::vector<std::string> servo_paths;
  std::vector<std::string> proto_paths;
  std::vector<std::string> assets;
  std::vector<std::string> allow_missing;
  std::string rig = "pendulum";
  std::string joint;
  IntegratorArguments integrator;  // of a rig that is a world
  std::string columns;
  std::string gains;
  std::optional<double> supply;
  std::string output;
  std::string check;
  std::string report;
  std::string apply;  // WORLD:robot/joint
  std::vector<std::string> models;
  std::vector<std::string> free;
  std::vector<std::string> fixed;
  std::string load = "transmitted";
  FitSearchArguments search;
  std::optional<std::int64_t> jobs;
  bool json = false;
};

/// Returns how a world is loaded: by the arguments, else by the servosim.toml of its project.
/// @throws ProjectFileError
LoadOptions world_options(const FitArguments& arguments, const std::string& world);

/// Returns the words of lists such as `M1,M6`, without blanks.
std::vector<std::string> words_of_lists(const std::vector<std::string>& lists);

}  // namespace servosim
