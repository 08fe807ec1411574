// SPDX-License-Identifier: Apache-2.0
#include "device/argument.h"

#include <fmt/format.h>

#include <stdexcept>

namespace servosim {

void throw_invalid(const char* argument, double value, const char* allowed) {
  throw std::invalid_argument(fmt::format("{} is {}; it must be {}", argument, value, allowed));
}

}  // namespace servosim
