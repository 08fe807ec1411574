// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim::yarp {

/// Threads: a plain value.
enum class Status : std::uint8_t {
  Ok,
  OutOfRange,    ///< no such joint, or not as many values as joints
  BadValue,      ///< not finite, or not a value of this kind
  NotAvailable,  ///< this joint cannot do it
  WrongMode,     ///< a command that the joint's mode does not accept: dropped, with a warning
  Refused,       ///< the joint's status forbids it: a fault, a calibration, no configuration
};

/// Whether the board executed the request, and if not, why. Of several joints: the first refusal
/// other than WrongMode, else WrongMode if a joint gave it; the other joints did it.
///
/// Threads: a plain value.
struct ReturnValue {
  Status status = Status::Ok;

  operator bool() const { return status == Status::Ok; }  // as YARP's
  ReturnValue& operator&=(ReturnValue other) {
    if (!other && (*this || status == Status::WrongMode)) {
      status = other.status;
    }
    return *this;
  }
};

}  // namespace servosim::yarp
