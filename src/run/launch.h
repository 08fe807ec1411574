// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "run/controller_builder.h"
#include "run/controller_finder.h"
#include "run/controller_process.h"

namespace servosim {

/// Whom a controller is started for.
struct ControllerSite {
  std::string robot;          ///< its name; empty if that is not known
  std::string project;        ///< folder that holds controllers/ and perhaps libraries/, or empty
  std::string proto_project;  ///< the same of the PROTO the robot comes from, or empty
  std::vector<std::string> arguments;
};

struct Launch {
  LaunchSpec spec;
  std::vector<std::string> warnings;  ///< without the robot's name
};

/// How to start a controller, built if it was of kind Sources: with the environment that Webots
/// gives it, and what its runtime.ini asks for.
/// @throws std::runtime_error if it needs Python, and there is none
Launch make_launch(const ControllerChoice& choice, const BuiltController& built,
                   const ControllerSite& site, const ControllerKit& kit);

}  // namespace servosim
