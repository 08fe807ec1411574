// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "servosim/motor.h"

namespace servosim {

/// Returns the reading of a motor that is no servo: all numbers are NaN.
inline ServoReading unmeasured_servo() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, false, kNaN};
}

}  // namespace servosim
