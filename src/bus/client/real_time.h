// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bus/client/remote_servo.h"

namespace servosim::bus {

/// Finds out whether the time of a servo is that of this computer, as on every real bus. On a
/// simulated one only exchanges may let time pass, so that times and speeds of a log would be
/// wrong.
///
/// A servo with a clock that clients can read is asked twice. Of another one no answer may come
/// sooner than its bytes take on the line.
/// @param baud  the speed that the register of the servo means [bit/s]; > 0
/// @return what is wrong and what to do, as one line; empty if nothing is
std::string real_time_fault(RemoteServo& servo, double baud);

}  // namespace servosim::bus
