// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "base/limits.h"
#include "yarp/protocol/message.h"

namespace servosim::yarp::server {

/// When a server publishes: once per period of the time that its clients see.
class OutputSchedule {
 public:
  /// `period` [s]; > 0
  explicit OutputSchedule(double period) : period_(period) {}

  /// Returns whether a message is due at this time [s]. Call it once after each step. stamp() is
  /// then that of the message.
  bool due(double time) {
    if (time < last_) {  // the first step, or time has gone back
      due_ = time;
    }
    last_ = time;
    if (!is_due(1e3 * time, 1e3 * due_)) {
      return false;
    }
    due_ += period_;
    if (is_due(1e3 * time, 1e3 * due_)) {  // for steps that are longer than the period
      due_ = time + period_;
    }
    ++sequence_;
    return true;
  }
  Stamp stamp() const { return {sequence_number(sequence_), last_}; }

 private:
  double period_;
  double last_ = std::numeric_limits<double>::infinity();  // time of the last call [s]
  double due_ = 0.0;                                       // [s]
  std::uint32_t sequence_ = 0;
};

}  // namespace servosim::yarp::server
