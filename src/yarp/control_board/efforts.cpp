// SPDX-License-Identifier: Apache-2.0
#include "servosim/yarp/efforts.h"

#include <fmt/format.h>

#include <algorithm>

#include "servosim/yarp/modes.h"
#include "yarp/control_board/joint_call.h"

namespace servosim::yarp {

ReturnValue ITorqueControl::setTorqueMode() {
  return IControlMode{*this}.setControlMode(
      kAllJoints, std::vector<vocab32_t>(board().axes().size(), VOCAB_CM_TORQUE));
}

ReturnValue ITorqueControl::setRefTorque(JointSet joints, Values torques) {
  return on(joints, torques)
      .command("setRefTorque", {VOCAB_CM_TORQUE}, [](BoardAxis& axis, double torque) {
        axis.joint.references.commands.torque = torque;
      });
}

ReturnValue ITorqueControl::getRefTorque(JointSet joints, Results torques) const {
  return on(joints, torques).read(&JointCommands::torque);
}

ReturnValue ITorqueControl::getTorque(JointSet joints, Results torques) const {
  return on(joints, torques).sense(&JointMeasurement::torque);
}

ReturnValue ITorqueControl::getTorqueRange(JointSet joints, Results mins, Results maxs) const {
  return on(joints, mins, maxs).look([](const BoardAxis& axis, double& min, double& max) {
    max = axis.joint.info.max_effort;
    min = -max;
  });
}

ReturnValue ITorqueControl::setMotorTorqueParams(JointSet joints,
                                                 PerJoint<const MotorTorqueParameters> parameters) {
  return on(joints, parameters).change([this](BoardAxis& axis, const MotorTorqueParameters& p) {
    const ReturnValue possible =
        board().check_numbers(axis.number, "setMotorTorqueParams",
                              {p.bemf, p.bemf_scale, p.ktau, p.ktau_scale, p.viscousPos,
                               p.viscousNeg, p.coulombPos, p.coulombNeg, p.velocityThres});
    if (possible) {
      axis.joint.parameters.motor_torque = p;
    }
    return possible;
  });
}

ReturnValue ITorqueControl::getMotorTorqueParams(JointSet joints,
                                                 PerJoint<MotorTorqueParameters> parameters) const {
  return on(joints, parameters).read([](const BoardJoint& joint) {
    return joint.parameters.motor_torque;
  });
}

ReturnValue IImpedanceControl::setImpedance(JointSet joints, Values stiffness, Values damping) {
  return on(joints, stiffness, damping)
      .write("setImpedance", [this](BoardAxis& axis, double k, double d) {
        JointParameters& parameters = axis.joint.parameters;
        const JointConfig& config = parameters.config;
        if (k < 0.0 || k > config.impedance.max_stiffness || d < 0.0 ||
            d > config.impedance.max_damping) {
          return board().refuse(
              axis.number, "setImpedance", Status::BadValue,
              fmt::format("a stiffness is from 0 to {}, a damping from 0 to {}, not {} and {}",
                          config.impedance.max_stiffness, config.impedance.max_damping, k, d));
        }
        parameters.stiffness = k;
        parameters.damping = d;
        return ReturnValue{};
      });
}

ReturnValue IImpedanceControl::getImpedance(JointSet joints, Results stiffness,
                                            Results damping) const {
  return on(joints, stiffness, damping).look([](const BoardAxis& axis, double& k, double& d) {
    k = axis.joint.parameters.stiffness;
    d = axis.joint.parameters.damping;
  });
}

ReturnValue IImpedanceControl::setImpedanceOffset(JointSet joints, Values offsets) {
  return on(joints, offsets).write("setImpedanceOffset", &JointParameters::impedance_offset);
}

ReturnValue IImpedanceControl::getImpedanceOffset(JointSet joints, Results offsets) const {
  return on(joints, offsets).read(&JointParameters::impedance_offset);
}

ReturnValue IImpedanceControl::getCurrentImpedanceLimit(JointSet joints, Results min_stiffness,
                                                        Results max_stiffness, Results min_damping,
                                                        Results max_damping) const {
  return on(joints, min_stiffness, max_stiffness, min_damping, max_damping)
      .look([](const BoardAxis& axis, double& min_k, double& max_k, double& min_d, double& max_d) {
        min_k = min_d = 0.0;
        max_k = axis.joint.parameters.config.impedance.max_stiffness;
        max_d = axis.joint.parameters.config.impedance.max_damping;
      });
}

ReturnValue IPWMControl::setRefDutyCycle(JointSet joints, Values percents) {
  return on(joints, percents)
      .command("setRefDutyCycle", {VOCAB_CM_PWM}, [](BoardAxis& axis, double percent) {
        const double most = axis.joint.parameters.pwm_limit;
        axis.joint.references.commands.pwm = std::clamp(percent, -most, most);
      });
}

ReturnValue IPWMControl::getRefDutyCycle(JointSet joints, Results percents) const {
  return on(joints, percents).read(&JointCommands::pwm);
}

ReturnValue IPWMControl::getDutyCycle(JointSet joints, Results percents) const {
  return on(joints, percents).sense(&BoardJoint::duty_cycle_at);
}

ReturnValue ICurrentControl::setRefCurrent(JointSet joints, Values amperes) {
  return on(joints, amperes)
      .command("setRefCurrent", {VOCAB_CM_CURRENT}, [](BoardAxis& axis, double ampere) {
        axis.joint.references.commands.current = ampere;
      });
}

ReturnValue ICurrentControl::getRefCurrent(JointSet joints, Results amperes) const {
  return on(joints, amperes).read(&JointCommands::current);
}

ReturnValue ICurrentControl::getCurrent(JointSet joints, Results amperes) const {
  return on(joints, amperes).sense(&BoardJoint::current_at);
}

ReturnValue ICurrentControl::getCurrentRange(JointSet joints, Results mins, Results maxs) const {
  return on(joints, mins, maxs).look([](const BoardAxis& axis, double& min, double& max) {
    const JointParameters& parameters = axis.joint.parameters;
    max = std::min(parameters.max_current,
                   axis.joint.info.max_effort / parameters.config.effort_per_ampere);
    min = -max;
  });
}

}  // namespace servosim::yarp
