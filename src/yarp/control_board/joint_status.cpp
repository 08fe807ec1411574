// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/joint_status.h"

#include <algorithm>
#include <iterator>

namespace servosim::yarp {

namespace {

constexpr vocab32_t kActive[] = {
    VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY, VOCAB_CM_VELOCITY_DIRECT,
    VOCAB_CM_MIXED,    VOCAB_CM_TORQUE,          VOCAB_CM_PWM,      VOCAB_CM_CURRENT};

bool one_of(vocab32_t mode, std::initializer_list<vocab32_t> modes) {
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

// Idle in every form, and what some joint might be able to do.
bool can_be_asked_for(vocab32_t mode) {
  return mode == VOCAB_CM_IDLE || mode == VOCAB_CM_FORCE_IDLE ||
         std::find(std::begin(kActive), std::end(kActive), mode) != std::end(kActive);
}

}  // namespace

bool JointStatus::follows_position() const {
  return one_of(mode_,
                {VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY, VOCAB_CM_MIXED});
}

bool JointStatus::off() const {
  return one_of(mode_, {VOCAB_CM_IDLE, VOCAB_CM_HW_FAULT, VOCAB_CM_NOT_CONFIGURED});
}

bool JointStatus::special() const {
  return one_of(mode_, {VOCAB_CM_HW_FAULT, VOCAB_CM_CALIBRATING, VOCAB_CM_NOT_CONFIGURED});
}

bool JointStatus::can(vocab32_t mode) const {
  return mode == VOCAB_CM_IDLE ||
         (can_be_asked_for(mode) &&
          (rules_.modes.empty() ||
           std::find(rules_.modes.begin(), rules_.modes.end(), mode) != rules_.modes.end()));
}

std::vector<vocab32_t> JointStatus::available() const {
  std::vector<vocab32_t> modes{VOCAB_CM_IDLE, VOCAB_CM_FORCE_IDLE};
  std::copy_if(std::begin(kActive), std::end(kActive), std::back_inserter(modes),
               [this](vocab32_t mode) { return can(mode); });
  return modes;
}

JointStatus::Answer JointStatus::ask_mode(vocab32_t wanted, bool cause_persists) const {
  const bool known = can_be_asked_for(wanted);
  if (special()) {
    if (mode_ == VOCAB_CM_HW_FAULT && wanted == VOCAB_CM_FORCE_IDLE && !cause_persists) {
      return {{Status::Ok}, VOCAB_CM_IDLE};
    }
    return {{known ? Status::Refused : Status::BadValue}, mode_};
  }
  if (wanted == VOCAB_CM_FORCE_IDLE) {
    return {{Status::Ok}, VOCAB_CM_IDLE};
  }
  if (!can(wanted)) {
    return {{known ? Status::NotAvailable : Status::BadValue},
            rules_.fault_on_invalid_mode ? VOCAB_CM_HW_FAULT : mode_};
  }
  return {{Status::Ok}, wanted};
}

JointStatus::Answer JointStatus::ask_interaction(vocab32_t wanted) const {
  if (wanted != VOCAB_IM_STIFF && wanted != VOCAB_IM_COMPLIANT) {
    return {{Status::BadValue}, mode_};
  }
  if (mode_ == VOCAB_CM_CALIBRATING) {
    return {{Status::Refused}, mode_};
  }
  if (wanted == VOCAB_IM_COMPLIANT && !rules_.compliant) {
    return {{Status::NotAvailable},
            rules_.fault_on_invalid_interaction && !special() ? VOCAB_CM_HW_FAULT : mode_};
  }
  return {{Status::Ok}, mode_};
}

}  // namespace servosim::yarp
