// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "core/paths.h"
#include "host/controller_finder.h"

namespace servosim {

/// The sources cannot be built; what() holds the compiler's output, if it came that far.
class BuildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BuiltController {
  std::string program;                ///< absolute path
  bool compiled = false;              ///< false: it was up to date
  std::vector<std::string> notes;     ///< what the user should know
  std::vector<std::string> warnings;  ///< said of each run, even when nothing was compiled
};

/// Makes a program of a choice of kind Sources, if there is none that was made of the same sources,
/// headers, compiler and version of servosim: beside the sources when their folder is writable,
/// else in $XDG_CACHE_HOME/servosim/controllers/. SERVOSIM_BUILD_IN_CACHE=1 always takes the
/// latter. The compiler is $CC, else cc, gcc or clang. Without any, a program that stands there is
/// used as it is.
/// @throws BuildError
BuiltController build_controller(const ControllerChoice& choice, const ControllerKit& kit);

}  // namespace servosim
