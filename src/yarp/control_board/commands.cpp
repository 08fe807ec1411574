// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yarp/control_board/control_board.h"

// Everything that moves a joint, and what was last asked of it.

namespace servosim::yarp {

ReturnValue ControlBoard::getAxes(int* axes) const {
  *axes = static_cast<int>(impl_->axes.size());
  return {};
}

// IPositionControl

// Trajectories that never get far are better given as positions of the caller's own.
void ControlBoard::Impl::pace_moves(int j) {
  constexpr double kShortest = 0.080;  // [s] as the iCub's driver has it
  constexpr double kRounding = 1e-9;
  const double now = simulation.time();
  const double since = now - std::exchange(axes[j].moved_at, now);
  // Time runs backwards when a simulation is restored.
  if (since >= 0.0 && since < kShortest - kRounding) {
    warn(j, kHurried,
         "performance warning: positionMove comes more often than every 80 ms; control mode "
         "\"posd\" with setPosition is made for that");
  }
}

ReturnValue ControlBoard::positionMove(int j, double ref) {
  return impl_->command(j, "positionMove", ref, {VOCAB_CM_POSITION, VOCAB_CM_MIXED},
                        [&](BoardJoint& joint) {
                          impl_->pace_moves(j);
                          joint.move_to(ref, impl_->measured(impl_->axes[j]));
                        });
}

ReturnValue ControlBoard::relativeMove(int j, double delta) {
  return impl_->command(j, "relativeMove", delta, {VOCAB_CM_POSITION, VOCAB_CM_MIXED},
                        [&](BoardJoint& joint) {
                          const JointMeasurement now = impl_->measured(impl_->axes[j]);
                          joint.move_to(now.position + delta, now);
                        });
}

ReturnValue ControlBoard::checkMotionDone(int j, bool* done) const {
  return impl_->read(j, done, [](const BoardJoint& joint) { return joint.motion_done; });
}

ReturnValue ControlBoard::checkMotionDone(bool* done) const {
  *done = true;
  return loop(axes(), true, [&](int j) {
    bool one = true;
    const ReturnValue result = checkMotionDone(j, &one);
    *done = *done && one;
    return result;
  });
}

ReturnValue ControlBoard::checkMotionDone(Joints joints, bool* done) const {
  *done = true;
  return loop(joints.size(), true, [&](int i) {
    bool one = true;
    const ReturnValue result = checkMotionDone(joints[i], &one);
    *done = *done && one;
    return result;
  });
}

ReturnValue ControlBoard::stop(int j) {
  return impl_->write(j, {},
                      [&](BoardJoint& joint) { joint.stop(impl_->measured(impl_->axes[j])); });
}

ReturnValue ControlBoard::getTargetPosition(int j, double* ref) const {
  return impl_->read(j, ref, [](const BoardJoint& joint) { return joint.target_position; });
}

// IPositionDirect

ReturnValue ControlBoard::setPosition(int j, double ref) {
  return impl_->command(j, "setPosition", ref, {VOCAB_CM_POSITION_DIRECT},
                        [&](BoardJoint& joint) { joint.step_to(ref); });
}

ReturnValue ControlBoard::getRefPosition(int j, double* ref) const {
  return impl_->read(j, ref, [](const BoardJoint& joint) { return joint.ref_position; });
}

// IVelocityControl

ReturnValue ControlBoard::velocityMove(int j, double speed) {
  return impl_->command(
      j, "velocityMove", speed, {VOCAB_CM_VELOCITY, VOCAB_CM_MIXED},
      [&](BoardJoint& joint) { joint.set_speed(speed, impl_->simulation.time()); });
}

ReturnValue ControlBoard::getRefVelocity(int j, double* speed) const {
  return impl_->read(j, speed, [](const BoardJoint& joint) { return joint.ref_velocity; });
}

// IVelocityDirect

ReturnValue ControlBoard::setDesiredVelocity(int j, double speed) {
  return impl_->command(
      j, "setDesiredVelocity", speed, {VOCAB_CM_VELOCITY_DIRECT},
      [&](BoardJoint& joint) { joint.set_direct_speed(speed, impl_->simulation.time()); });
}

ReturnValue ControlBoard::getDesiredVelocity(int j, double* speed) const {
  return impl_->read(j, speed, [](const BoardJoint& joint) { return joint.desired_velocity; });
}

// ITorqueControl

ReturnValue ControlBoard::setRefTorque(int j, double torque) {
  return impl_->command(j, "setRefTorque", torque, {VOCAB_CM_TORQUE},
                        [&](BoardJoint& joint) { joint.ref_torque = torque; });
}

ReturnValue ControlBoard::getRefTorque(int j, double* torque) const {
  return impl_->read(j, torque, [](const BoardJoint& joint) { return joint.ref_torque; });
}

ReturnValue ControlBoard::getTorque(int j, double* torque) const {
  return impl_->sense(j, torque,
                      [](const BoardJoint&, const JointMeasurement& now) { return now.torque; });
}

ReturnValue ControlBoard::getTorqueRange(int j, double* min, double* max) const {
  return impl_->read(j, max, [&](const BoardJoint& joint) {
    *min = -joint.facts.max_effort;
    return joint.facts.max_effort;
  });
}

ReturnValue ControlBoard::getTorqueRanges(Results mins, Results maxs) const {
  return loop(mins.size(), mins.size() == axes() && maxs.size() == axes(),
              [&](int j) { return getTorqueRange(j, &mins[j], &maxs[j]); });
}

// IPWMControl

ReturnValue ControlBoard::setRefDutyCycle(int j, double percent) {
  return impl_->command(j, "setRefDutyCycle", percent, {VOCAB_CM_PWM}, [&](BoardJoint& joint) {
    joint.ref_pwm = std::clamp(percent, -joint.pwm_limit, joint.pwm_limit);
  });
}

ReturnValue ControlBoard::getRefDutyCycle(int j, double* percent) const {
  return impl_->read(j, percent, [](const BoardJoint& joint) { return joint.ref_pwm; });
}

ReturnValue ControlBoard::getDutyCycle(int j, double* percent) const {
  return impl_->sense(j, percent, [](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.duty_cycle_at(now);
  });
}

// ICurrentControl

ReturnValue ControlBoard::setRefCurrent(int j, double ampere) {
  return impl_->command(j, "setRefCurrent", ampere, {VOCAB_CM_CURRENT},
                        [&](BoardJoint& joint) { joint.ref_current = ampere; });
}

ReturnValue ControlBoard::getRefCurrent(int j, double* ampere) const {
  return impl_->read(j, ampere, [](const BoardJoint& joint) { return joint.ref_current; });
}

ReturnValue ControlBoard::getCurrent(int j, double* ampere) const {
  return impl_->sense(j, ampere, [](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.current_at(now);
  });
}

ReturnValue ControlBoard::getCurrentRange(int j, double* min, double* max) const {
  return impl_->read(j, max, [&](const BoardJoint& joint) {
    const double most =
        std::min(joint.max_current, joint.facts.max_effort / joint.config.effort_per_ampere);
    *min = -most;
    return most;
  });
}

ReturnValue ControlBoard::getCurrentRanges(Results mins, Results maxs) const {
  return loop(mins.size(), mins.size() == axes() && maxs.size() == axes(),
              [&](int j) { return getCurrentRange(j, &mins[j], &maxs[j]); });
}

// IControlMode, IInteractionMode, IJointFault: what a joint is in, and what takes it out.

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
