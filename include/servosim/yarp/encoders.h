// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/yarp/board_interface.h"

namespace servosim::yarp {

/// Encoders of joints.
///
/// Threads: those of BoardInterface.
struct IEncodersTimed : BoardInterface {
  /// The position, with the zero that setEncoder() or a calibration has set [deg|m].
  ReturnValue getEncoder(JointSet joints, Results values) const;
  /// [deg/s|m/s]
  ReturnValue getEncoderSpeed(JointSet joints, Results values) const;
  /// The change of the speed in the last step, per time [deg/s²|m/s²].
  ReturnValue getEncoderAcceleration(JointSet joints, Results values) const;
  /// The position and the simulated time of the measurement [s].
  ReturnValue getEncoderTimed(JointSet joints, Results values, Results times) const;
  /// Makes the encoder read a value [deg|m]. No joint moves: references turn with the zero, limits
  /// stay as they are.
  ReturnValue setEncoder(JointSet joints, Values values);
  ReturnValue resetEncoder(JointSet joints);
};

/// Encoders of motors, which turn as their joints do, one to one.
///
/// Threads: those of BoardInterface.
struct IMotorEncoders : private IEncodersTimed {
  explicit IMotorEncoders(const BoardInterface& board) : IEncodersTimed{board} {}

  ReturnValue getNumberOfMotorEncoders(int* motors) const;
  ReturnValue getMotorEncoder(JointSet m, Results values) const { return getEncoder(m, values); }
  ReturnValue getMotorEncoderSpeed(JointSet m, Results values) const {
    return getEncoderSpeed(m, values);
  }
  ReturnValue getMotorEncoderAcceleration(JointSet m, Results values) const {
    return getEncoderAcceleration(m, values);
  }
  ReturnValue getMotorEncoderTimed(JointSet m, Results values, Results times) const {
    return getEncoderTimed(m, values, times);
  }
  ReturnValue setMotorEncoder(JointSet m, Values values) { return setEncoder(m, values); }
  ReturnValue resetMotorEncoder(JointSet m) { return resetEncoder(m); }
  /// The number is stored and returned; readings have no steps.
  ReturnValue getMotorEncoderCountsPerRevolution(JointSet m, Results counts) const;
  ReturnValue setMotorEncoderCountsPerRevolution(JointSet m, Values counts);
};

}  // namespace servosim::yarp
