// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace servosim {

/// @throws std::invalid_argument naming the argument, the value and what is allowed.
[[noreturn]] void throw_invalid(const char* argument, double value, const char* allowed);

/// Throws it if `bad`.
inline void refuse(bool bad, const char* argument, double value, const char* allowed) {
  if (bad) {
    throw_invalid(argument, value, allowed);
  }
}

inline void refuse_nan(double value, const char* argument) {
  refuse(std::isnan(value), argument, value, "a number or an infinity");
}

}  // namespace servosim
