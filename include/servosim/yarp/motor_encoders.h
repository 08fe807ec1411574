// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "servosim/yarp/return_value.h"

namespace servosim::yarp {

/// IMotorEncoders of a board whose motors turn as its joints do, one to one.
/// Threads: one at a time.
template <class Board>
class MotorEncoders {
 public:
  ReturnValue getNumberOfMotorEncoders(int* motors) const { return board().getAxes(motors); }
  ReturnValue getMotorEncoder(int m, double* value) const { return board().getEncoder(m, value); }
  ReturnValue getMotorEncoders(std::span<double> values) const {
    return board().getEncoders(values);
  }
  ReturnValue getMotorEncoderSpeed(int m, double* value) const {
    return board().getEncoderSpeed(m, value);
  }
  ReturnValue getMotorEncoderSpeeds(std::span<double> values) const {
    return board().getEncoderSpeeds(values);
  }
  ReturnValue getMotorEncoderAcceleration(int m, double* value) const {
    return board().getEncoderAcceleration(m, value);
  }
  ReturnValue getMotorEncoderAccelerations(std::span<double> values) const {
    return board().getEncoderAccelerations(values);
  }
  ReturnValue getMotorEncoderTimed(int m, double* value, double* time) const {
    return board().getEncoderTimed(m, value, time);
  }
  ReturnValue getMotorEncodersTimed(std::span<double> values, std::span<double> times) const {
    return board().getEncodersTimed(values, times);
  }
  ReturnValue setMotorEncoder(int m, double value) { return board().setEncoder(m, value); }
  ReturnValue setMotorEncoders(std::span<const double> values) {
    return board().setEncoders(values);
  }
  ReturnValue resetMotorEncoder(int m) { return board().resetEncoder(m); }
  ReturnValue resetMotorEncoders() { return board().resetEncoders(); }

 private:
  Board& board() { return static_cast<Board&>(*this); }
  const Board& board() const { return static_cast<const Board&>(*this); }
};

}  // namespace servosim::yarp
