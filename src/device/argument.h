// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace servosim {

/// @throws std::invalid_argument naming the argument, the value and what is allowed, if `bad`.
void refuse(bool bad, const char* argument, double value, const char* allowed);

inline void refuse_nan(double value, const char* argument) {
  refuse(std::isnan(value), argument, value, "a number or an infinity");
}

}  // namespace servosim
