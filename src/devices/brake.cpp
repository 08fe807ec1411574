// SPDX-License-Identifier: Apache-2.0
#include "servosim/brake.h"

#include "base/device_command.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "physics/state.h"

namespace servosim {

Brake::Brake(const DeviceBinding& binding) : Brake(*binding.spec.brake, binding.joint()) {}

void Brake::rebind(const DeviceBinding& binding) {
  type_ = *binding.spec.brake;
  joint_ = binding.joint();
}

CommandEffect Brake::command(const DeviceCommand& command, double /*now_ms*/) {
  if (command.kind != CommandKind::BrakeDamping) {
    return {};
  }
  set_damping_constant(command.numbers[0]);
  return {true};
}

void Brake::set_damping_constant(double damping) {
  refuse_nan(damping, "damping constant");
  damping_ = damping;
  if (joint_ != nullptr) {
    joint_->brake_damping = damping;
    joint_->brake_changed = true;
    joint_->wake = true;
  }
}

void Brake::archive_state(DeviceArchive& archive) { archive.unhashed(damping_); }

}  // namespace servosim
