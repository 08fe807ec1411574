// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "servosim/solver.h"

namespace servosim {

/// A table such as `[servo."arm/*"]` of the file servosim.toml.
struct ProjectServo {
  std::string glob;                  ///< matches names of motors and joints, see name_matches()
  std::optional<std::string> model;  ///< begins a ServoChoice; empty: no servo
  std::vector<std::pair<std::string, std::string>> values;  ///< keys and values of a ServoChoice
  int line = 1;
  int column = 1;
};

/// What the file servosim.toml of a project says about servos, and about how bodies move.
struct ProjectServos {
  std::string path;
  std::string text;                  ///< of the file; empty if there is none
  std::vector<std::string> folders;  ///< `servo_path`, as absolute paths
  std::vector<ProjectServo> servos;  ///< in the order of the file
  std::optional<Integrator> integrator;
  std::optional<int> evaluations;  ///< 0 to kMaxEvaluations
  std::optional<double> accuracy;  ///< 0 to kMaxAccuracy [rad|m]
};

/// Reads servosim.toml in the folder of a project.
/// @throws TomlError if there is such a file and it is no TOML, or says something about servos
///   or how bodies move that has no meaning
ProjectServos read_project_servos(const std::string& project);

}  // namespace servosim
