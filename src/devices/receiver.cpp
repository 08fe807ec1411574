// SPDX-License-Identifier: Apache-2.0
#include "servosim/receiver.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/device_command.h"
#include "base/random.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "devices/radio_parts.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/emitter.h"

namespace servosim {

namespace {

constexpr double kNearest = 1e-6;  // [m]; limits the signal strength of nearer emitters

}  // namespace

Receiver::Receiver(const DeviceBinding& binding)
    : Device(Turn::Receiver, true),
      spec_(&*binding.spec.receiver),
      physics_(binding.physics()),
      random_(&binding.world->random) {
  state_.channel = spec_->channel;
}

void Receiver::rebind(const DeviceBinding& binding) {
  state_.channel = setting_after(state_.channel, spec_->channel, binding.spec.receiver->channel);
  spec_ = &*binding.spec.receiver;
  physics_ = binding.physics();
  arrivals_.clear();  // a step that failed may have left some
}

void Receiver::set_channel(int channel) {
  refuse(channel < -1, "channel", channel, "a number >= -1");
  state_.channel = channel;
}

Packet Receiver::take() {
  SERVOSIM_ASSERT(!state_.queue.empty(), "no packet on channel {}", state_.channel);
  Packet packet = std::move(state_.queue.front());
  state_.queue.pop_front();
  state_.bytes -= packet.data.size();
  return packet;
}

void Receiver::receive(std::shared_ptr<const std::vector<std::byte>> data, Emitter& emitter,
                       double range, const Vec3& origin) {
  if (physics_ == nullptr) {
    return;
  }
  const Vec3 to = origin - physics_->solid_pose(spec_->solid).translation;
  arrivals_.push_back(
      {std::move(data), &emitter, range, 1.0 / std::max(dot(to, to), kNearest * kNearest)});
}

// The step has moved emitter and receiver, so that reaches() uses the poses of its end.
void Receiver::take_arrivals() {
  for (const Arrival& arrival : arrivals_) {
    if (arrival.emitter->reaches(*this, arrival.range) &&
        fits_buffer(*spec_, arrival.data->size(), state_.waiting.size() + state_.queue.size(),
                    state_.bytes)) {
      take_arrival(*arrival.data, *arrival.emitter, arrival.strength);
    }
  }
  arrivals_.clear();
}

void Receiver::take_arrival(std::span<const std::byte> data, const Emitter& emitter,
                            double strength) {
  const Pose pose = physics_->solid_pose(spec_->solid);
  const Vec3 to = physics_->solid_pose(emitter.spec().solid).translation - pose.translation;
  Packet packet{{data.begin(), data.end()}, strength, unit_or(transposed(pose.rotation) * to, {})};
  if (spec_->strength_noise > 0.0) {
    packet.signal_strength *= 1.0 + spec_->strength_noise * random_->normal();
  }
  if (spec_->direction_noise > 0.0) {
    const double x = random_->normal();
    const double y = random_->normal();
    const double z = random_->normal();
    packet.direction =
        unit_or(packet.direction + spec_->direction_noise * Vec3{x, y, z}, packet.direction);
  }
  state_.bytes += data.size();
  state_.waiting.push_back(std::move(packet));
}

void Receiver::follow() {
  if (!arrivals_.empty()) {
    take_arrivals();
  }
}

void Receiver::measure(double now_ms) {
  if (physics_ == nullptr) {
    return;
  }
  state_.queue.splice(state_.queue.end(), state_.waiting);
  sampler_.store(static_cast<double>(state_.queue.size()), now_ms);
}

CommandEffect Receiver::command(const DeviceCommand& command, double now_ms) {
  if (command.kind != CommandKind::Channel) {
    return Device::command(command, now_ms);
  }
  set_channel(command.integer);
  return {true, true, "channel"};
}

void Receiver::list_settings(std::vector<DeviceSetting>& settings) const {
  settings.push_back({"channel", {static_cast<double>(channel())}});
}

void Receiver::set_field(std::string_view field, std::span<const double> numbers) {
  if (field == "channel") {
    set_channel(static_cast<int>(numbers[0]));
  }
}

void Receiver::restart() {
  state_.waiting.clear();
  state_.queue.clear();
  state_.bytes = 0;
}

std::function<void()> Receiver::keep_settings() {
  return [this, channel = channel(), measures = Device::keep_settings()] {
    set_channel(channel);
    measures();
  };
}

void Receiver::archive_state(DeviceArchive& archive) {
  archive.hashed(state_.channel);
  for (auto* packets : {&state_.waiting, &state_.queue}) {
    archive.list(*packets, [&archive](Packet& packet) {
      archive.bytes(packet.data);
      archive.hashed(packet.signal_strength);
      archive.hashed(packet.direction);
    });
  }
  archive.unhashed(state_.bytes);
  if (archive.restores()) {
    arrivals_.clear();  // a step that failed may have left some
  }
}

}  // namespace servosim
