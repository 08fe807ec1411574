// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/efforts.h"

#include <fmt/format.h>

#include <algorithm>

#include "servosim/yarp/modes.h"
#include "yarp/control_board/interface_calls.h"

namespace servosim::yarp {

ReturnValue ITorqueControl::setTorqueMode() {
  return IControlMode(board()).setControlMode(
      kAllJoints, std::vector<vocab32_t>(board().axes().size(), VOCAB_CM_TORQUE));
}

ReturnValue ITorqueControl::setRefTorque(JointSet joints, Values torques) {
  return command(
      board(), joints, "setRefTorque", torques, {VOCAB_CM_TORQUE},
      [](BoardAxis& axis, double torque) { axis.joint.references.commands.torque = torque; });
}

ReturnValue ITorqueControl::getRefTorque(JointSet joints, Results torques) const {
  return read(board(), joints, torques, &JointCommands::torque);
}

ReturnValue ITorqueControl::getTorque(JointSet joints, Results torques) const {
  return sense(board(), joints, torques,
               [](const BoardJoint&, const JointMeasurement& now) { return now.torque; });
}

ReturnValue ITorqueControl::getTorqueRange(JointSet joints, Results mins, Results maxs) const {
  return look_at(
      board(), joints,
      [](const BoardAxis& axis, double& min, double& max) {
        max = axis.joint.info.max_effort;
        min = -max;
      },
      mins, maxs);
}

ReturnValue ITorqueControl::setMotorTorqueParams(JointSet joints,
                                                 PerJoint<const MotorTorqueParameters> parameters) {
  return change(
      board(), joints,
      [this](BoardAxis& axis, const MotorTorqueParameters& p) {
        for (const double number : {p.bemf, p.bemf_scale, p.ktau, p.ktau_scale, p.viscousPos,
                                    p.viscousNeg, p.coulombPos, p.coulombNeg, p.velocityThres}) {
          if (!is_possible(number)) {
            return board().refuse_number(axis.number, "setMotorTorqueParams", number);
          }
        }
        axis.joint.parameters.motor_torque = p;
        return ReturnValue{};
      },
      parameters);
}

ReturnValue ITorqueControl::getMotorTorqueParams(JointSet joints,
                                                 PerJoint<MotorTorqueParameters> parameters) const {
  return read(board(), joints, parameters, &JointParameters::motor_torque);
}

ReturnValue IImpedanceControl::setImpedance(JointSet joints, Values stiffness, Values damping) {
  return write(
      board(), joints, "setImpedance",
      [this](BoardAxis& axis, double k, double d) {
        JointParameters& parameters = axis.joint.parameters;
        const JointConfig& config = parameters.config;
        if (k < 0.0 || k > config.max_stiffness || d < 0.0 || d > config.max_damping) {
          return board().refuse(
              axis.number, "setImpedance", Status::BadValue,
              fmt::format("a stiffness is from 0 to {}, a damping from 0 to {}, not {} and {}",
                          config.max_stiffness, config.max_damping, k, d));
        }
        parameters.impedance.stiffness = k;
        parameters.impedance.damping = d;
        return ReturnValue{};
      },
      stiffness, damping);
}

ReturnValue IImpedanceControl::getImpedance(JointSet joints, Results stiffness,
                                            Results damping) const {
  return look_at(
      board(), joints,
      [](const BoardAxis& axis, double& k, double& d) {
        k = axis.joint.parameters.impedance.stiffness;
        d = axis.joint.parameters.impedance.damping;
      },
      stiffness, damping);
}

ReturnValue IImpedanceControl::setImpedanceOffset(JointSet joints, Values offsets) {
  return write(
      board(), joints, "setImpedanceOffset",
      [](BoardAxis& axis, double offset) { axis.joint.parameters.impedance.offset = offset; },
      offsets);
}

ReturnValue IImpedanceControl::getImpedanceOffset(JointSet joints, Results offsets) const {
  return read(board(), joints, offsets,
              [](const BoardJoint& joint) { return joint.parameters.impedance.offset; });
}

ReturnValue IImpedanceControl::getCurrentImpedanceLimit(JointSet joints, Results min_stiffness,
                                                        Results max_stiffness, Results min_damping,
                                                        Results max_damping) const {
  return look_at(
      board(), joints,
      [](const BoardAxis& axis, double& min_k, double& max_k, double& min_d, double& max_d) {
        min_k = min_d = 0.0;
        max_k = axis.joint.parameters.config.max_stiffness;
        max_d = axis.joint.parameters.config.max_damping;
      },
      min_stiffness, max_stiffness, min_damping, max_damping);
}

ReturnValue IPWMControl::setRefDutyCycle(JointSet joints, Values percents) {
  return command(board(), joints, "setRefDutyCycle", percents, {VOCAB_CM_PWM},
                 [](BoardAxis& axis, double percent) {
                   const double most = axis.joint.parameters.pwm_limit;
                   axis.joint.references.commands.pwm = std::clamp(percent, -most, most);
                 });
}

ReturnValue IPWMControl::getRefDutyCycle(JointSet joints, Results percents) const {
  return read(board(), joints, percents, &JointCommands::pwm);
}

ReturnValue IPWMControl::getDutyCycle(JointSet joints, Results percents) const {
  return sense(board(), joints, percents, [](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.duty_cycle_at(now);
  });
}

ReturnValue ICurrentControl::setRefCurrent(JointSet joints, Values amperes) {
  return command(
      board(), joints, "setRefCurrent", amperes, {VOCAB_CM_CURRENT},
      [](BoardAxis& axis, double ampere) { axis.joint.references.commands.current = ampere; });
}

ReturnValue ICurrentControl::getRefCurrent(JointSet joints, Results amperes) const {
  return read(board(), joints, amperes, &JointCommands::current);
}

ReturnValue ICurrentControl::getCurrent(JointSet joints, Results amperes) const {
  return sense(board(), joints, amperes, [](const BoardJoint& joint, const JointMeasurement& now) {
    return joint.current_at(now);
  });
}

ReturnValue ICurrentControl::getCurrentRange(JointSet joints, Results mins, Results maxs) const {
  return look_at(
      board(), joints,
      [](const BoardAxis& axis, double& min, double& max) {
        const JointParameters& parameters = axis.joint.parameters;
        max = std::min(parameters.max_current,
                       axis.joint.info.max_effort / parameters.config.effort_per_ampere);
        min = -max;
      },
      mins, maxs);
}

}  // namespace servosim::yarp
