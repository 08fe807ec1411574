// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fit/servo_log.h"

// What the header of a log says of the servo and the bench, as keys and values.

namespace servosim {

/// Returns whether the value of this key has to be a number, such as `kp` or `mass`.
bool is_number_of_header(std::string_view key);

/// Adds a key and its value, which may be a number with a unit and a remark: `7.4 V (measured)`.
/// @param place  of the line or file, for a message
/// @throws std::invalid_argument if the key needs a number and the value is none
void add_header_text(const std::string& key, std::string_view value, const std::string& place,
                     ServoLog& log);

/// Adds what a line `# key = value` says; other comments say nothing.
/// @param number  of the line
void add_header_line(std::string_view comment, std::size_t number, ServoLog& log);

}  // namespace servosim
