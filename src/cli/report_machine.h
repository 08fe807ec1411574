// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

// What a maintainer has to know about the computer of a person who reports a problem.

namespace servosim {

/// Returns how the program was built: its compiler and options.
nlohmann::ordered_json build_json();

/// Returns the system, the processor and the memory, the compiler for controllers, and the files of
/// the libraries that the process has loaded, whose names have their versions. It does not ask for
/// the names of the computer, of users or of networks.
nlohmann::ordered_json machine_json();

/// Returns the variables of the environment whose names begin with SERVOSIM_ or WEBOTS_, without
/// values that look like secrets and without the host of WEBOTS_CONTROLLER_URL.
nlohmann::ordered_json environment_json();

}  // namespace servosim
