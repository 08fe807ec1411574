// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace servosim {

/// A call that the C API refuses. what() is the text after `Error: wb_x(): `; it is empty if it was
/// printed before.
class CallError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call for which the simulation would be needed, which is over for this robot.
class SimulationOver : public CallError {
 public:
  using CallError::CallError;
};

}  // namespace servosim
