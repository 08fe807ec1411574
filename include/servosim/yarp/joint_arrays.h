// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "servosim/yarp/board_config.h"
#include "servosim/yarp/joint_loops.h"

namespace servosim::yarp {

/// The functions of IEncodersTimed and IPidControl for all joints of a board, or for a group, whose
/// names are not those for one joint. Units, errors and the rest are theirs: see ControlBoard.
///
/// Threads: one at a time.
template <class Board>
class JointArrays : protected JointLoops<Board> {
 public:
  using Joints = std::span<const int>;
  using Values = std::span<const double>;
  using Results = std::span<double>;

  // IEncoders
  ReturnValue getEncoders(Results values) const { return this->each(&Board::getEncoder, values); }
  ReturnValue getEncoders(Joints joints, Results values) const {
    return this->each(&Board::getEncoder, joints, values);
  }
  ReturnValue getEncoderSpeeds(Results values) const {
    return this->each(&Board::getEncoderSpeed, values);
  }
  ReturnValue getEncoderSpeeds(Joints joints, Results values) const {
    return this->each(&Board::getEncoderSpeed, joints, values);
  }
  ReturnValue getEncoderAccelerations(Results values) const {
    return this->each(&Board::getEncoderAcceleration, values);
  }
  ReturnValue getEncoderAccelerations(Joints joints, Results values) const {
    return this->each(&Board::getEncoderAcceleration, joints, values);
  }
  ReturnValue setEncoders(Values values) { return this->each(&Board::setEncoder, values); }

  // IPidControl; `type` is a VOCAB_PIDTYPE_….
  ReturnValue setPids(vocab32_t type, std::span<const Pid> pids) {
    return this->each(&Board::setPid, type, pids);
  }
  ReturnValue getPids(vocab32_t type, std::span<Pid> pids) const {
    return this->each(&Board::getPid, type, pids);
  }
  ReturnValue setPidReferences(vocab32_t type, Values references) {
    return this->each(&Board::setPidReference, type, references);
  }
  ReturnValue getPidReferences(vocab32_t type, Results references) const {
    return this->each(&Board::getPidReference, type, references);
  }
  ReturnValue getPidErrors(vocab32_t type, Results errors) const {
    return this->each(&Board::getPidError, type, errors);
  }
  ReturnValue getPidOutputs(vocab32_t type, Results outputs) const {
    return this->each(&Board::getPidOutput, type, outputs);
  }
  ReturnValue setPidErrorLimits(vocab32_t type, Values limits) {
    return this->each(&Board::setPidErrorLimit, type, limits);
  }
  ReturnValue getPidErrorLimits(vocab32_t type, Results limits) const {
    return this->each(&Board::getPidErrorLimit, type, limits);
  }
};

}  // namespace servosim::yarp
