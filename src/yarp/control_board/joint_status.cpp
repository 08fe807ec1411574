// SPDX-License-Identifier: Apache-2.0
#include "yarp/control_board/joint_status.h"

#include <algorithm>
#include <iterator>

#include "base/assert.h"

namespace servosim::yarp {

namespace {

constexpr vocab32_t kActiveModes[] = {
    VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY, VOCAB_CM_VELOCITY_DIRECT,
    VOCAB_CM_MIXED,    VOCAB_CM_TORQUE,          VOCAB_CM_PWM,      VOCAB_CM_CURRENT};

bool is_one_of(vocab32_t mode, std::initializer_list<vocab32_t> modes) {
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

// Both forms of idle are requestable, and so are the modes that some joint supports.
bool is_requestable(vocab32_t mode) {
  return mode == VOCAB_CM_IDLE || mode == VOCAB_CM_FORCE_IDLE ||
         std::find(std::begin(kActiveModes), std::end(kActiveModes), mode) !=
             std::end(kActiveModes);
}

}  // namespace

bool JointStatus::follows_position() const {
  return is_one_of(
      mode_, {VOCAB_CM_POSITION, VOCAB_CM_POSITION_DIRECT, VOCAB_CM_VELOCITY, VOCAB_CM_MIXED});
}

bool JointStatus::follows_velocity() const {
  return mode_ == VOCAB_CM_VELOCITY_DIRECT ||
         (mode_ == VOCAB_CM_VELOCITY && rules_.direct_velocity_pid && !compliant());
}

int JointStatus::active_pid() const {
  return follows_velocity()                                    ? 1
         : follows_position() || mode_ == VOCAB_CM_CALIBRATING ? 0
         : mode_ == VOCAB_CM_TORQUE                            ? 2
         : mode_ == VOCAB_CM_CURRENT                           ? 3
                                                               : -1;
}

bool JointStatus::unpowered() const {
  return is_one_of(mode_, {VOCAB_CM_IDLE, VOCAB_CM_HW_FAULT, VOCAB_CM_NOT_CONFIGURED});
}

bool JointStatus::is_locked_status(vocab32_t mode) {
  return is_one_of(mode, {VOCAB_CM_HW_FAULT, VOCAB_CM_CALIBRATING, VOCAB_CM_NOT_CONFIGURED});
}

void JointStatus::set_mode(vocab32_t mode) {
  SERVOSIM_ASSERT(supports(mode) || is_locked_status(mode), "control mode {} of a joint without it",
                  to_string(mode));
  mode_ = mode;
}

bool JointStatus::supports(vocab32_t mode) const {
  return mode == VOCAB_CM_IDLE ||
         (is_requestable(mode) &&
          (rules_.modes.empty() ||
           std::find(rules_.modes.begin(), rules_.modes.end(), mode) != rules_.modes.end()));
}

std::vector<vocab32_t> JointStatus::requestable_modes() const {
  std::vector<vocab32_t> modes{VOCAB_CM_IDLE, VOCAB_CM_FORCE_IDLE};
  std::copy_if(std::begin(kActiveModes), std::end(kActiveModes), std::back_inserter(modes),
               [this](vocab32_t mode) { return supports(mode); });
  return modes;
}

JointStatus::ModeChange JointStatus::request_mode(vocab32_t wanted, bool cause_persists) const {
  const bool known = is_requestable(wanted);
  if (locked()) {
    if (mode_ == VOCAB_CM_HW_FAULT && wanted == VOCAB_CM_FORCE_IDLE && !cause_persists) {
      return {{Status::Ok}, VOCAB_CM_IDLE};
    }
    return {{known ? Status::Refused : Status::BadValue}, mode_};
  }
  if (wanted == VOCAB_CM_FORCE_IDLE) {
    return {{Status::Ok}, VOCAB_CM_IDLE};
  }
  if (!supports(wanted)) {
    return {{known ? Status::NotAvailable : Status::BadValue},
            rules_.fault_on_invalid_mode ? VOCAB_CM_HW_FAULT : mode_};
  }
  return {{Status::Ok}, wanted};
}

JointStatus::ModeChange JointStatus::request_interaction(vocab32_t wanted) const {
  if (wanted != VOCAB_IM_STIFF && wanted != VOCAB_IM_COMPLIANT) {
    return {{Status::BadValue}, mode_};
  }
  if (mode_ == VOCAB_CM_CALIBRATING) {
    return {{Status::Refused}, mode_};
  }
  if (wanted == VOCAB_IM_COMPLIANT && !rules_.compliant) {
    return {{Status::NotAvailable},
            rules_.fault_on_invalid_interaction && !locked() ? VOCAB_CM_HW_FAULT : mode_};
  }
  return {{Status::Ok}, mode_};
}

}  // namespace servosim::yarp
