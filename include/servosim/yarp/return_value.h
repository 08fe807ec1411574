// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace servosim::yarp {

/// Why the board did not do what was asked.
///
/// Threads: a plain value.
enum class Status : std::uint8_t {
  Ok,
  /// There is no such joint, or the number of values is not that of the joints.
  OutOfRange,
  /// A number is not finite, beyond 1e12, or not a value of this kind.
  BadValue,
  /// This joint, or every simulated one, cannot do it.
  NotAvailable,
  /// The joint's mode does not accept this command. The command is dropped, and a warning is
  /// printed.
  WrongMode,
  /// The status of the joint forbids it: a fault, a calibration, or no configuration.
  Refused,
};

/// Whether the board has done what was asked, and if not, why. For several joints it has the first
/// refusal other than WrongMode, or else WrongMode if a joint gave it. The joints that did not
/// refuse have done it.
///
/// Threads: a plain value.
struct ReturnValue {
  Status status = Status::Ok;

  // True if it was done. The conversion is implicit, as in YARP's class of this name.
  operator bool() const { return status == Status::Ok; }
  /// Adds the result of a further joint, by the rule above.
  ReturnValue& operator&=(ReturnValue other) {
    if (!other && (*this || status == Status::WrongMode)) {
      status = other.status;
    }
    return *this;
  }
};

}  // namespace servosim::yarp
