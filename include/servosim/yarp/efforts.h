// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servosim/yarp/board_interface.h"

namespace servosim::yarp {

/// Torque control, and measured torques.
///
/// Threads: those of BoardInterface.
struct ITorqueControl : BoardInterface {
  /// Requests torque mode for all joints.
  ReturnValue setTorqueMode();
  /// The torque that the motor applies as it is, in torque mode [N·m|N].
  ReturnValue setRefTorque(JointSet joints, Values torques);
  ReturnValue getRefTorque(JointSet joints, Results torques) const;
  /// All that the joint puts on its endpoint: motor, friction, damper and stop [N·m|N].
  ReturnValue getTorque(JointSet joints, Results torques) const;
  /// ± the largest effort of the motor [N·m|N].
  ReturnValue getTorqueRange(JointSet joints, Results mins, Results maxs) const;
  /// These parameters are stored and returned; nothing uses them.
  ReturnValue setMotorTorqueParams(JointSet joints,
                                   PerJoint<const MotorTorqueParameters> parameters);
  ReturnValue getMotorTorqueParams(JointSet joints,
                                   PerJoint<MotorTorqueParameters> parameters) const;
};

/// The laws of compliant interaction.
///
/// Threads: those of BoardInterface.
struct IImpedanceControl : BoardInterface {
  /// Stiffness [N·m/deg|N/m] and damping [N·m·s/deg|N·s/m]. They are from 0 to
  /// JointConfig::max_stiffness and max_damping, else BadValue. They may change during a motion.
  ReturnValue setImpedance(JointSet joints, Values stiffness, Values damping);
  ReturnValue getImpedance(JointSet joints, Results stiffness, Results damping) const;
  /// The torque τ_off that is added [N·m|N].
  ReturnValue setImpedanceOffset(JointSet joints, Values offsets);
  ReturnValue getImpedanceOffset(JointSet joints, Results offsets) const;
  /// What setImpedance() accepts.
  ReturnValue getCurrentImpedanceLimit(JointSet joints, Results min_stiffness,
                                       Results max_stiffness, Results min_damping,
                                       Results max_damping) const;
};

/// Control of the duty cycle.
///
/// Threads: those of BoardInterface.
struct IPWMControl : BoardInterface {
  /// The duty cycle, in PWM mode [%]; clamped to the limit of setPWMLimit().
  /// JointConfig::effort_per_percent makes an effort of it.
  ReturnValue setRefDutyCycle(JointSet joints, Values percents);
  ReturnValue getRefDutyCycle(JointSet joints, Results percents) const;
  /// The present effort of the motor as a duty cycle [%].
  ReturnValue getDutyCycle(JointSet joints, Results percents) const;
};

/// Current control.
///
/// Threads: those of BoardInterface.
struct ICurrentControl : BoardInterface {
  /// The current, in current mode [A]. JointConfig::effort_per_ampere makes an effort of it.
  ReturnValue setRefCurrent(JointSet joints, Values amperes);
  ReturnValue getRefCurrent(JointSet joints, Results amperes) const;
  /// The present effort of the motor as a current [A].
  ReturnValue getCurrent(JointSet joints, Results amperes) const;
  /// ± the largest current that is no fault and that the motor can turn into effort [A].
  ReturnValue getCurrentRange(JointSet joints, Results mins, Results maxs) const;
};

}  // namespace servosim::yarp
