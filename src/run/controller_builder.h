// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.h"
#include "run/controller_finder.h"

namespace servosim {

/// The sources cannot be built; what() holds the compiler's output, if it came that far.
class BuildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BuiltController {
  std::string program = {};                ///< absolute path
  bool compiled = false;                   ///< false: it was up to date
  std::vector<std::string> notes = {};     ///< for the user
  std::vector<std::string> warnings = {};  ///< of each run, even when nothing was compiled
  /// Folders with libraries of the project, where they were built elsewhere than in the project.
  std::vector<std::string> library_folders = {};
};

/// Makes a program of a choice of kind Sources, if it is not up to date: by `make` in a folder with
/// a Makefile, with the libraries of its project before. A single source, or a folder without
/// Makefile, or any without `make`, is compiled in one go unless there is a program that was made
/// of the same sources, headers, compiler and version of servosim. The compiler is $CC, else cc,
/// gcc or clang. Without any, a program that stands there is used as it is.
///
/// The program is beside the sources when their folder is writable, else in
/// make_cache_folder("controllers"), as always with SERVOSIM_BUILD_IN_CACHE=1.
/// @throws BuildError
BuiltController build_controller(const ControllerChoice& choice, const ControllerKit& kit);

}  // namespace servosim
