// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "servosim/yarp/board_interface.h"

namespace servosim::yarp {

/// The controllers of joints. `type` is a VOCAB_PIDTYPE_…; another one is refused with BadValue.
///
/// Threads: those of BoardInterface.
struct IPidControl : BoardInterface {
  /// @param type  the controller
  /// @param joints  the joints
  /// @param pids  finite numbers; kp, ki, kd, max_int and max_output >= 0, scale from -30 to 30;
  ///   else BadValue
  ReturnValue setPid(vocab32_t type, JointSet joints, PerJoint<const Pid> pids);
  ReturnValue getPid(vocab32_t type, JointSet joints, PerJoint<Pid> pids) const;
  /// Gives the reference past the trajectory generator, if this controller is the active one; else
  /// WrongMode.
  ReturnValue setPidReference(vocab32_t type, JointSet joints, Values references);
  /// The present reference of the controller, in its unit.
  ReturnValue getPidReference(vocab32_t type, JointSet joints, Results references) const;
  /// The reference less the measured value.
  ReturnValue getPidError(vocab32_t type, JointSet joints, Results errors) const;
  /// The output φ of the last step; 0 for a controller that is not active.
  ReturnValue getPidOutput(vocab32_t type, JointSet joints, Results outputs) const;
  /// The limit is stored and returned; as on the iCub, nothing uses it.
  ReturnValue setPidErrorLimit(vocab32_t type, JointSet joints, Values limits);
  ReturnValue getPidErrorLimit(vocab32_t type, JointSet joints, Results limits) const;
  /// Sets Pid::offset alone.
  ReturnValue setPidOffset(vocab32_t type, JointSet joints, Values offsets);
  ReturnValue getPidOffset(vocab32_t type, JointSet joints, Results offsets) const;
  /// Sets Pid::kff alone.
  ReturnValue setPidFeedforward(vocab32_t type, JointSet joints, Values kffs);
  ReturnValue getPidFeedforward(vocab32_t type, JointSet joints, Results kffs) const;
  /// All four types.
  ReturnValue getAvailablePids(JointSet joints, PerJoint<std::vector<vocab32_t>> types) const;
  /// Forgets the integral of the controller, if it is the active one.
  ReturnValue resetPid(vocab32_t type, JointSet joints);
  /// Whether it is the active one.
  ReturnValue isPidEnabled(vocab32_t type, JointSet joints, PerJoint<bool> enabled) const;
  /// Deprecated in YARP. Both return true, print a notice and do nothing, as on the iCub.
  ReturnValue enablePid(vocab32_t type, JointSet joints);
  ReturnValue disablePid(vocab32_t type, JointSet joints);
};

}  // namespace servosim::yarp
