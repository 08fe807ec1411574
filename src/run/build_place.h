// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/scoped.h"
#include "run/controller_finder.h"

namespace servosim {

/// The sources cannot be built; what() holds the compiler's output, if it came that far.
class BuildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Held by one process at a time; where folders cannot be locked, by all: then each builds, which
/// the rename at the end allows for.
class FolderLock {
 public:
  /// @throws BuildError after SIGINT or SIGTERM
  explicit FolderLock(const std::string& folder);

 private:
  Descriptor folder_;  // closing it unlocks
};

/// Whether a controller may be built where its sources are: its folder can be written, no data is
/// in the way, and SERVOSIM_BUILD_IN_CACHE=1 does not forbid it.
bool may_build_beside(const ControllerChoice& choice);

/// Where a single program goes that may not stand beside its sources, below
/// $XDG_CACHE_HOME/servosim/controllers/. @throws BuildError if nothing says where that is
std::string cached_program(const ControllerChoice& choice);

/// Where `make` builds a controller, and the libraries of its project.
struct MakePlace {
  std::string folder;                  ///< of the controller
  std::vector<std::string> libraries;  ///< folders in the project's libraries/, sorted
  bool mirrored = false;               ///< not where the sources are
};

/// The controller's own folder, if it may be built there; else one in the cache, in a copy of the
/// project made of links, in which what a Makefile names by relative paths is where it should be.
/// @throws BuildError, std::filesystem::filesystem_error
MakePlace make_place(const ControllerChoice& choice);

}  // namespace servosim
