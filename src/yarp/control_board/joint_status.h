// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servosim/yarp/return_value.h"
#include "servosim/yarp/vocabs.h"

namespace servosim::yarp {

/// The control and interaction mode of a joint, and what may follow what. Knows no motion: ask_…()
/// only answers, and whoever owns the joint then calls enter() and does what a change takes.
class JointStatus {
 public:
  struct Rules {
    std::vector<vocab32_t> modes;  ///< available beside idle
    bool compliant = true;
    bool fault_on_invalid_mode = false;
    bool fault_on_invalid_interaction = true;
  };
  /// To a request: what is returned, and what the joint is to be in afterwards.
  struct Answer {
    ReturnValue result;
    vocab32_t next;
  };

  JointStatus(Rules rules, vocab32_t mode) : rules_(std::move(rules)), mode_(mode) {}

  vocab32_t mode() const { return mode_; }
  vocab32_t interaction() const { return interaction_; }
  bool compliant() const { return interaction_ == VOCAB_IM_COMPLIANT; }
  /// Positions are controlled: the modes to which the interaction mode matters.
  bool follows_position() const;
  /// No motor is powered: idle, a fault, not configured.
  bool off() const;
  bool can(vocab32_t mode) const;
  /// What may be asked for.
  std::vector<vocab32_t> available() const;

  /// `cause_persists`: what made the fault is still there.
  Answer ask_mode(vocab32_t wanted, bool cause_persists) const;
  /// Of the interaction mode; next is a control mode. Idle joints store it too.
  Answer ask_interaction(vocab32_t wanted) const;
  void enter(vocab32_t mode) { mode_ = mode; }
  void interact(vocab32_t interaction) { interaction_ = interaction; }

 private:
  bool special() const;

  Rules rules_;
  vocab32_t mode_;
  vocab32_t interaction_ = VOCAB_IM_STIFF;
};

}  // namespace servosim::yarp
