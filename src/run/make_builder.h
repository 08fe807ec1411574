// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/controller_builder.h"

namespace servosim {

/// The program $MAKE, else make or gmake; empty if there is none.
std::string find_make();

/// Brings a controller with a Makefile up to date, and before it the libraries of its project, by
/// the Makefiles themselves. WEBOTS_HOME is our folder then, whatever they say.
/// @throws BuildError
BuiltController make_controller(const ControllerChoice& choice, const ControllerKit& kit,
                                const std::string& make);

}  // namespace servosim
