// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "servosim/yarp/return_value.h"

namespace servosim::yarp {

/// Functions of a board by the names that other versions of YARP have for them: IOpenLoopControl of
/// 2.3 [% of duty cycle], and what YARP 4 renamed in IPositionControl and IVelocityControl.
///
/// Threads: one at a time.
template <class Board>
class OtherNames {
 public:
  using Joints = std::span<const int>;
  using Values = std::span<const double>;
  using Results = std::span<double>;

  // YARP 2.3
  ReturnValue setRefOutput(int j, double percent) { return board().setRefDutyCycle(j, percent); }
  ReturnValue setRefOutputs(Values percents) { return board().setRefDutyCycles(percents); }
  ReturnValue getRefOutput(int j, double* percent) const {
    return board().getRefDutyCycle(j, percent);
  }
  ReturnValue getRefOutputs(Results percents) const { return board().getRefDutyCycles(percents); }
  ReturnValue getOutput(int j, double* percent) const { return board().getDutyCycle(j, percent); }
  ReturnValue getOutputs(Results percents) const { return board().getDutyCycles(percents); }

  // YARP 4
  ReturnValue setTrajSpeed(int j, double speed) { return board().setRefSpeed(j, speed); }
  ReturnValue setTrajSpeeds(Values speeds) { return board().setRefSpeeds(speeds); }
  ReturnValue setTrajSpeeds(Joints joints, Values speeds) {
    return board().setRefSpeeds(joints, speeds);
  }
  ReturnValue getTrajSpeed(int j, double* speed) const { return board().getRefSpeed(j, speed); }
  ReturnValue getTrajSpeeds(Results speeds) const { return board().getRefSpeeds(speeds); }
  ReturnValue getTrajSpeeds(Joints joints, Results speeds) const {
    return board().getRefSpeeds(joints, speeds);
  }
  ReturnValue setTrajAcceleration(int j, double acceleration) {
    return board().setRefAcceleration(j, acceleration);
  }
  ReturnValue setTrajAccelerations(Values accelerations) {
    return board().setRefAccelerations(accelerations);
  }
  ReturnValue setTrajAccelerations(Joints joints, Values accelerations) {
    return board().setRefAccelerations(joints, accelerations);
  }
  ReturnValue getTrajAcceleration(int j, double* acceleration) const {
    return board().getRefAcceleration(j, acceleration);
  }
  ReturnValue getTrajAccelerations(Results accelerations) const {
    return board().getRefAccelerations(accelerations);
  }
  ReturnValue getTrajAccelerations(Joints joints, Results accelerations) const {
    return board().getRefAccelerations(joints, accelerations);
  }
  ReturnValue getTargetVelocity(int j, double* speed) const {
    return board().getRefVelocity(j, speed);
  }
  ReturnValue getTargetVelocities(Results speeds) const { return board().getRefVelocities(speeds); }
  ReturnValue getTargetVelocities(Joints joints, Results speeds) const {
    return board().getRefVelocities(joints, speeds);
  }

 private:
  Board& board() { return static_cast<Board&>(*this); }
  const Board& board() const { return static_cast<const Board&>(*this); }
};

}  // namespace servosim::yarp
