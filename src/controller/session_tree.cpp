// SPDX-License-Identifier: Apache-2.0
// Session: what it does when the tree changes and when time goes back.
#include <algorithm>

#include "controller/session.h"

namespace servosim {

namespace {

// As a reading of kind MotorLimits has them.
std::array<double, 5> limits_of(const Motor& motor) {
  return {motor.min_position(), motor.max_position(), motor.max_velocity(), motor.max_force(),
          motor.multiplier()};
}

}  // namespace

// Those that the controller knows from the start.
void Session::note_limits() {
  for (const Device& device : robot_.devices()) {
    limits_.push_back(device.motor != nullptr ? limits_of(*device.motor) : MotorLimits{});
  }
}

// The tree has changed: devices may be new, and motors have other limits.
void Session::notice_tree() {
  tree_version_ = simulation_.tree_version();
  add_channels();
  limits_.resize(robot_.devices().size());
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const Motor* const motor = robot_.devices()[i].motor.get();
    if (motor != nullptr && limits_[i] != limits_of(*motor)) {
      limits_[i] = limits_of(*motor);
      relimited_.push_back(static_cast<std::uint16_t>(i + 1));
      reconfigured_.push_back(static_cast<std::uint16_t>(i + 1));
    }
  }
}

void Session::tell_limits() {
  for (const std::uint16_t tag : relimited_) {
    Reading reading;
    reading.tag = tag;
    reading.kind = ReadingKind::MotorLimits;
    std::copy(limits_[tag - 1u].begin(), limits_[tag - 1u].end(), reading.numbers.begin());
    encode_reading(writer_, reading);
  }
  relimited_.clear();
}

// The simulation was set back to its start: what was to last still does.
void Session::after_reset() {
  const double now = now_ms();
  battery_.enable(battery_.period_ms(), now);
  if (pending_) {
    due_ms_ = now + (due_ms_ - *request_ms_);
  }
  request_ms_ = now;
  for (Channel& channel : channels_) {
    channel.sent = channel.sampler->count();
  }
}

}  // namespace servosim
