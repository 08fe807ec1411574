// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/modes.h"

#include <fmt/format.h>

#include "yarp/control_board/joint_call.h"

namespace servosim::yarp {

ReturnValue IControlMode::setControlMode(JointSet joints, PerJoint<const vocab32_t> modes) {
  return on(joints, modes).change([this](const BoardAxis& axis, vocab32_t mode) {
    const int j = axis.number;
    if (mode != VOCAB_CM_IMPEDANCE_POS && mode != VOCAB_CM_IMPEDANCE_VEL) {
      return board().set_mode(j, mode);
    }
    board().warn(j, {"setControlMode", Status::Ok},
                 fmt::format("control mode \"{}\" is deprecated; set the mode and the "
                             "interaction mode \"comp\"",
                             to_string(mode)));
    const ReturnValue result =
        board().set_mode(j, mode == VOCAB_CM_IMPEDANCE_POS ? VOCAB_CM_POSITION : VOCAB_CM_VELOCITY);
    return result ? board().set_interaction(j, VOCAB_IM_COMPLIANT) : result;
  });
}

ReturnValue IControlMode::getControlMode(JointSet joints, PerJoint<vocab32_t> modes) const {
  return on(joints, modes).read([this](const BoardJoint& joint) {
    return board().reported_mode(joint);
  });
}

ReturnValue IControlMode::getAvailableControlModes(JointSet joints,
                                                   PerJoint<std::vector<vocab32_t>> modes) const {
  return on(joints, modes).read([](const BoardJoint& joint) {
    return joint.status.requestable_modes();
  });
}

ReturnValue IInteractionMode::setInteractionMode(JointSet joints, PerJoint<const vocab32_t> modes) {
  return on(joints, modes).change([this](const BoardAxis& axis, vocab32_t mode) {
    return board().set_interaction(axis.number, mode);
  });
}

ReturnValue IInteractionMode::getInteractionMode(JointSet joints, PerJoint<vocab32_t> modes) const {
  return on(joints, modes).read([](const BoardJoint& joint) { return joint.status.interaction(); });
}

ReturnValue IJointFault::getLastJointFault(JointSet joints, PerJoint<int> codes,
                                           PerJoint<std::string> messages) const {
  return on(joints, codes, messages)
      .look([](const BoardAxis& axis, int& code, std::string& message) {
        code = axis.joint.last_fault.code;
        message = axis.joint.last_fault.message;
      });
}

ReturnValue IJointFault::raise_fault(JointSet joints, int code, const std::string& message,
                                     bool persists) {
  return on(joints).change([&](BoardAxis& axis) {
    if (axis.joint.status.mode() == VOCAB_CM_NOT_CONFIGURED) {
      return board().refuse(axis.number, "raise_fault", Status::Refused,
                            "it is not configured yet");
    }
    axis.joint.last_fault.persists = persists;
    board().set_fault(axis.number, code, message);
    return ReturnValue{};
  });
}

ReturnValue IJointFault::clear_fault_cause(JointSet joints) {
  return on(joints).change([](BoardAxis& axis) { axis.joint.last_fault.persists = false; });
}

}  // namespace servosim::yarp
