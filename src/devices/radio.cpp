// SPDX-License-Identifier: Apache-2.0
#include "servosim/radio.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/state_archive.h"
#include "devices/measuring.h"
#include "physics/physics_world.h"
#include "scene/scene.h"

namespace servosim {

namespace {

constexpr double kNearest = 1e-6;  // m; who is nearer is no louder

// Whether a packet of `size` bytes fits beside `count` packets of `bytes` bytes. Each costs some
// memory of its own.
bool fits(const AntennaSpec& spec, std::size_t size, std::size_t count, std::size_t bytes) {
  constexpr std::size_t kHead = 64;
  const bool asked =
      spec.buffer_size < 0 || (size <= static_cast<std::size_t>(spec.buffer_size) &&
                               bytes + size <= static_cast<std::size_t>(spec.buffer_size));
  return asked && size <= kMaxRadioBytes && bytes + size + kHead * count <= kMaxRadioBytes;
}

// Whether the cone of an antenna at `pose` reaches towards `other`.
bool looks_at(const AntennaSpec& spec, const Pose& pose, const Vec3& other) {
  if (spec.type != RadioType::InfraRed || spec.aperture < 0.0) {
    return true;
  }
  const Vec3 axis = pose.rotation * spec.axis;
  const Vec3 to = unit_or(other - pose.translation, axis);
  // The cross product is exact where the angle is small, the dot product where it is not.
  return std::atan2(norm(cross(axis, to)), dot(axis, to)) <= 0.5 * spec.aperture;
}

void put_bytes(StateWriter& out, const std::vector<std::byte>& data) {
  out.put(data.size());
  out.put_array(data.data(), data.size());
}

std::vector<std::byte> take_bytes(StateReader& in) {
  std::vector<std::byte> data(in.take<std::size_t>());
  in.get_array(data.data(), data.size());
  return data;
}

void put_packets(StateWriter& out, const std::list<Packet>& packets) {
  out.put(packets.size());
  for (const Packet& packet : packets) {
    put_bytes(out, packet.data);
    out.put(packet.signal_strength);
    out.put(packet.direction);
  }
}

void take_packets(StateReader& in, std::list<Packet>& packets) {
  packets.resize(in.take<std::size_t>());
  for (Packet& packet : packets) {
    packet.data = take_bytes(in);
    in.get(packet.signal_strength);
    in.get(packet.direction);
  }
}

void add_bytes(Fnv1a& hash, const std::vector<std::byte>& data) {
  hash.add(static_cast<double>(data.size()));
  hash.add(std::string_view(reinterpret_cast<const char*>(data.data()), data.size()));
}

void add_packets(Fnv1a& hash, const std::list<Packet>& packets) {
  hash.add(static_cast<double>(packets.size()));
  for (const Packet& packet : packets) {
    add_bytes(hash, packet.data);
    const Vec3& d = packet.direction;
    for (const double number : {packet.signal_strength, d.x, d.y, d.z}) {
      hash.add(number);
    }
  }
}

int channel_after(int set, const AntennaSpec& before, const AntennaSpec& now) {
  return before.channel != now.channel ? now.channel : set;
}

}  // namespace

// ---- Emitter

Emitter::Emitter(const EmitterSpec& spec, const Scene& scene, PhysicsWorld& physics)
    : spec_(&spec), scene_(&scene), physics_(&physics) {
  state_.channel = spec.channel;
  state_.range = spec.range;
}

void Emitter::rebind(const EmitterSpec& spec, const Scene& scene, PhysicsWorld& physics) {
  const EmitterSpec& before = *spec_;
  const bool by_maximum = before.range == before.max_range && spec.range == spec.max_range;
  const bool stays = before.range == spec.range || (by_maximum && state_.range != before.range);
  state_.channel = channel_after(state_.channel, before, spec);
  spec_ = &spec;
  scene_ = &scene;
  physics_ = &physics;
  set_range(stays ? state_.range : spec.range);
}

void Emitter::detach(const EmitterSpec& spec) {
  spec_ = &spec;
  scene_ = nullptr;
  physics_ = nullptr;
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
  if (data.empty() || !fits(*spec_, data.size(), state_.queue.size(), waiting_bytes())) {
    return false;
  }
  if (!state_.powered) {
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
    const Outgoing packet = std::move(state_.queue.front());
    state_.queue.pop_front();
    state_.waiting_bytes -= packet.data.size();
    for (Receiver* receiver : receivers) {
      if (state_.powered && receiver->spec().type == spec_->type &&
          receiver->listens(packet.channel) && reaches(*receiver, pose, packet.range)) {
        receiver->receive(packet.data, spec_->solid, pose.translation);
      }
    }
  }
}

// A robot does not hear itself, a Radio only not its own antenna.
bool Emitter::is_own(const ReceiverSpec& other) const {
  return spec_->type == RadioType::Network
             ? other.solid == spec_->solid
             : scene_->solids[other.solid].robot == scene_->solids[spec_->solid].robot;
}

bool Emitter::reaches(const Receiver& receiver, const Pose& pose, double range) {
  const ReceiverSpec& other = receiver.spec();
  if (is_own(other)) {
    return false;
  }
  const Pose there = physics_->solid_pose(other.solid);
  return (range < 0.0 || norm(there.translation - pose.translation) <= range) &&
         looks_at(*spec_, pose, there.translation) && looks_at(other, there, pose.translation) &&
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

void Emitter::save(StateWriter& out) const {
  out.put(state_.queue.size());
  for (const Outgoing& packet : state_.queue) {
    put_bytes(out, packet.data);
    out.put(packet.channel);
    out.put(packet.range);
    out.put(packet.end_ms);
  }
  out.put(state_.waiting_bytes);
  out.put(state_.busy_until_ms);
  out.put(state_.powered);
  out.put(state_.channel);
  out.put(state_.range);
}

void Emitter::restore(StateReader& in) {
  state_.queue.resize(in.take<std::size_t>());
  for (Outgoing& packet : state_.queue) {
    packet.data = take_bytes(in);
    in.get(packet.channel);
    in.get(packet.range);
    in.get(packet.end_ms);
  }
  in.get(state_.waiting_bytes);
  in.get(state_.busy_until_ms);
  in.get(state_.powered);
  in.get(state_.channel);
  in.get(state_.range);
}

void Emitter::add_state(Fnv1a& hash) const {
  hash.add(static_cast<double>(state_.channel));
  hash.add(state_.range);
  hash.add(static_cast<double>(state_.queue.size()));
  for (const Outgoing& packet : state_.queue) {
    add_bytes(hash, packet.data);
    for (const double number : {static_cast<double>(packet.channel), packet.range, packet.end_ms}) {
      hash.add(number);
    }
  }
}

// ---- Receiver

Receiver::Receiver(const ReceiverSpec& spec, const PhysicsWorld& physics, Random& random)
    : random_(&random) {
  state_.channel = spec.channel;
  bind(spec, &physics);
}

void Receiver::bind(const ReceiverSpec& spec, const PhysicsWorld* physics) {
  spec_ = &spec;
  physics_ = physics;
  arrivals_.clear();  // of a step that failed
}

void Receiver::rebind(const ReceiverSpec& spec, const PhysicsWorld& physics) {
  state_.channel = channel_after(state_.channel, *spec_, spec);
  bind(spec, &physics);
}

void Receiver::detach(const ReceiverSpec& spec) { bind(spec, nullptr); }

void Receiver::enable(int period_ms, double now_ms) {
  refuse(period_ms < 0, "sampling period", period_ms, "a number >= 0");
  state_.sampler.enable(period_ms, now_ms);
}

void Receiver::set_channel(int channel) {
  refuse(channel < -1, "channel", channel, "a number >= -1");
  state_.channel = channel;
}

Packet Receiver::take() {
  Packet packet = std::move(state_.queue.front());
  state_.queue.pop_front();
  state_.bytes -= packet.data.size();
  return packet;
}

void Receiver::receive(std::span<const std::byte> data, int emitter, const Vec3& origin) {
  if (physics_ == nullptr ||
      !fits(*spec_, data.size(), state_.waiting.size() + state_.queue.size(), state_.bytes)) {
    return;
  }
  const Vec3 to = origin - physics_->solid_pose(spec_->solid).translation;
  Packet packet{{data.begin(), data.end()}, 1.0 / std::max(dot(to, to), kNearest * kNearest), {}};
  if (spec_->strength_noise > 0.0) {
    packet.signal_strength *= 1.0 + spec_->strength_noise * random_->normal();
  }
  state_.bytes += data.size();
  state_.waiting.push_back(std::move(packet));
  arrivals_.push_back(emitter);
}

// Of the packets that came in this step, which has moved emitter and receiver.
void Receiver::find_directions() {
  SERVOSIM_ASSERT(arrivals_.size() <= state_.waiting.size(), "{} arrivals, {} packets wait",
                  arrivals_.size(), state_.waiting.size());
  const Pose pose = physics_->solid_pose(spec_->solid);
  auto packet = std::prev(state_.waiting.end(), static_cast<std::ptrdiff_t>(arrivals_.size()));
  for (const int emitter : arrivals_) {
    const Vec3 to = physics_->solid_pose(emitter).translation - pose.translation;
    Vec3& direction = (packet++)->direction;
    direction = unit_or(transposed(pose.rotation) * to, {});
    if (spec_->direction_noise > 0.0) {
      const double x = random_->normal();
      const double y = random_->normal();
      const double z = random_->normal();
      direction = unit_or(direction + spec_->direction_noise * Vec3{x, y, z}, direction);
    }
  }
  arrivals_.clear();
}

void Receiver::sample(double now_ms) {
  if (physics_ == nullptr) {
    return;
  }
  state_.queue.splice(state_.queue.end(), state_.waiting);
  state_.sampler.store(static_cast<double>(state_.queue.size()), now_ms);
}

void Receiver::save(StateWriter& out) const {
  out.put(state_.sampler);
  out.put(state_.channel);
  out.put(state_.powered);
  put_packets(out, state_.waiting);
  put_packets(out, state_.queue);
  out.put(state_.bytes);
}

void Receiver::restore(StateReader& in) {
  in.get(state_.sampler);
  in.get(state_.channel);
  in.get(state_.powered);
  take_packets(in, state_.waiting);
  take_packets(in, state_.queue);
  in.get(state_.bytes);
  arrivals_.clear();  // of a step that failed
}

void Receiver::add_state(Fnv1a& hash) const {
  hash.add(static_cast<double>(state_.channel));
  add_packets(hash, state_.waiting);
  add_packets(hash, state_.queue);
}

}  // namespace servosim
