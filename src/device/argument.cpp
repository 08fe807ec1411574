// SPDX-License-Identifier: Apache-2.0
#include "device/argument.h"

#include <fmt/format.h>

#include <stdexcept>

namespace servosim {

void refuse(bool bad, const char* argument, double value, const char* allowed) {
  if (bad) {
    throw std::invalid_argument(fmt::format("{} is {}; it must be {}", argument, value, allowed));
  }
}

}  // namespace servosim
