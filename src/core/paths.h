// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace servosim {

/// What C controllers are built with and run with.
struct ControllerKit {
  std::string include_folder;  ///< holds webots/robot.h
  std::string library_folder;  ///< holds libController.so
  std::string home = {};       ///< the folder shaped like a Webots installation: WEBOTS_HOME
  /// 3 to 8: their sources call the functions as that version of Webots had them; 0: as today.
  int webots_api = 0;
};

/// The kit that belongs to this library: in the folder $SERVOSIM_HOME (shaped like a Webots
/// installation) if that is set, else in the folder `servosim` beside this library.
/// @throws std::runtime_error naming the folders looked in.
ControllerKit find_controller_kit();

/// The project whose controllers are looked for last. It may be missing.
std::string default_project_folder();

/// A program that works for this library, in the folder servosim beside it. It may be missing.
std::string helper_program_path(std::string_view name);

}  // namespace servosim
