// SPDX-License-Identifier: Apache-2.0
#include "servosim/receiver.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/random.h"
#include "devices/measuring.h"
#include "devices/radio_link.h"
#include "physics/physics_world.h"
#include "scene/scene.h"
#include "servosim/emitter.h"

namespace servosim {

namespace {

constexpr double kNearest = 1e-6;  // [m]; a nearer emitter is not stronger

// The members of its state.
template <typename Archive, typename State>
void archive_receiver(Archive& archive, State& state) {
  archive.hashed(state.channel);
  for (auto* packets : {&state.waiting, &state.queue}) {
    archive_list(archive, *packets, [&archive](auto& packet) {
      archive_bytes(archive, packet.data);
      archive.hashed(packet.signal_strength);
      archive.hashed(packet.direction);
    });
  }
  archive.unhashed(state.sampler);
  archive.unhashed(state.powered);
  archive.unhashed(state.bytes);
}

}  // namespace

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

// The step has moved emitter and receiver.
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

void Receiver::sample(double now_ms) {
  if (physics_ == nullptr) {
    return;
  }
  state_.queue.splice(state_.queue.end(), state_.waiting);
  state_.sampler.store(static_cast<double>(state_.queue.size()), now_ms);
}

void Receiver::save(StateWriter& out) const {
  SavingArchive archive(out);
  archive_receiver(archive, state_);
}

void Receiver::restore(StateReader& in) {
  RestoringArchive archive(in);
  archive_receiver(archive, state_);
  arrivals_.clear();  // of a step that failed
}

void Receiver::add_state(Fnv1a& hash) const {
  HashingArchive archive(hash);
  archive_receiver(archive, state_);
}

}  // namespace servosim
