// SPDX-License-Identifier: Apache-2.0
// IControlMode, IInteractionMode, IJointFault: what a joint is in, and what takes it out.
#include <fmt/format.h>

#include "board/control_board_impl.h"

namespace servosim::yarp {

namespace {

vocab32_t same_as(vocab32_t mode) { return mode == VOCAB_CM_OPENLOOP ? VOCAB_CM_PWM : mode; }

}  // namespace

// Coupled joints change together or not at all.
ReturnValue ControlBoard::Impl::set_mode(int j, vocab32_t wanted) {
  const vocab32_t mode = same_as(wanted);
  for (const int k : axes[j].bound) {
    const BoardJoint& joint = axes[k].joint;
    const bool persists = joint.broken || joint.wrong(measured(axes[k])).code != 0;
    const JointStatus::Answer answer = joint.status.ask_mode(mode, persists);
    if (!answer.result) {
      if (answer.next == VOCAB_CM_HW_FAULT && joint.status.mode() != VOCAB_CM_HW_FAULT) {
        fault(k, kModeFault,
              fmt::format("control mode \"{}\" is not one of its own", to_string(wanted)));
      }
      return answer.result;
    }
  }
  for (const int k : axes[j].bound) {
    const vocab32_t next = axes[k].joint.status.ask_mode(mode, false).next;
    if (next != axes[k].joint.status.mode()) {
      enter(axes[k], next);
    }
  }
  return {};
}

ReturnValue ControlBoard::Impl::set_interaction(int j, vocab32_t mode) {
  for (const int k : axes[j].bound) {
    const JointStatus& status = axes[k].joint.status;
    const JointStatus::Answer answer = status.ask_interaction(mode);
    if (!answer.result) {
      if (answer.next != status.mode()) {
        fault(k, kInteractionFault, "it cannot be compliant");
      }
      return answer.result;
    }
  }
  for (const int k : axes[j].bound) {
    axes[k].joint.interact(mode, measured(axes[k]));
  }
  return {};
}

void ControlBoard::Impl::fault(int j, int code, const std::string& message) {
  for (const int k : axes[j].bound) {
    axes[k].joint.fault_code = code;
    axes[k].joint.fault_message = message;
    enter(axes[k], VOCAB_CM_HW_FAULT);
  }
  warn(j, kFaulted, fmt::format("hardware fault {}: {}", code, message));
}

ReturnValue ControlBoard::setControlMode(int j, vocab32_t mode) {
  if (!impl_->known(j)) {
    return {Status::OutOfRange};
  }
  if (mode != VOCAB_CM_IMPEDANCE_POS && mode != VOCAB_CM_IMPEDANCE_VEL) {
    return impl_->set_mode(j, mode);
  }
  impl_->warn(j, Impl::kDeprecated,
              fmt::format("control mode \"{}\" is deprecated; set the mode and the interaction "
                          "mode \"comp\"",
                          to_string(mode)));
  const vocab32_t plain = mode == VOCAB_CM_IMPEDANCE_POS ? VOCAB_CM_POSITION : VOCAB_CM_VELOCITY;
  const ReturnValue result = impl_->set_mode(j, plain);
  return result ? impl_->set_interaction(j, VOCAB_IM_COMPLIANT) : result;
}

ReturnValue ControlBoard::getControlMode(int j, vocab32_t* mode) const {
  return impl_->read(j, mode, [this](const BoardJoint& joint) {
    return joint.status.mode() == VOCAB_CM_PWM && impl_->config.report_openloop
               ? VOCAB_CM_OPENLOOP
               : joint.status.mode();
  });
}

ReturnValue ControlBoard::getAvailableControlModes(int j, std::vector<vocab32_t>* modes) const {
  return impl_->read(j, modes, [](const BoardJoint& joint) { return joint.status.available(); });
}

ReturnValue ControlBoard::every(vocab32_t mode) {
  return loop(axes(), true, [&](int j) { return setControlMode(j, mode); });
}

ReturnValue ControlBoard::setInteractionMode(int j, vocab32_t mode) {
  return impl_->known(j) ? impl_->set_interaction(j, mode) : ReturnValue{Status::OutOfRange};
}

ReturnValue ControlBoard::getInteractionMode(int j, vocab32_t* mode) const {
  return impl_->read(j, mode, [](const BoardJoint& joint) { return joint.status.interaction(); });
}

ReturnValue ControlBoard::getLastJointFault(int j, int* code, std::string* message) const {
  return impl_->read(j, code, [&](const BoardJoint& joint) {
    *message = joint.fault_message;
    return joint.fault_code;
  });
}

ReturnValue ControlBoard::raise_fault(int j, int code, std::string message, bool persists) {
  if (!impl_->known(j)) {
    return {Status::OutOfRange};
  }
  BoardJoint& joint = impl_->axes[j].joint;
  if (joint.status.mode() == VOCAB_CM_NOT_CONFIGURED) {
    return {Status::Refused};
  }
  joint.broken = persists;
  impl_->fault(j, code, message);
  return {};
}

ReturnValue ControlBoard::mend(int j) {
  return impl_->write(j, {}, [](BoardJoint& joint) { joint.broken = false; });
}

}  // namespace servosim::yarp
