// SPDX-License-Identifier: Apache-2.0
#include "sim/go_on.h"

#include <algorithm>
#include <cmath>

namespace servosim {

namespace {

double bounded(double value, double most) { return std::clamp(value, -most, most); }

int channel_after(int was, const AntennaSpec& before, const AntennaSpec& now) {
  return before.channel != now.channel ? now.channel : was;
}

}  // namespace

void go_on(Motor& motor, const Motor::State& was, const DeviceSpec& before, const DeviceSpec& now) {
  const MotorSpec& a = *before.motor;
  const MotorSpec& b = *now.motor;
  Motor::State state = was;
  if (a.max_velocity != b.max_velocity) {
    state.target_velocity = was.target_velocity == a.max_velocity
                                ? b.max_velocity
                                : bounded(was.target_velocity, b.max_velocity);
  }
  if (a.max_force != b.max_force) {
    state.available_force = was.available_force == a.available_force
                                ? b.available_force
                                : std::min(was.available_force, b.max_force);
    state.force = bounded(was.force, std::max(0.0, state.available_force));
  }
  if (a.acceleration != b.acceleration) {
    state.acceleration = b.acceleration;
  }
  if (a.gains.p != b.gains.p || a.gains.i != b.gains.i || a.gains.d != b.gains.d) {
    state.gains = b.gains;
    state.law.clear_errors();
  }
  if (b.min_position != b.max_position && std::isfinite(was.target_position)) {
    state.target_position = std::clamp(was.target_position, b.min_position, b.max_position);
  }
  motor.set_state(state);
}

void go_on(Receiver& receiver, const Receiver::State& was, const DeviceSpec& before,
           const DeviceSpec& now) {
  receiver.set_state(was);
  receiver.set_channel(channel_after(was.channel, *before.receiver, *now.receiver));
}

void go_on(Emitter& emitter, const Emitter::State& was, const DeviceSpec& before,
           const DeviceSpec& now) {
  const EmitterSpec& a = *before.emitter;
  const EmitterSpec& b = *now.emitter;
  const bool by_maximum = a.range == a.max_range && b.range == b.max_range;
  const bool stays = a.range == b.range || (by_maximum && was.range != a.range);
  emitter.set_state(was);
  emitter.set_channel(channel_after(was.channel, a, b));
  emitter.set_range(stays ? was.range : b.range);
}

}  // namespace servosim
