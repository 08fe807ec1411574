// SPDX-License-Identifier: Apache-2.0
// Everything that moves a joint, and what was last asked of it.
#include <algorithm>
#include <utility>

#include "board/control_board_impl.h"

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
                          const Measured now = impl_->measured(impl_->axes[j]);
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
  return impl_->sense(j, torque, [](const BoardJoint&, const Measured& now) { return now.torque; });
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
  return impl_->sense(j, percent, [](const BoardJoint& joint, const Measured& now) {
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
  return impl_->sense(j, ampere, [](const BoardJoint& joint, const Measured& now) {
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

}  // namespace servosim::yarp
