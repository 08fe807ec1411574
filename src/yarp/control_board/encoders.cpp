// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/encoders.h"

#include "servosim/yarp/motion.h"
#include "yarp/control_board/joint_call.h"

namespace servosim::yarp {

ReturnValue IEncodersTimed::getEncoder(JointSet joints, Results values) const {
  return on(joints, values).sense(&JointMeasurement::position);
}

ReturnValue IEncodersTimed::getEncoderSpeed(JointSet joints, Results values) const {
  return on(joints, values).sense(&JointMeasurement::velocity);
}

ReturnValue IEncodersTimed::getEncoderAcceleration(JointSet joints, Results values) const {
  return on(joints, values).sense([](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.encoder.acceleration_at(now);
  });
}

ReturnValue IEncodersTimed::getEncoderTimed(JointSet joints, Results values, Results times) const {
  return on(joints, values, times).look([this](const BoardAxis& axis, double& value, double& time) {
    const JointMeasurement now = board().measured(axis);
    value = now.position;
    time = now.time;
  });
}

ReturnValue IEncodersTimed::setEncoder(JointSet joints, Values values) {
  return on(joints, values).write("setEncoder", [this](BoardAxis& axis, double value) {
    axis.joint.set_encoder(value, board().measured(axis));
  });
}

ReturnValue IEncodersTimed::resetEncoder(JointSet joints) {
  return on(joints).change(
      [this](BoardAxis& axis) { axis.joint.set_encoder(0.0, board().measured(axis)); });
}

ReturnValue IMotorEncoders::getNumberOfMotorEncoders(int* motors) const {
  return IPositionControl{*this}.getAxes(motors);
}

ReturnValue IMotorEncoders::getMotorEncoderCountsPerRevolution(JointSet m, Results counts) const {
  return on(m, counts).read(&JointParameters::counts_per_revolution);
}

ReturnValue IMotorEncoders::setMotorEncoderCountsPerRevolution(JointSet m, Values counts) {
  return on(m, counts).write("setMotorEncoderCountsPerRevolution",
                             &JointParameters::counts_per_revolution);
}

}  // namespace servosim::yarp
