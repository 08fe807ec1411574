// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.h"
#include "run/controller_finder.h"

namespace servosim {

/// The sources cannot be built. what() has the compiler's output, if it was started.
class BuildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BuiltController {
  std::string program = {};                ///< absolute path
  bool compiled = false;                   ///< false if the program was up to date
  std::vector<std::string> notes = {};     ///< for the user
  std::vector<std::string> warnings = {};  ///< for each run, even when nothing was compiled
  /// Folders with libraries of the project if they were built outside of the project.
  std::vector<std::string> library_folders = {};
};

/// Builds the program of a choice of kind Sources if it is not up to date. In a folder with a
/// Makefile `make` does this, for the libraries of the project first. A single source, a folder
/// without a Makefile, or any sources if there is no `make`, are compiled by one command, unless
/// there is a program that was built from the same sources and headers with the same compiler and
/// version of servosim. The compiler is $CC, else cc, gcc or clang. If there is none, an existing
/// program is used.
///
/// The program is next to the sources if their folder is writable. Otherwise, and always with
/// SERVOSIM_BUILD_IN_CACHE=1, it is in make_cache_folder("controllers").
/// @throws BuildError
BuiltController build_controller(const ControllerChoice& choice, const ControllerKit& kit);

}  // namespace servosim
