// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/encoders.h"

#include "servosim/yarp/motion.h"
#include "yarp/control_board/interface_calls.h"

namespace servosim::yarp {

ReturnValue IEncodersTimed::getEncoder(JointSet joints, Results values) const {
  return sense(board(), joints, values,
               [](const BoardJoint&, const JointMeasurement& now) { return now.position; });
}

ReturnValue IEncodersTimed::getEncoderSpeed(JointSet joints, Results values) const {
  return sense(board(), joints, values,
               [](const BoardJoint&, const JointMeasurement& now) { return now.velocity; });
}

ReturnValue IEncodersTimed::getEncoderAcceleration(JointSet joints, Results values) const {
  return sense(board(), joints, values, [](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.encoder.acceleration_at(now);
  });
}

ReturnValue IEncodersTimed::getEncoderTimed(JointSet joints, Results values, Results times) const {
  return look_at(
      board(), joints,
      [this](const BoardAxis& axis, double& value, double& time) {
        const JointMeasurement now = board().measured(axis);
        value = now.position;
        time = now.time;
      },
      values, times);
}

ReturnValue IEncodersTimed::setEncoder(JointSet joints, Values values) {
  return write(
      board(), joints, "setEncoder",
      [this](BoardAxis& axis, double value) {
        axis.joint.set_encoder(value, board().measured(axis));
      },
      values);
}

ReturnValue IEncodersTimed::resetEncoder(JointSet joints) {
  return change(board(), joints,
                [this](BoardAxis& axis) { axis.joint.set_encoder(0.0, board().measured(axis)); });
}

ReturnValue IMotorEncoders::getNumberOfMotorEncoders(int* motors) const {
  return IPositionControl(board()).getAxes(motors);
}

ReturnValue IMotorEncoders::getMotorEncoderCountsPerRevolution(JointSet m, Results counts) const {
  return read(board(), m, counts, &JointParameters::counts_per_revolution);
}

ReturnValue IMotorEncoders::setMotorEncoderCountsPerRevolution(JointSet m, Values counts) {
  return write(board(), m, "setMotorEncoderCountsPerRevolution", counts,
               &JointParameters::counts_per_revolution);
}

}  // namespace servosim::yarp
