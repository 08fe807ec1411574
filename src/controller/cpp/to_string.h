// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace webots {

/// The text of a function of the C API, which is NULL after an error.
inline std::string to_string(const char *text) { return text != nullptr ? text : ""; }

}  // namespace webots
