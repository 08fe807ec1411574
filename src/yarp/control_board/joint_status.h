// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/yarp/return_value.h"
#include "servosim/yarp/vocabs.h"

namespace servosim::yarp {

/// The control and interaction mode of a joint, and which mode may follow which. It moves nothing:
/// request_…() only returns the decision. The owner of the joint then calls set_mode() and makes
/// the change.
///
/// Invariant: the mode is idle, a mode that the joint supports, or one of the statuses
/// VOCAB_CM_HW_FAULT, VOCAB_CM_CALIBRATING and VOCAB_CM_NOT_CONFIGURED.
class JointStatus {
 public:
  struct Rules {
    std::vector<vocab32_t> modes;  ///< supported modes besides idle; empty: all
    bool compliant = true;
    bool fault_on_invalid_mode = false;
    bool fault_on_invalid_interaction = true;
    bool direct_velocity_pid = false;  ///< whether the velocity Pid controls stiff velocity mode
  };
  /// The answer to a request: the return value, and the control mode of the joint after the
  /// request.
  struct ModeChange {
    ReturnValue result;
    vocab32_t next;
  };

  JointStatus(Rules rules, vocab32_t mode) : rules_(std::move(rules)), mode_(mode) {}

  vocab32_t mode() const { return mode_; }
  vocab32_t interaction() const { return interaction_; }
  bool compliant() const { return interaction_ == VOCAB_IM_COMPLIANT; }
  /// Returns whether the mode controls positions. Only in these modes does the interaction mode
  /// have an effect.
  bool follows_position() const;
  /// Returns whether the velocity Pid controls the joint.
  bool follows_velocity() const;
  /// Returns the pid_index() of the controller that computes the present output; -1 if there is
  /// none.
  int active_pid() const;
  /// Returns true if the mode is idle, a fault, or not configured: the motor has no power.
  bool unpowered() const;
  bool supports(vocab32_t mode) const;
  /// Returns the modes that a client may request.
  std::vector<vocab32_t> requestable_modes() const;

  /// `cause_persists` tells that the cause of the present fault has not ended.
  ModeChange request_mode(vocab32_t wanted, bool cause_persists) const;
  /// Decides about an interaction mode; ModeChange::next is a control mode. An idle joint stores
  /// the interaction mode, too.
  ModeChange request_interaction(vocab32_t wanted) const;
  void set_mode(vocab32_t mode);
  void set_interaction(vocab32_t interaction) { interaction_ = interaction; }

 private:
  /// Returns true in a fault, in a calibration, or if not configured: ordinary requests are
  /// refused.
  bool locked() const { return is_locked_status(mode_); }
  static bool is_locked_status(vocab32_t mode);

  Rules rules_;
  vocab32_t mode_;
  vocab32_t interaction_ = VOCAB_IM_STIFF;
};

}  // namespace servosim::yarp
