// SPDX-License-Identifier: Apache-2.0
#include "servosim/emitter.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/device_command.h"
#include "base/limits.h"
#include "devices/device_archive.h"
#include "devices/device_binding.h"
#include "devices/measuring.h"
#include "devices/radio_parts.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/receiver.h"

namespace servosim {
namespace {

// Whether the cone of an emitter or receiver at `pose` contains the place `other`; both are in the
// world [m]. Only infra-red ones with an aperture have a cone.
bool is_in_cone(const RadioSpec& spec, const Pose& pose, const Vec3& other) {
  if (spec.type != RadioType::InfraRed || spec.aperture < 0.0) {
    return true;
  }
  const Vec3 axis = pose.rotation * spec.axis;
  const Vec3 to = unit_or(other - pose.translation, axis);
  // The cross product is exact where the angle is small, the dot product where it is not.
  return std::atan2(norm(cross(axis, to)), dot(axis, to)) <= 0.5 * spec.aperture;
}

}  // namespace

Emitter::Emitter(const DeviceBinding& binding)
    : Device(Turn::Emitter),
      spec_(&*binding.spec.emitter),
      scene_(&binding.world->scene),
      physics_(binding.physics()) {
  state_.channel = spec_->channel;
  state_.range = spec_->range;
}

void Emitter::rebind(const DeviceBinding& binding) {
  const EmitterSpec& spec = *binding.spec.emitter;
  const EmitterSpec& before = *spec_;
  const bool by_maximum = before.range == before.max_range && spec.range == spec.max_range;
  const bool stays = before.range == spec.range || (by_maximum && state_.range != before.range);
  state_.channel = setting_after(state_.channel, before.channel, spec.channel);
  spec_ = &spec;
  scene_ = binding.world != nullptr ? &binding.world->scene : nullptr;
  physics_ = binding.physics();
  set_range(stays ? state_.range : spec.range);
}

void Emitter::set_channel(int channel) {
  refuse(channel < -1, "channel", channel, "a number >= -1");
  state_.channel = channel;
}

void Emitter::set_range(double range) {
  refuse(!(range >= 0.0) && range != -1.0, "range", range, "-1 or a number >= 0");
  state_.range = within_reach(range);
}

double Emitter::within_reach(double range) const {
  range = std::isinf(range) ? -1.0 : range;
  const bool too_far = spec_->max_range >= 0.0 && (range < 0.0 || range > spec_->max_range);
  return too_far ? spec_->max_range : range;
}

bool Emitter::send(std::span<const std::byte> data, int channel, double range, double now_ms) {
  if (data.empty() || !fits_buffer(*spec_, data.size(), state_.queue.size(), waiting_bytes())) {
    return false;
  }
  if (!powered_) {
    return true;
  }
  const double begin_ms = std::max(now_ms, state_.busy_until_ms);
  const double length_ms = spec_->baud_rate < 0 ? 0.0
                                                : 1000.0 * static_cast<double>(data.size()) *
                                                      spec_->byte_size / spec_->baud_rate;
  state_.busy_until_ms = begin_ms + length_ms;
  state_.waiting_bytes += data.size();
  state_.queue.push_back(
      {{data.begin(), data.end()}, channel, within_reach(range), state_.busy_until_ms});
  return true;
}

void Emitter::transmit(std::span<Receiver* const> receivers, double now_ms) {
  if (physics_ == nullptr || state_.queue.empty() || !is_due(now_ms, state_.queue.front().end_ms)) {
    return;
  }
  const Pose pose = physics_->solid_pose(spec_->solid);
  while (!state_.queue.empty() && is_due(now_ms, state_.queue.front().end_ms)) {
    Outgoing packet = std::move(state_.queue.front());
    state_.queue.pop_front();
    SERVOSIM_ASSERT(packet.data.size() <= state_.waiting_bytes, "{} bytes of {} that wait",
                    packet.data.size(), state_.waiting_bytes);
    state_.waiting_bytes -= packet.data.size();
    const auto data = std::make_shared<const std::vector<std::byte>>(std::move(packet.data));
    for (Receiver* receiver : receivers) {
      if (powered_ && receiver->spec().type == spec_->type && receiver->listens(packet.channel)) {
        receiver->receive(data, *this, packet.range, pose.translation);
      }
    }
  }
}

// A robot does not receive what its own emitters send. A Radio does not receive its own packets,
// but those of another Radio of its robot.
bool Emitter::is_own(const ReceiverSpec& other) const {
  return spec_->type == RadioType::Network
             ? other.solid == spec_->solid
             : scene_->solids[other.solid].robot == scene_->solids[spec_->solid].robot;
}

bool Emitter::reaches(const Receiver& receiver, double range) {
  const ReceiverSpec& other = receiver.spec();
  if (is_own(other)) {
    return false;
  }
  const Pose pose = physics_->solid_pose(spec_->solid);
  const Pose there = physics_->solid_pose(other.solid);
  return (range < 0.0 || norm(there.translation - pose.translation) <= range) &&
         is_in_cone(*spec_, pose, there.translation) &&
         is_in_cone(other, there, pose.translation) &&
         !(spec_->type == RadioType::InfraRed &&
           is_hidden(other.solid, pose.translation, there.translation));
}

bool Emitter::is_hidden(int solid, const Vec3& from, const Vec3& to) {
  const double distance = norm(to - from);
  const Vec3 direction = unit_or(to - from, {});
  if (direction == Vec3{}) {
    return false;
  }
  const std::optional<RayHit> hit =
      physics_->contacts().cast_ray(from, direction, distance, spec_->solid);
  return hit && (hit->solid < 0 || scene_->solids[hit->solid].robot < 0 ||
                 scene_->solids[hit->solid].robot != scene_->solids[solid].robot);
}

CommandEffect Emitter::command(const DeviceCommand& command, double now_ms) {
  switch (command.kind) {
    case CommandKind::Channel:
      set_channel(command.integer);
      return {true, true, "channel"};
    case CommandKind::Range:
      set_range(command.numbers[0]);
      return {true, true, "range"};
    case CommandKind::Send:
      // A packet without room is lost: libController counts bytes and never sends one.
      send(std::as_bytes(std::span(command.text)), command.integer, command.numbers[0], now_ms);
      return {true};
    default:
      return {};
  }
}

void Emitter::list_settings(std::vector<DeviceSetting>& settings) const {
  settings.push_back({"channel", {static_cast<double>(channel())}});
  settings.push_back({"range", {range()}});
}

void Emitter::set_field(std::string_view field, std::span<const double> numbers) {
  if (field == "channel") {
    set_channel(static_cast<int>(numbers[0]));
  } else if (field == "range") {
    set_range(numbers[0]);
  }
}

void Emitter::restart() {
  state_.queue.clear();
  state_.waiting_bytes = 0;
}

std::function<void()> Emitter::keep_settings() {
  return [this, channel = channel(), range = range()] {
    set_channel(channel);
    set_range(range);
  };
}

void Emitter::archive_state(DeviceArchive& archive) {
  archive.hashed(state_.channel);
  archive.hashed(state_.range);
  archive.list(state_.queue, [&archive](Outgoing& packet) {
    archive.bytes(packet.data);
    archive.hashed(packet.channel);
    archive.hashed(packet.range);
    archive.hashed(packet.end_ms);
  });
  archive.unhashed(state_.waiting_bytes);
  archive.unhashed(state_.busy_until_ms);
}

}  // namespace servosim
