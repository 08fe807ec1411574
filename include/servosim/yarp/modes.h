// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/yarp/board_interface.h"

namespace servosim::yarp {

/// Control modes.
///
/// Threads: those of BoardInterface.
struct IControlMode : BoardInterface {
  /// Requests a VOCAB_CM_…. VOCAB_CM_FORCE_IDLE ends a fault; in a fault any other mode is refused.
  /// While the joint is being calibrated or is not configured all modes are refused.
  ReturnValue setControlMode(JointSet joints, PerJoint<const vocab32_t> modes);
  /// The control mode, or a status such as VOCAB_CM_HW_FAULT.
  ReturnValue getControlMode(JointSet joints, PerJoint<vocab32_t> modes) const;
  /// The modes that the joint accepts.
  ReturnValue getAvailableControlModes(JointSet joints,
                                       PerJoint<std::vector<vocab32_t>> modes) const;
};

/// Interaction modes.
///
/// Threads: those of BoardInterface.
struct IInteractionMode : BoardInterface {
  /// Requests VOCAB_IM_STIFF or VOCAB_IM_COMPLIANT. A change stops the motion of the joint. A mode
  /// that the joint does not have is a fault, unless BoardConfig::fault_on_invalid_interaction is
  /// false.
  ReturnValue setInteractionMode(JointSet joints, PerJoint<const vocab32_t> modes);
  ReturnValue getInteractionMode(JointSet joints, PerJoint<vocab32_t> modes) const;
};

/// Faults, including those that a program raises.
///
/// Threads: those of BoardInterface.
struct IJointFault : BoardInterface {
  /// The last fault, also after it was cleared; code -1 if there was none.
  ReturnValue getLastJointFault(JointSet joints, PerJoint<int> codes,
                                PerJoint<std::string> messages) const;
  /// Sets a fault, as the hardware of a board does. If it `persists`, VOCAB_CM_FORCE_IDLE does not
  /// end it before clear_fault_cause().
  ReturnValue raise_fault(JointSet joints, int code, const std::string& message,
                          bool persists = false);
  /// Lets the next VOCAB_CM_FORCE_IDLE end the fault.
  ReturnValue clear_fault_cause(JointSet joints);
};

}  // namespace servosim::yarp
